"""Checks of the declarations of a source: types, qualifiers and names whose meaning the prover does not model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from momagen.prove.c.subset import NAMES
from momagen.prove.checker import ProofError

if TYPE_CHECKING:
    from momagen.prove.c.parsed import Source

QUALIFIERS = {"const", "volatile"}
RUNTIME = NAMES | {"abort", "bcmp", "bcopy", "bzero", "memchr", "memmove", "mempcpy", "stpcpy", "strcpy", "strlen"}
"""The functions of the C library that a compiler may call where the source does not."""


def check_declarations(node: Any, is_cuda: bool = False) -> None:
    """Check the declarations of a file, of a function, and of everything inside it.

    ``restrict`` excludes operands that are the same array. ``_Noreturn``, ``_Alignas`` and ``_Atomic`` change how a
    function returns, or how long a type is. In device code of CUDA, variables may be aligned.
    """
    qualifiers = set(getattr(node, "quals", None) or []) - QUALIFIERS
    if "restrict" in qualifiers:
        raise _error("restrict is not supported, because operands may be the same array", node)
    specifiers = set(getattr(node, "funcspec", None) or []) - {"inline"}
    is_aligned = getattr(node, "align", None) and not (is_cuda and isinstance(node, (c_ast.Decl, c_ast.TypeDecl)))
    alignments = {"_Alignas"} if is_aligned or (isinstance(node, c_ast.Alignas) and not is_cuda) else set()
    if unknown := qualifiers | specifiers | alignments:
        raise _error(f"{min(unknown)} is not supported", node)
    is_function = isinstance(node, c_ast.FuncDef) or isinstance(getattr(node, "type", None), c_ast.FuncDecl)
    name = getattr(node.decl if isinstance(node, c_ast.FuncDef) else node, "name", "")
    if is_function and (name in RUNTIME or name.startswith("_")):
        what = "defines" if isinstance(node, c_ast.FuncDef) else "declares"
        raise _error(f"the source {what} {name}, a function of the C library or of compilers", node)
    if isinstance(node, c_ast.FuncDef) and node.param_decls:
        raise _error("a function declares its parameters after their names, which is not supported", node)
    for _, child in node.children():
        check_declarations(child, is_cuda)


def check_single(tree: Any) -> None:
    """Check that no name is defined or declared twice: C++ would take two functions with one name for overloads."""
    names = set[str]()
    for item in tree.ext:
        name = getattr(getattr(item, "decl", item), "name", None)
        if isinstance(item, c_ast.Decl) and isinstance(item.type, c_ast.Struct):
            name = f"struct {item.type.name}"
        if isinstance(item, c_ast.Decl) and isinstance(item.type, c_ast.FuncDecl):
            raise _error(f"{name} is declared without a body", item)
        if name in names:
            raise _error(f"{name} is declared twice", item)
        names |= {name} if name else set()


def check_names(source: Source, prefix: str) -> None:
    """Check the names of functions and variables: only the public functions are visible to other files.

    A compiler takes other functions with the name of a library function for that function, and calls some functions of
    the library by itself.

    Args:
        source: The source.
        prefix: How the names of the public functions begin.
    """
    for name, item in {**source.functions, **source.globals}.items():
        declared = getattr(item, "decl", item)
        if "static" not in declared.storage and not name.startswith(prefix):
            raise _error(f"{name} is not static, so that it may replace a function of the C library", item)


def is_constant(kind: Any, source: Source) -> bool:
    """Return whether a declarator declares a constant object, or an array of them."""
    while isinstance(kind, c_ast.ArrayDecl):
        kind = kind.type
    if "const" in (getattr(kind, "quals", None) or []):
        return True
    named = getattr(kind, "type", None)
    if not isinstance(kind, c_ast.TypeDecl) or not isinstance(named, c_ast.IdentifierType):
        return False
    name = " ".join(named.names)
    return name in source.typedefs and is_constant(source.typedefs[name], source)


def _error(problem: str, node: Any) -> ProofError:
    error = ProofError(problem)
    error.line = node.coord.line if getattr(node, "coord", None) else None  # type: ignore[attr-defined]
    return error
