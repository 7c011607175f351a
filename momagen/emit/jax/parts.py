"""The parts of a module that depend on the kernel: functions, the lines that call them, and the lines of tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from momagen.lower.arrays.codelets import ONE, DerivedConstant

from .constants import derived_text

Lines = list[str]
"""Lines of Python."""


class Stored(NamedTuple):
    """A line of ``create`` that stores numbers in the tables.

    Attributes:
        name: The name of the table.
        numbers: The Python expression of the numbers.
        shape: The shape of the table.
        words: The number of 32-bit words of each number.
    """

    name: str
    numbers: str
    shape: Sequence[int]
    words: int

    def __str__(self) -> str:
        return f't["{self.name}"] = {self.numbers}'


Tables = Sequence[str | Stored]
"""Lines of ``create`` that compute tables."""


def shapes(lines: Tables) -> dict[str, tuple[tuple[int, ...], int]]:
    """Return the shape and the number of words of each table of numbers, in the order in which words are packed."""
    return {one.name: (tuple(one.shape), one.words) for one in lines if isinstance(one, Stored)}


@dataclass
class ModuleParts:
    """The parts of a module that depend on the kernel.

    Attributes:
        functions: The lines of the functions of transforms, by name.
        body: The lines of the function that computes the kernel.
        tables: The lines of ``create`` that compute tables.
        late: The expressions of constants that each call derives from scalars, by name.
        shifts: Whether ``create`` shifts shorter moduli.
    """

    functions: dict[str, Lines] = field(default_factory=dict)
    body: Lines = field(default_factory=list)
    tables: Tables = field(default_factory=list)
    late: dict[str, str] = field(default_factory=dict)
    shifts: bool = False


def made_of(one: DerivedConstant, of: str) -> str:
    """Return the expression of a constant that is derived from the expression ``of``."""
    return derived_text(one.op, one.k, of) if one.op else of


def kept(constants: Iterable[DerivedConstant]) -> list[Stored]:
    """Return the lines of ``create`` for constants that are derived from q or from the number 1."""
    found = {one.key: one for one in constants}
    texts = {name: made_of(one, {ONE: "1"}.get(one.of, one.of)) for name, one in found.items()}
    return [Stored(name, f"[{text}]", (), found[name].words) for name, text in texts.items()]


def called(name: str, operands: Sequence[str], constants: Iterable[DerivedConstant], late: Iterable[str] = ()) -> str:
    """Return the call of a codelet.

    Args:
        name: The name of the codelet.
        operands: Its operands.
        constants: Its constants.
        late: The names of constants that each call derives from scalars; the other ones are in the tables.
    """
    late = set(late)
    more = [one.input if one.input in late else f't["{one.input}"]' for one in constants]
    return f"{name}({', '.join([*operands, *more])})"
