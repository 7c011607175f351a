"""The steps of a certificate: calls of the checker's rules, written as values of JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gmpy2 import mpq

from momagen.prove.checker import ProofError
from momagen.prove.polynomial import quotient_by, scaled

if TYPE_CHECKING:
    from momagen.prove.checker import Checker
    from momagen.prove.polynomial import Polynomial

RULES = {
    "identity": "p",
    "substitute": "sem",
    "scale": "sc",
    "shift": "sp",
    "derive": "s",
    "idempotent": "v",
    "odd_square": "",
    "enclose": "s",
    "meet": "ssc",
    "cancel": "sss",
    "whole": "s",
    "narrow": "vs",
    "vanish": "s",
    "name": "ls",
    "contradict": "s",
    "by_cases": "vss",
}
"""The kinds of the arguments of each rule, by the initials of the kinds in ``KINDS``."""
KINDS = ("statement", "equation", "multiplier of the equation", "polynomial", "coefficient", "variable", "label")
FACTS = {"derive", "idempotent", "odd_square", "vanish", "name"}
"""The rules that add an equation; its number is the result, or the last part of it."""


def write_polynomial(polynomial: Polynomial) -> list[list[Any]]:
    """Return a polynomial as a list of terms: the coefficient, then the variables."""
    return [[write_coefficient(c), *monomial] for monomial, c in polynomial.items()]


def write_coefficient(coefficient: Any) -> int | str:
    """Return an integer, or a fraction as a text."""
    return int(coefficient) if coefficient.denominator == 1 else str(coefficient)


def read_polynomial(terms: Any, checker: Checker) -> Polynomial:
    """Return a polynomial in variables that exist, with sorted monomials and coefficients that are not 0."""
    if not isinstance(terms, list):
        raise ProofError("the certificate contains no polynomial where one is expected")
    found: Polynomial = {}
    for term in terms:
        if not isinstance(term, list) or not term:
            raise ProofError("the certificate contains an empty term")
        monomial = tuple(read_number(v, len(checker.variables)) for v in term[1:])
        coefficient = read_coefficient(term[0])
        if not coefficient or monomial in found or monomial != tuple(sorted(monomial)):
            raise ProofError("the certificate contains a polynomial that is not in its normal form")
        found[monomial] = coefficient
    return found


def read_coefficient(given: Any) -> Any:
    """Return a coefficient: an integer or a fraction."""
    if type(given) is int:
        return given
    if type(given) is not str:
        raise ProofError("the certificate contains a coefficient that is no integer and no fraction")
    try:
        return mpq(given)
    except (ValueError, ZeroDivisionError):
        raise ProofError(f"the certificate contains the coefficient {given!r}, which is no fraction") from None


def read_number(given: Any, end: int) -> int:
    """Return a number from 0 to ``end - 1``."""
    if type(given) is not int or not 0 <= given < end:
        raise ProofError(f"the certificate contains {given!r} where a number below {end} is expected")
    return given


def write_multiplier(multiplier: Polynomial, polynomial: Polynomial, equation: Polynomial) -> Any:
    """Return the product of variables that a substitution eliminates from a polynomial, or else the multiplier."""
    for monomial in equation:
        if 0 < len(monomial) < 3 and _eliminating(monomial, polynomial, equation) == multiplier:
            return {"eliminate": list(monomial)}
    return write_polynomial(multiplier)


def read_multiplier(given: Any, polynomial: Polynomial, equation: Polynomial, checker: Checker) -> Polynomial:
    """Return what an equation is multiplied by; any polynomial is valid."""
    if not isinstance(given, dict):
        return read_polynomial(given, checker)
    monomial = tuple(given["eliminate"])
    if monomial not in equation:
        raise ProofError("the certificate eliminates a product that the equation does not contain")
    return _eliminating(monomial, polynomial, equation)


def _eliminating(monomial: tuple[int, ...], polynomial: Polynomial, equation: Polynomial) -> Polynomial:
    """Return the multiplier of an equation, for which their difference contains no multiple of a monomial."""
    factor = polynomial
    for variable in monomial:
        factor = quotient_by(factor, variable)
    return scaled(factor, mpq(1, equation[monomial]))
