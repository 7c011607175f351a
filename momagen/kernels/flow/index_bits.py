"""Permutations and diagonals of length 2^b by their action on the bits of the position.

Every permutation of the breakdown rules moves whole bits of the index, and every twiddle is a turn Σ c_S·Π_{b∈S} p_b
with at most two bits in a term: products of two fields of the index. So a permutation is one number a bit, and
permuting a diagonal renames its bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import combinations

from momagen.errors import MomagenError
from momagen.formula.atoms import Diagonal, Permutation

Order = tuple[int, ...]
"""A bit permutation: bit i of the position is bit order[i] of the position read."""

Phase = Mapping[frozenset[int], Fraction]
"""A diagonal: entry p is e(Σ of the turns whose bits are all set in p). Turns in (0, 1); what is 0 is left out."""


def order_of(permutation: Permutation) -> Order:
    """The bit permutation that ``permutation`` is; MomagenError where it is none."""
    bits = permutation.n.bit_length() - 1
    order = tuple(permutation.source(1 << b).bit_length() - 1 for b in range(bits))
    if sorted(order) != list(range(bits)) or any(permutation.source(p) != moved(order, p) for p in _sample(bits)):
        raise MomagenError("a permutation of index bits", permutation, "bits")
    return order


def phase_of(diagonal: Diagonal) -> Phase:
    """The turns of ``diagonal`` by bits; MomagenError where three bits meet in a term.

    A coefficient is what the angle has at its bits beyond the terms of fewer bits.
    """
    bits, phase = diagonal.size.bit_length() - 1, dict[frozenset[int], Fraction]()
    for some in (some for size in (0, 1, 2) for some in combinations(range(bits), size)):
        fewer = (frozenset(part) for size in range(len(some)) for part in combinations(some, size))
        known = sum((phase[part] for part in fewer if part in phase), Fraction(0))
        if t := (diagonal.angle(sum(1 << b for b in some)) - known) % 1:
            phase[frozenset(some)] = t
    if any((diagonal.angle(p) - turn(phase, p)) % 1 for p in _sample(bits)):
        raise MomagenError("a diagonal with at most two index bits in each term of its phase", diagonal, "bits")
    return phase


def moved(order: Order, position: int) -> int:
    """The position that ``position`` is read from."""
    return sum((position >> i & 1) << bit for i, bit in enumerate(order))


def inverted(order: Order) -> Order:
    """The permutation back."""
    return tuple(sorted(range(len(order)), key=order.__getitem__))


def turn(phase: Phase, position: int) -> Fraction:
    """The turn of one entry, in [0, 1)."""
    return sum((t for term, t in phase.items() if all(position >> b & 1 for b in term)), Fraction(0)) % 1


def product(*phases: Phase) -> Phase:
    """One diagonal after another."""
    total: dict[frozenset[int], Fraction] = {}
    for phase in phases:
        for term, t in phase.items():
            total[term] = total.get(term, Fraction(0)) + t
    return {term: t % 1 for term, t in total.items() if t % 1}


def renamed(phase: Phase, name: Callable[[int], int]) -> Phase:
    """Every bit b called name(b)."""
    return {frozenset(map(name, term)): t for term, t in phase.items()}


def _sample(bits: int) -> Iterable[int]:
    """Positions to check a form at: all if they are few, else the last and some spread by Knuth's multiplier 2^64/φ."""
    if bits <= 4:
        return range(1 << bits)
    return [(1 << bits) - 1, *((k * 0x9E3779B97F4A7C15 % (1 << 64)) >> (64 - bits) for k in range(1, 16))]
