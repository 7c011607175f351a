"""Mutations of schedules: for every value of a schedule's JSON, other values in its place."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from momagen.formula.breakdown import ALGORITHMS
from momagen.kernels.residues.reductions import SCHEMES
from momagen.kinds.modular.options.values import OPTIONS

OTHERS: Mapping[str, tuple[str, ...]] = {
    "memory": ("x", "y", "t", "shared", "limbs"), "layout": ("user", "lanes", "arrays", "limbs", "limbs with carries"),
    "constants": ("registers", "memory"), "twiddles": ("whole", "computed", "packed"),
    "decimation": ("time", "frequency"), "reduction": (*SCHEMES, *OPTIONS["sums"]), "algorithm": tuple(ALGORITHMS),
    "step": ("butterflies", "move"), "engine": ("int8", "float64", "int32"), "fold": ("", "int8", "float64"),
}  # fmt: skip
"""The texts that a field may contain."""


def mutations(value: Any, key: str = "") -> Iterator[Any]:
    """Yield other values in place of ``value`` and of each value in it, one change at a time.

    Numbers become larger, smaller and twice as large; texts become every other text of their field; neighbours in lists
    change places; and elements and keys are omitted, repeated or added.
    """
    match value:
        case bool():
            yield not value
        case int():
            yield from (value + 1, value - 1, 2 * value) if value else (1, -1)
        case str():
            yield from (other for other in OTHERS.get(key, ("1/3", "3/8", "5/8", "0")) if other != value)
        case list():
            yield from _of_list(value, key)
        case dict():
            for name, each in value.items():
                yield {other: kept for other, kept in value.items() if other != name}
                yield from ({**value, name: other} for other in mutations(each, name))
            yield {**value, "0": "1/2"}


def _of_list(value: list[Any], key: str) -> Iterator[Any]:
    """Yield other lists in place of ``value``."""
    for at in range(len(value) - 1):
        if value[at] != value[at + 1]:
            yield [*value[:at], value[at + 1], value[at], *value[at + 2 :]]
    if value:
        yield value[:-1]
    yield [*value, copy.deepcopy(value[-1]) if value else 0]
    for at, each in enumerate(value):
        yield from ([*value[:at], other, *value[at + 1 :]] for other in mutations(each, key))
