"""Automorphisms a(x) to a(x^g), g odd, of polynomials modulo x^n + 1 or x^n - 1, folded into transforms as a root.

At w^e the value of a(x^g) is a(w^(g·e)), which is that of a at (w^g)^e; and w^g has the order of w, a power of two, as
g is odd. So the transform with w^g for w gives the values of a(x^g), and the inverse one with w^(1/g), where 1/g is
modulo that order, makes the coefficients of a(x^g) of the values of a. All tables come of the root: a transform with
an automorphism costs what one without costs, in every data flow and on every target.
"""

from __future__ import annotations

from momagen.errors import MomagenError, build_error


def check_automorphism(g: int, coset: int = 0, degree: int = 1) -> None:
    """Refuse an automorphism where there is none.

    Raises:
        MomagenError: another kernel than a transform, an even g, or a transform on a coset, or to remainders.
    """
    if g == 1:
        return
    if g % 2 == 0:
        raise MomagenError("an odd number", g, "automorphism")
    if coset:
        problem = "`automorphism` cannot be combined with `coset`, because automorphisms move the coset"
        raise build_error(problem, "automorphism", "omit one of the two")
    if degree > 1:
        problem = "`automorphism` cannot be combined with `depth`, because automorphisms need a complete transform"
        raise build_error(problem, "automorphism", "omit one of the two")


def undone(g: int, order: int) -> int:
    """H such that x to x^h undoes x to x^g, for roots of that order."""
    return pow(g, -1, order)
