"""Automorphisms from a(x) to a(x^g) for odd g, of polynomials modulo x^n + 1 or x^n - 1, as other roots of transforms.

The value of a(x^g) at w^e is a(w^(g·e)), which is the value of a at (w^g)^e. The order of w^g is that of w, a
power of two, because g is odd. The forward transform with the root w^g therefore computes the values of
a(x^g). The inverse transform with the root w^(1/g), where 1/g is modulo the order, computes the coefficients
of a(x^g) from the values of a. Only the tables depend on the root, so an automorphism costs nothing in any
data flow on any target.
"""

from __future__ import annotations

from momagen.errors import MomagenError


def check_automorphism(g: int) -> None:
    """Check that g is odd, since x to x^g is no automorphism otherwise.

    Raises:
        MomagenError: The number is even.
    """
    if g % 2 == 0:
        raise MomagenError("an odd number", g, "automorphism")


def undone(g: int, order: int) -> int:
    """Return h such that the automorphism from x to x^h is the inverse of that to x^g, for roots of this order."""
    return pow(g, -1, order)
