"""Permutations and diagonals of length 2^b, described by the bits of the position.

Every permutation in the breakdown rules moves whole bits of the index. Every twiddle is a turn Σ c_S·Π_{b∈S}
p_b with at most two bits in a term, since it comes from a product of two fields of the index. A permutation
is therefore one number for each bit, and permuting a diagonal renames its bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import combinations

from momagen.errors import MomagenError
from momagen.formula.atoms import Diagonal, Permutation

Order = tuple[int, ...]
"""A bit permutation: bit i of the position is bit order[i] of the position from which the value is read."""

Phase = Mapping[frozenset[int], Fraction]
"""A diagonal: entry p is e(the sum of the turns whose bits are all set in p). Turns are in (0, 1); zero turns
are omitted."""


def order_of(permutation: Permutation) -> Order:
    """Return the bit permutation that ``permutation`` is.

    Raises:
        MomagenError: The permutation does not move whole bits.
    """
    bits = permutation.n.bit_length() - 1
    order = tuple(permutation.source(1 << b).bit_length() - 1 for b in range(bits))
    if sorted(order) != list(range(bits)) or any(permutation.source(p) != moved(order, p) for p in _sample(bits)):
        raise MomagenError("a permutation of index bits", permutation, "bits")
    return order


def phase_of(diagonal: Diagonal) -> Phase:
    """Return the turns of ``diagonal`` by their bits.

    The coefficient of a set of bits is the angle at the position with these bits, minus the terms of fewer
    bits. Most diagonals need no pairs of bits, or only pairs with bit 0; other pairs are only read if the others do
    not suffice.

    Raises:
        MomagenError: A term has three bits.
    """
    bits, phase = diagonal.size.bit_length() - 1, dict[frozenset[int], Fraction]()
    sample, left = {p: diagonal.angle(p) for p in _sample(bits)}, [(), *((bit,) for bit in range(bits))]
    for first in range(bits + 1):
        for some in left:
            fewer = (frozenset(part) for size in range(len(some)) for part in combinations(some, size))
            known = sum((phase[part] for part in fewer if part in phase), Fraction(0))
            if t := (diagonal.angle(sum(1 << b for b in some)) - known) % 1:
                phase[frozenset(some)] = t
        if not any((angle - turn(phase, p)) % 1 for p, angle in sample.items()):
            return phase
        left = [(first, bit) for bit in range(first + 1, bits)]
    raise MomagenError("a diagonal with at most two index bits in each term of its phase", diagonal, "bits")


def moved(order: Order, position: int) -> int:
    """Return the position from which the value at ``position`` is read."""
    return sum((position >> i & 1) << bit for i, bit in enumerate(order))


def inverted(order: Order) -> Order:
    """Return the inverse permutation."""
    return tuple(sorted(range(len(order)), key=order.__getitem__))


def turn(phase: Phase, position: int) -> Fraction:
    """Return the turn of one entry, in [0, 1)."""
    return sum((t for term, t in phase.items() if all(position >> b & 1 for b in term)), Fraction(0)) % 1


def product(*phases: Phase) -> Phase:
    """Return the product of diagonals."""
    total: dict[frozenset[int], Fraction] = {}
    for phase in phases:
        for term, t in phase.items():
            total[term] = total.get(term, Fraction(0)) + t
    return {term: t % 1 for term, t in total.items() if t % 1}


def renamed(phase: Phase, name: Callable[[int], int]) -> Phase:
    """Return the diagonal in which every bit b is called name(b)."""
    return {frozenset(map(name, term)): t for term, t in phase.items()}


def _sample(bits: int) -> Iterable[int]:
    """Return positions at which a form is checked.

    These are all positions if there are few, and otherwise the last one and some that are distributed by
    Knuth's multiplier 2^64/φ.
    """
    if bits <= 4:
        return range(1 << bits)
    return [(1 << bits) - 1, *((k * 0x9E3779B97F4A7C15 % (1 << 64)) >> (64 - bits) for k in range(1, 16))]
