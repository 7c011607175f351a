"""Definitions of transforms and of products of polynomials, in a prime field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gmpy2 import invert, mpz, powmod

if TYPE_CHECKING:
    from momagen.prove.transforms.field import RandomField


def are_values(field: RandomField, coefficients: list[Any], values: list[Any], powers: list[int]) -> bool:
    """Return whether values are those of a polynomial at powers of the root, except with a negligible probability.

    Values v[j] at the powers root^e[j] of coefficients c[i] satisfy, for every t,

        sum over j of v[j] * t^e[j] = sum over i of c[i] * sum over j of (t * root^i)^e[j],

    and for a random t, other values satisfy it with a negligible probability only. The exponents must be 0, 1, 2, …
    or 1, 3, 5, … in some order, so that the inner sum is a geometric series.

    Args:
        field: The field, with the root.
        coefficients: The coefficients of the polynomial.
        values: The values.
        powers: The exponents e.
    """
    p, n, t = field.prime, len(coefficients), field.element()
    is_negacyclic = min(powers) == 1
    left = sum(v * powmod(t, e, p) for v, e in zip(values, powers, strict=True)) % p
    right, step = mpz(0), 2 if is_negacyclic else 1
    for i, c in enumerate(coefficients):
        base = t * powmod(field.root, i, p) % p
        ratio = powmod(base, step, p)
        series = (powmod(ratio, n, p) - 1) * invert(ratio - 1, p)
        right += c * (series * base if is_negacyclic else series)
    return not (left - right) % p


def interpolated(field: RandomField, values: list[Any], root: Any) -> list[Any]:
    """Return the n coefficients of the polynomial with these n values at the powers of a root of order n."""
    factor = invert(len(values), field.prime)
    found = _values(values, invert(root, field.prime), field.prime)
    return [coefficient * factor % field.prime for coefficient in found]


def moved(field: RandomField, polynomial: list[Any], g: int, is_negacyclic: bool) -> list[Any]:
    """Return the coefficients of a(X^g) modulo X^n + 1 or X^n - 1 for a polynomial a of n coefficients and an odd g."""
    n = len(polynomial)
    found = [mpz(0)] * n
    for i, coefficient in enumerate(polynomial):
        turns, place = divmod(i * g, n)
        found[place] += -coefficient if is_negacyclic and turns % 2 else coefficient
    return [coefficient % field.prime for coefficient in found]


def product_modulo(field: RandomField, x: list[Any], y: list[Any], z: Any) -> list[Any]:
    """Return the coefficients of the product of two polynomials modulo X^d - z, where d is the length of each."""
    d = len(x)
    found = [mpz(0)] * d
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            found[(i + j) % d] += a * b * (z if i + j >= d else 1)
    return [coefficient % field.prime for coefficient in found]


def values_at_all(field: RandomField, polynomial: list[Any], is_negacyclic: bool) -> list[Any]:
    """Return the values of a polynomial at root^j or, for a negacyclic ring, at root^(2 * j + 1), for each j < n."""
    if not is_negacyclic:
        return _values(polynomial, field.root, field.prime)
    power, turned = mpz(1), []
    for coefficient in polynomial:
        turned.append(coefficient * power % field.prime)
        power = power * field.root % field.prime
    return _values(turned, field.root**2 % field.prime, field.prime)


def _values(polynomial: list[Any], root: Any, prime: Any) -> list[Any]:
    """Return P(root^j) for each j, for a root whose order is the number of coefficients.

    P(X) is E(X^2) + X * O(X^2), where E has the even coefficients and O the odd ones.
    """
    if len(polynomial) == 1:
        return polynomial
    even, odd = (_values(polynomial[start::2], root * root % prime, prime) for start in (0, 1))
    power, low, high = mpz(1), [], []
    for e, o in zip(even, odd, strict=True):
        low.append((e + power * o) % prime)
        high.append((e - power * o) % prime)
        power = power * root % prime
    return low + high
