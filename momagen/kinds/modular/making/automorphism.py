"""Automorphisms a(x) to a(x^g), g odd, of polynomials modulo x^n + 1 or x^n - 1, folded into transforms as a root.

At w^e the value of a(x^g) is a(w^(g·e)), which is that of a at (w^g)^e; and w^g has the order of w, a power of two, as
g is odd. So the transform with w^g for w gives the values of a(x^g), and the inverse one with w^(1/g), where 1/g is
modulo that order, makes the coefficients of a(x^g) of the values of a. All tables come of the root: a transform with
an automorphism costs what one without costs, in every data flow and on every target.
"""

from __future__ import annotations

from momagen.errors import MomagenError


def check_automorphism(g: int) -> None:
    """Refuse an even g, for which x to x^g is no automorphism."""
    if g % 2 == 0:
        raise MomagenError("an odd number", g, "automorphism")


def undone(g: int, order: int) -> int:
    """H such that x to x^h undoes x to x^g, for roots of that order."""
    return pow(g, -1, order)
