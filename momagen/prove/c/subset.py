"""The subset of C that the prover models: source outside it is refused before any function runs.

The prover executes one order of evaluation, one call of each function, and memory that only the kernel changes. So it
refuses what C leaves open or what outlives a call: side effects inside larger expressions, variables with static
storage that are not constant, ``restrict``, bit-fields, and attributes, pragmas and macros whose meaning is unknown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pycparser import c_ast, c_generator

from momagen.prove.c.system.macros import HUGE_PAGES, MACROS
from momagen.prove.checker import ProofError

if TYPE_CHECKING:
    from momagen.prove.c.parsed import Source

ATTRIBUTES = {"unused", "noinline", "noclone", "always_inline", "target", "force_align_arg_pointer"}
"""The attributes that change how a function is compiled, but not what it computes."""

PRAGMAS = re.compile(
    r'GCC optimize\("schedule-insns", "sched-pressure"\)|(GCC )?unroll \d+|clang loop unroll_count\(\d+\)|once'
)
"""The pragmas that change how code is compiled, but not what it computes."""

UNDEFINED = {"MOMAGEN_STANDINS", "__cplusplus"}
"""The macros that the claim takes as undefined: stand-ins for intrinsics are for tests, and C++ is another language."""

PURE = {"__builtin_prefetch", "calloc", "madvise", "malloc", "memcmp"}
"""The functions of the library that change no variable of the program."""
NAMES = {"calloc", "free", "madvise", "malloc", "memcmp", "memcpy", "memset"}
"""The functions of the library that the prover models."""
PURE_INTRINSIC = re.compile(r"_mm(?:256|512)?_(?!\w*(?:store|scatter|csr|stream))\w+")
"""The names of intrinsics that only compute or load."""
PURE_DEVICE = re.compile(r"__umul(64)?hi|__funnelshift_r|min|make_[a-z]+[24]")
"""The names of built-in functions of CUDA, which only compute."""
OWN_MACRO = re.compile(r"MG_\w+|[A-Z]\w*_H")
"""The macros that only the source itself defines: helpers and the guards of headers."""

STEPS = ("++", "--", "p++", "p--")
NOT_ORDERED = (c_ast.BinaryOp, c_ast.Assignment, c_ast.FuncCall, c_ast.ArrayRef, c_ast.InitList)


def is_known_macro(name: str, compilers: dict[str, dict[str, str]]) -> bool:
    """Return whether the value of a macro is known for every compiler; an unknown one would hide a variant."""
    is_defined = name in MACROS or any(name in macros for macros in compilers.values())
    return is_defined or name in UNDEFINED or bool(OWN_MACRO.fullmatch(name))


def check_pragmas(text: str) -> None:
    """Check that preprocessed text contains known pragmas only."""
    for found in re.finditer(r"^\s*#\s*pragma\s+(.*?)\s*$", text, re.MULTILINE):
        if not PRAGMAS.fullmatch(found.group(1)):
            raise ProofError(f"the pragma {found.group(1)} is not supported")


def without_attributes(text: str) -> str:
    """Remove the attributes that change no result, and refuse all others."""

    def remove(found: re.Match[str]) -> str:
        names = set(re.findall(r"(\w+)\s*(?:\([^()]*\))?", re.sub(r'"[^"]*"', "", found.group(1))))
        if names - ATTRIBUTES:
            raise ProofError(f"the attribute {min(names - ATTRIBUTES)} is not supported")
        return ""

    return re.sub(r"__attribute__\s*\(\(((?:[^()]|\([^()]*\))*)\)\)", remove, text)


def check_source(source: Source) -> None:
    """Check the functions, variables and structs of a source."""
    for item in source.globals.values():
        _check_static(item)
    for members in source.structs.values():
        for member in members:
            if getattr(member, "bitsize", None) is not None:
                raise ProofError("a bit-field is not supported")
    for function in source.functions.values():
        _check(function, source)
        _check_comparisons(function.body)
        _check_tags(function.body)


def _check_comparisons(node: Any) -> None:
    """Check that a result of memcmp is only compared with 0, because nothing else is known of it."""
    children = [child for _, child in node.children()]
    is_zero = isinstance(node, c_ast.BinaryOp) and node.op in ("==", "!=") and getattr(node.right, "value", "") == "0"
    is_compared = is_zero or (isinstance(node, c_ast.UnaryOp) and node.op == "!")
    for child in children:
        if isinstance(child, c_ast.FuncCall) and child.name.name == "memcmp" and not is_compared:
            raise _error("a result of memcmp is not compared with 0", child)
        _check_comparisons(child)


def _check_tags(node: Any) -> None:
    """Check that a function defines no struct, union or enumeration, which could hide one of the file."""
    if isinstance(node, (c_ast.Struct, c_ast.Union, c_ast.Enum)) and (
        getattr(node, "decls", None) is not None or getattr(node, "values", None) is not None
    ):
        raise _error("a type is defined inside a function", node)
    for _, child in node.children():
        _check_tags(child)


def _check(node: Any, source: Source) -> None:
    is_variable = isinstance(node, c_ast.Decl) and not isinstance(node.type, c_ast.FuncDecl)
    if is_variable and set(node.storage) & {"static", "extern", "_Thread_local"}:
        _check_static(node)
    if isinstance(node, NOT_ORDERED):
        _check_order(node, source)
    if isinstance(node, c_ast.FuncCall) and node.name.name == "madvise" and not asks_for_huge_pages(node):
        raise _error("madvise with other advice than MADV_HUGEPAGE is not supported", node)
    for _, child in node.children():
        _check(child, source)


def _check_static(item: Any) -> None:
    """Check that a variable that outlives a call is constant, as another call could have changed it."""
    kind = item.type
    while isinstance(kind, c_ast.ArrayDecl):
        kind = kind.type
    if "extern" in item.storage or "const" not in (getattr(kind, "quals", None) or []):
        raise _error(f"{item.name} has static storage and is not constant", item)


def _check_order(node: Any, source: Source) -> None:
    """Check that the order in which the operands of an expression are evaluated does not matter."""
    if isinstance(node, c_ast.BinaryOp):
        operands = [] if node.op in ("&&", "||") else [node.left, node.right]
    elif isinstance(node, c_ast.Assignment):
        is_fixed = node.op == "=" and _is_fixed(node.lvalue, source) and not _has_steps(node.rvalue)
        operands = [] if is_fixed else [node.lvalue, node.rvalue]
    elif isinstance(node, c_ast.FuncCall):
        operands = node.args.exprs if node.args else []
    elif isinstance(node, c_ast.ArrayRef):
        operands = [node.name, node.subscript]
    else:
        operands = node.exprs
    if any(has_effects(a, source) and not _is_constant(b) for a in operands for b in operands if a is not b):
        raise _error("the result depends on the order in which operands are evaluated", node)


def _is_fixed(target: Any, source: Source) -> bool:
    """Return whether no call changes what an expression designates: a variable, or an element at a local variable."""
    if not isinstance(target, c_ast.ArrayRef):
        return isinstance(target, c_ast.ID)
    used = [target.name, target.subscript]
    if not all(isinstance(node, c_ast.ID) for node in used):
        return False
    found = {node.name for node in used}
    return not any(_takes_address(function.body, found) for function in source.functions.values())


def _takes_address(node: Any, names: set[str]) -> bool:
    """Return whether a statement takes the address of a variable with one of these names."""
    if isinstance(node, c_ast.UnaryOp) and node.op == "&" and getattr(node.expr, "name", "") in names:
        return True
    return any(_takes_address(child, names) for _, child in node.children())


def asks_for_huge_pages(call: Any) -> bool:
    """Return whether the advice of a call is ``MADV_HUGEPAGE``, which changes no value; others discard memory."""
    arguments = call.args.exprs if call.args else []
    return len(arguments) == 3 and isinstance(arguments[2], c_ast.ID) and arguments[2].name == HUGE_PAGES


def check_reports(function: Any) -> None:
    """Check that a function acts the same if its last parameter is NULL: it only reports, ``if (why) *why = code;``."""
    name = function.decl.type.args.params[-1].name
    report = re.compile(rf"if \({name}\)\s*\*{name} = (?!{name}\b)\w+;\s*")

    def check(node: Any) -> None:
        if isinstance(node, c_ast.If) and report.fullmatch(c_generator.CGenerator().visit(node)):
            return
        if isinstance(node, (c_ast.ID, c_ast.Decl)) and node.name == name:
            raise _error(f"{name} is used in another way than to report a code", node)
        for _, child in node.children():
            check(child)

    check(function.body)


def _has_steps(node: Any) -> bool:
    """Return whether an expression assigns or steps outside a call."""
    if isinstance(node, c_ast.Assignment) or (isinstance(node, c_ast.UnaryOp) and node.op in STEPS):
        return True
    return not isinstance(node, c_ast.FuncCall) and any(_has_steps(child) for _, child in node.children())


def has_effects(node: Any, source: Source | None = None) -> bool:
    """Return whether the evaluation of an expression may change a variable; without a source, every call may."""
    if isinstance(node, c_ast.Assignment) or (isinstance(node, c_ast.UnaryOp) and node.op in STEPS):
        return True
    if isinstance(node, c_ast.FuncCall) and (source is None or _may_write(node.name.name, source)):
        return True
    return any(has_effects(child, source) for _, child in node.children())


def _may_write(name: str, source: Source) -> bool:
    """Return whether a function may write through a parameter; all global variables are constant."""
    if name not in source.functions:
        return name not in PURE and not PURE_INTRINSIC.fullmatch(name) and not PURE_DEVICE.fullmatch(name)
    if not any(_writes(source.functions[called].body, source) for called in reached(name, source)):
        return False
    declared = source.functions[name].decl.type
    kinds = [parameter.type for parameter in declared.args.params] if declared.args else []
    pointers = [kind for kind in kinds if not isinstance(kind, c_ast.TypeDecl) or _is_pointer(kind, source)]
    if any(not _points_to_constants(kind, source) for kind in pointers):
        return True
    return bool(pointers) and any(_removes_const(source.functions[called]) for called in reached(name, source))


def _writes(node: Any, source: Source) -> bool:
    """Return whether a statement assigns, steps, or calls a function of the library that may write."""
    if isinstance(node, c_ast.Assignment) or (isinstance(node, c_ast.UnaryOp) and node.op in STEPS):
        return True
    called = node.name.name if isinstance(node, c_ast.FuncCall) else None
    if called is not None and called not in source.functions and _may_write(called, source):
        return True
    return any(_writes(child, source) for _, child in node.children())


def _is_pointer(kind: Any, source: Source) -> bool:
    """Return whether a type may be the name of a pointer type."""
    named = source.typedefs.get(" ".join(getattr(kind.type, "names", ["struct"])))
    return named is not None and (not isinstance(named, c_ast.TypeDecl) or _is_pointer(named, source))


def _points_to_constants(kind: Any, source: Source) -> bool:
    """Return whether a type is a pointer to constant numbers, and to no struct with pointers through which to write."""
    of = getattr(kind, "type", None)
    if not isinstance(kind, c_ast.PtrDecl) or not isinstance(of, c_ast.TypeDecl) or "const" not in of.quals:
        return False
    while isinstance(of, c_ast.TypeDecl) and isinstance(of.type, c_ast.IdentifierType):
        name = " ".join(of.type.names)
        if name not in source.typedefs:
            return True
        of = source.typedefs[name]
    return False


def reached(name: str, source: Source) -> set[str]:
    """Return the functions of the source that a function may call, and itself."""
    found, todo = set[str](), [name]
    while todo:
        reached = todo.pop()
        if reached not in found:
            found.add(reached)
            todo += [called for called in _calls(source.functions[reached]) if called in source.functions]
    return found


def _calls(node: Any) -> set[str]:
    called = {node.name.name} if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID) else set()
    return called.union(*(_calls(child) for _, child in node.children()))


def _removes_const(node: Any) -> bool:
    """Return whether a cast to a pointer occurs that could remove a ``const``."""
    if isinstance(node, c_ast.Cast) and isinstance(node.to_type.type, c_ast.PtrDecl):
        target = node.to_type.type.type
        if isinstance(target, c_ast.PtrDecl) or "const" not in (getattr(target, "quals", None) or []):
            return True
    return any(_removes_const(child) for _, child in node.children())


def _is_constant(node: Any) -> bool:
    """Return whether an expression contains no variable."""
    return not isinstance(node, c_ast.ID) and all(_is_constant(child) for _, child in node.children())


def _error(problem: str, node: Any) -> ProofError:
    error = ProofError(problem)
    error.line = node.coord.line if node.coord else None  # type: ignore[attr-defined]
    return error
