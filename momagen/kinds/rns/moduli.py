"""Checks of the moduli of an RNS basis."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import gcd

from momagen.errors import MomagenError
from momagen.params.primes import MAX_MODULI


def check_basis(moduli: Sequence[int], name: str, odd: bool = True) -> None:
    """Reject moduli that share factors, even moduli if they must be ``odd``, and what :func:`check_moduli` rejects."""
    check_moduli(moduli, name, odd)
    _check_coprime(moduli, name)


def check_moduli(moduli: Sequence[int], name: str, odd: bool) -> None:
    """Reject too many moduli or none, moduli below 2, and even moduli if they must be ``odd``."""
    check = check_modulus if odd else _check_any_modulus
    _check_number(moduli, name)
    for at, q in enumerate(moduli):
        check(q, f"{name}[{at}]")


def _check_number(moduli: Sequence[int], name: str) -> None:
    if not 1 <= len(moduli) <= MAX_MODULI:
        raise MomagenError(f"1 to {MAX_MODULI} moduli", len(moduli), name)


def _check_any_modulus(q: int, where: str) -> None:
    if q < 2:
        raise MomagenError("a number of at least 2", q, where)


def check_modulus(q: int, where: str) -> None:
    """Reject even moduli, and 1."""
    if q < 3 or q % 2 == 0:
        raise MomagenError("an odd number of at least 3", q, where)


def _check_coprime(moduli: Sequence[int], name: str) -> None:
    for one, other in combinations(moduli, 2):
        if gcd(one, other) > 1:
            raise MomagenError("pairwise coprime moduli", f"{one} and {other}", name)
