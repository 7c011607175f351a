"""The values of polynomials at all powers of a root of unity, by their definition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from momagen.prove.transforms.field import RandomField


def values_at_all(is_negacyclic: bool, polynomial: list[Any], field: RandomField) -> list[Any]:
    """Return the values of a polynomial at root^j or, for a negacyclic ring, at root^(2 * j + 1), for each j < n."""
    if not is_negacyclic:
        return _values(polynomial, field.root, field.prime)
    power, turned = 1, []
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
    power, low, high = 1, [], []
    for e, o in zip(even, odd, strict=True):
        low.append((e + power * o) % prime)
        high.append((e - power * o) % prime)
        power = power * root % prime
    return low + high
