"""Comparing what two compilers see: helper functions that differ in text must compute the same values.

Generated helpers have one body for gcc, one for clang, and one for other compilers. Both bodies are executed on the
same unknown arguments. If the results are the same polynomials, a proof of the source as one compiler sees it is a
proof for the other. The comparison takes bytes as flags and pointers as different; every call of such a function is
checked for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pycparser import c_generator

from momagen.prove.c.assembly import ASSEMBLY, is_empty_assembly
from momagen.prove.c.memory import Number, Pointer
from momagen.prove.c.statements import Program
from momagen.prove.c.system.advice import without_advice
from momagen.prove.c.types import Integer, Reference
from momagen.prove.certificates.guide import SEARCH, Guide
from momagen.prove.checker import ProofError
from momagen.prove.facts import Facts, Path
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.c.parsed import Source


def is_same(first: Source, second: Source, guide: Guide = SEARCH) -> bool:
    """Return True only if two forms of a source are proven to compute the same values."""
    if _surroundings(first) != _surroundings(second):
        return False
    left, right = _texts(first), _texts(second)
    different = {name for name in left.keys() | right.keys() if left.get(name) != right.get(name)}
    different = {name for name in different if not _lacks_advice(first, right, name)}
    return all(_is_same_function(first, second, name, guide) for name in sorted(different))


class _Writer(c_generator.CGenerator):  # type: ignore[misc]
    """A generator of C that leaves out assembly without instructions and outputs, which only hinders compilers."""

    def visit_FuncCall(self, node: Any) -> str:
        """Return the text of a call."""
        is_empty = node.name.name == ASSEMBLY and is_empty_assembly(node.args.exprs)
        return "" if is_empty else str(super().visit_FuncCall(node))


def _texts(source: Source) -> dict[str, str]:
    generator = _Writer()
    return {name: generator.visit(node) for name, node in source.functions.items()}


def _lacks_advice(first: Source, texts: dict[str, str], name: str) -> bool:
    """Return whether a function differs only in that the first form also gives advice, which is proven to be valid."""
    if name not in first.functions:
        return False
    advised: str = _Writer().visit(without_advice(first.functions[name]))
    return advised == texts.get(name)


def _surroundings(source: Source) -> tuple[Any, ...]:
    generator = c_generator.CGenerator()
    return (
        {name: generator.visit(node) for name, node in source.globals.items()},
        {name: [generator.visit(member) for member in members] for name, members in source.structs.items()},
        {name: generator.visit(node) for name, node in source.typedefs.items()},
        source.constants,
    )


def _is_same_function(first: Source, second: Source, name: str, guide: Guide) -> bool:
    """Return whether a function gives the same results for all arguments in both forms of a source."""
    if name not in first.functions or name not in second.functions:
        return False
    generator = c_generator.CGenerator()
    if generator.visit(first.functions[name].decl) != generator.visit(second.functions[name].decl):
        return False
    is_equal = _has_equal_results(first, second, name, Facts(2, 3, Path(), guide)) or all(
        _has_equal_results(first, second, name, _facts_of_case(cases, guide)) for cases in Path.every()
    )
    if is_equal:
        first.compared.add(name)
    return is_equal


def _has_equal_results(first: Source, second: Source, name: str, facts: Facts) -> bool:
    """Return whether a function gives the same polynomials for the same unknown arguments in both forms of a source."""
    results = []
    try:
        for source in (first, second):
            results.append(_results(Program(source, facts), name, _arguments(source, facts, name)))
    except ProofError:
        return False
    return results[0] == results[1] and not facts.path.used


def _facts_of_case(cases: Path, guide: Guide) -> Facts:
    """Return facts for a case of the flags that select values. All cases together cover all values of the flags."""
    facts, decided = Facts(2, 3, Path(), guide), dict[int, bool]()

    def decide(flag: int) -> bool:
        if flag not in decided:
            decided[flag] = cases.next()
        return decided[flag]

    facts.words.decide = decide
    return facts


def _arguments(source: Source, facts: Facts, name: str) -> list[Any]:
    """Return unknown numbers for the parameters that are numbers, the same ones for both forms."""
    program, arguments = Program(source, facts), list[Any]()
    for at, parameter in enumerate(source.functions[name].decl.type.args.params):
        kind = program.type(parameter.type)
        if isinstance(kind, Integer) and not kind.is_signed:
            greatest = 1 if kind.bits == 8 else kind.greatest
            arguments.append(Number(kind, facts.shared(f"argument {at}", greatest)))
        elif isinstance(kind, Reference) and isinstance(kind.to, Integer):
            block = program.new_block(parameter.name, kind.to, 1)
            arguments.append(Pointer(block, facts.words.constant(0)))
        else:
            raise ProofError("this parameter is not supported")
    return arguments


def _results(program: Program, name: str, arguments: list[Any]) -> list[Any]:
    """Return the polynomials that a function returns and stores."""
    returned = program.call(name, arguments)
    stored = [a.block.load(a.offset, program.facts) for a in arguments if isinstance(a, Pointer)]
    numbers = [number for number in (returned, *stored) if number is not None]
    if not all(isinstance(number, Number) and isinstance(number.value, Value) for number in numbers):
        raise ProofError("a result is not supported")
    return [number.value.polynomial for number in numbers]
