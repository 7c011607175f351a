"""Comparisons of x with a bound, under HEXL's names (its CMPINT): what they say, on integers and as operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from momagen.ir import Builder, Value, const


class Compare(NamedTuple):
    """One comparison.

    Attributes:
        text: in C. holds: whether it is so. flag: the same for an operation's width, as a flag.
    """

    text: str
    holds: Callable[[int, int], bool]
    flag: Callable[[Builder, int, Value, Value], Value]


COMPARES = {
    "eq": Compare("x == bound", lambda x, b: x == b, lambda m, w, x, b: m.one("eq", w, x, b)),
    "lt": Compare("x < bound", lambda x, b: x < b, lambda m, w, x, b: m.one("lt", w, x, b)),
    "le": Compare("x <= bound", lambda x, b: x <= b, lambda m, w, x, b: m.one("le", w, x, b)),
    "ne": Compare("x != bound", lambda x, b: x != b, lambda m, w, x, b: m.one("not", 1, m.one("eq", w, x, b))),
    "nlt": Compare("x >= bound", lambda x, b: x >= b, lambda m, w, x, b: m.one("le", w, b, x)),
    "nle": Compare("x > bound", lambda x, b: x > b, lambda m, w, x, b: m.one("lt", w, b, x)),
    "true": Compare("1", lambda x, b: True, lambda m, w, x, b: const(1, "flag")),
    "false": Compare("0", lambda x, b: False, lambda m, w, x, b: const(0, "flag")),
}
DEFAULT = "nle"
"""Centring, the main use of both kernels: residues above q/2 stand for negative numbers."""
