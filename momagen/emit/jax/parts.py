"""What a module has of one kernel: its functions, the lines that run them, and those of its tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from momagen.lower.arrays.codelets import ONE, DerivedConstant

from .constants import derived_text

Lines = list[str]


@dataclass
class ModuleParts:
    """Lines of a module.

    Attributes:
        functions: of transforms, by name. body: of the kernel. tables: of create. late: what comes of scalars with a
            call: names, and their texts. shifts: whether create shifts shorter moduli.
    """

    functions: dict[str, Lines] = field(default_factory=dict)
    body: Lines = field(default_factory=list)
    tables: Lines = field(default_factory=list)
    late: dict[str, str] = field(default_factory=dict)
    shifts: bool = False


def made_of(one: DerivedConstant, of: str) -> str:
    """What a constant is, of a text."""
    return derived_text(one.op, one.k, of) if one.op else of


def kept(constants: Iterable[DerivedConstant]) -> Lines:
    """Lines of create for constants of q, and of the number 1."""
    found = {one.input: one for one in constants}
    texts = {name: made_of(one, {ONE: "1"}.get(one.of, one.of)) for name, one in found.items()}
    return [f't["{name}"] = words([{text}], (), {found[name].words})' for name, text in texts.items()]


def called(name: str, operands: Sequence[str], constants: Iterable[DerivedConstant], late: Iterable[str] = ()) -> str:
    """A call of an element-wise codelet."""
    late = set(late)
    more = [one.input if one.input in late else f't["{one.input}"]' for one in constants]
    return f"{name}({', '.join([*operands, *more])})"
