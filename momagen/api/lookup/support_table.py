"""Tables of what targets support: all kinds with representative values of their parameters and options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from momagen.kinds.kind import Kind
from momagen.kinds.support import Support, supports

MACHINES = ("c", "avx2", "avx512", "avx512ifma", "cuda", "jax", "jax_tpu", "python", "b512")
"""The targets of tables for all targets, one for each kind of machine."""


@dataclass(frozen=True)
class SupportRow:
    """A kernel, and the answers of targets.

    Attributes:
        kind: The name of the kind.
        values: The values that differ from the values of the kind's representative kernel.
        answers: The answers by the names of the targets.
    """

    kind: str
    values: Mapping[str, object]
    answers: Mapping[str, Support]

    @property
    def label(self) -> str:
        """The values, as calls write them; "" if there are none."""
        return ", ".join(f"{name}={value}" for name, value in self.values.items())


def support_rows(known: Mapping[str, Kind], targets: Sequence[str], *, options: bool = True) -> Iterator[SupportRow]:
    """Yield the rows of a table; a kind that no target supports has one row.

    Args:
        known: The kinds by name.
        targets: The names of the targets.
        options: Whether options have rows; each has one for the first kind of a family that has the option.
    """
    seen = set[tuple[object, str]]()
    for name, kind in known.items():
        for values in ({}, *kind.samples()):
            key = _family(name, kind, values), str(values)
            if key in seen or (not options and not values.keys() <= kind.parameters.keys()):
                continue
            seen.add(key)
            row = SupportRow(name, values, {target: _answer(kind, values, target) for target in targets})
            yield row
            if not values and not any(row.answers.values()):
                break


def supported_kinds(kind: Kind) -> Mapping[str, Support]:
    """Return the answers for the representative kernel of a kind by the names of the targets ``MACHINES``."""
    return {target: _answer(kind, {}, target) for target in MACHINES}


def _answer(kind: Kind, values: Mapping[str, object], target: str) -> Support:
    """Return whether a target supports the representative kernel of a kind with other values."""
    return supports(kind.name, kind.command.completed({**kind.sample, **values}), target)


def _family(name: str, kind: Kind, values: Mapping[str, object]) -> object:
    """Return what distinguishes the rows for these values: the kind, or for options whether kernels have points."""
    if not values:
        return name
    return kind.command_words[0] if values.keys() <= kind.parameters.keys() else "n" in kind.parameters
