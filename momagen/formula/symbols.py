"""The names of leaves in the notation: NTT, iNTT, …, each with its class and arguments."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from momagen.errors import MomagenError

from .atoms import I, L, R, Scale, T
from .transforms import NTT, Ring


class LeafSymbol(NamedTuple):
    """A leaf's class, the fields that its arguments give, how many of them must be there, and fields of one value."""

    leaf: type[Any]
    fields: tuple[str, ...]
    required: int
    fixed: Mapping[str, object] = MappingProxyType({})


INVERSE = {"inverse": True}
SYMBOLS = {
    "I": LeafSymbol(I, ("n",), 1),
    "L": LeafSymbol(L, ("n", "k"), 2),
    "R": LeafSymbol(R, ("n", "radix"), 1),
    "Scale": LeafSymbol(Scale, ("n",), 1),
    "T": LeafSymbol(T, ("n", "k"), 2),
    "iT": LeafSymbol(T, ("n", "k"), 2, INVERSE),
    "NTT": LeafSymbol(NTT, ("n", "turn"), 1),
    "iNTT": LeafSymbol(NTT, ("n", "turn"), 1, INVERSE),
    "Ring": LeafSymbol(Ring, ("n", "turn"), 2),
    "iRing": LeafSymbol(Ring, ("n", "turn"), 2, INVERSE),
    "Rings": LeafSymbol(Ring, ("blocks", "n", "turn"), 3),
    "iRings": LeafSymbol(Ring, ("blocks", "n", "turn"), 3, INVERSE),
}


def check_leaf(name: str, arguments: int, ranged: bool, where: str) -> None:
    """Raise MomagenError unless there is a leaf of this name with so many arguments; only D takes a range."""
    symbol = SYMBOLS.get(name)
    if ranged:
        if name != "D" or arguments != 1:
            raise MomagenError("D[j=0..n−1](turn)", f"{name}[…] with {arguments} argument(s)", where)
    elif symbol is None:
        raise MomagenError(f"one of {', '.join(SYMBOLS)}, D[…]", name, where)
    elif not symbol.required <= arguments <= len(symbol.fields):
        raise MomagenError(f"{name}({', '.join(symbol.fields)})", f"{arguments} argument(s)", where)
