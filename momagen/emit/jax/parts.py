"""What a module has of one kernel: its functions, the lines that run them, and those of its tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from momagen.lower.arrays.codelets import ONE, DerivedConstant

from .constants import derived_text

Lines = list[str]


class Stored(NamedTuple):
    """A line of create that puts numbers into tables: so many ``words`` of 32 bits for each."""

    name: str
    numbers: str
    shape: Sequence[int]
    words: int

    def __str__(self) -> str:
        return f't["{self.name}"] = {self.numbers}'


Tables = Sequence[str | Stored]
"""Lines of create."""


def shapes(lines: Tables) -> dict[str, tuple[tuple[int, ...], int]]:
    """Of all numbers, in the order in which their words are packed: a shape, and how many words each has."""
    return {one.name: (tuple(one.shape), one.words) for one in lines if isinstance(one, Stored)}


@dataclass
class ModuleParts:
    """Lines of a module.

    Attributes:
        functions: of transforms, by name. body: of the kernel. tables: of create. late: what comes of scalars with a
            call: names, and their texts. shifts: whether create shifts shorter moduli.
    """

    functions: dict[str, Lines] = field(default_factory=dict)
    body: Lines = field(default_factory=list)
    tables: Tables = field(default_factory=list)
    late: dict[str, str] = field(default_factory=dict)
    shifts: bool = False


def made_of(one: DerivedConstant, of: str) -> str:
    """What a constant is, of a text."""
    return derived_text(one.op, one.k, of) if one.op else of


def kept(constants: Iterable[DerivedConstant]) -> list[Stored]:
    """Lines of create for constants of q, and of the number 1."""
    found = {one.key: one for one in constants}
    texts = {name: made_of(one, {ONE: "1"}.get(one.of, one.of)) for name, one in found.items()}
    return [Stored(name, f"[{text}]", (), found[name].words) for name, text in texts.items()]


def called(name: str, operands: Sequence[str], constants: Iterable[DerivedConstant], late: Iterable[str] = ()) -> str:
    """A call of an element-wise codelet."""
    late = set(late)
    more = [one.input if one.input in late else f't["{one.input}"]' for one in constants]
    return f"{name}({', '.join([*operands, *more])})"
