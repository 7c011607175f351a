"""a(x^g) by definition, for tests of what moves residues."""

from __future__ import annotations


def moved(a: list[int], g: int, negacyclic: bool, q: int) -> list[int]:
    """a(x^g) modulo q, one coefficient after another: x^n is -1 where ``negacyclic``, else 1."""
    found = [0] * len(a)
    for i, c in enumerate(a):
        turns, place = divmod(i * (g % (2 * len(a))), len(a))
        found[place] += -c if negacyclic and turns % 2 else c
    return [c % q for c in found]
