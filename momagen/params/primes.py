"""Prime moduli: the primality test, the default prime for a width and a transform size, and checks of moduli."""

from __future__ import annotations

from functools import cache
from itertools import count, islice

import gmpy2

from momagen.errors import MomagenError

MAX_BITS = 2048  # of a modulus
MAX_SIZE = 2**63  # of a transform
MAX_MODULI = 4095  # of a residue number system
MAX_BASIS_BITS = MAX_MODULI * 64  # of all moduli that are searched together: more take hours
HEADROOM = 4  # bits of the width above the modulus: Barrett's lazy quotient needs them


def is_prime(q: int) -> bool:
    """Return whether ``q`` is prime, by GMP's Baillie–PSW test, which no known composite number passes."""
    return q > 1 and bool(gmpy2.is_prime(q))


def is_power_of_two(n: int) -> bool:
    """Return whether n = 2^k for some k ≥ 0."""
    return n > 0 and n & (n - 1) == 0


@cache
def default_prime(bits: int, n: int, negacyclic: bool = False) -> int:
    """Return the largest prime q < 2^(bits-4) with 2n | q - 1.

    Args:
        bits: The width of the container, at most 2052; the modulus leaves the top four bits free.
        n: The number of points, a power of two up to 2^63; 1 if there is no transform.
        negacyclic: Whether the ring is the negacyclic one. The result is the same, because 2n | q - 1 lets one prime
            serve both rings.

    Raises:
        MomagenError: ``bits`` or ``n`` is out of range, or there is no such prime; the message states the smallest
            container that has one.
    """
    if not is_power_of_two(n) or n > MAX_SIZE:
        raise MomagenError("a power of two from 1 to 2^63", n, "n")
    if bits > MAX_BITS + HEADROOM:
        raise MomagenError(f"at most {MAX_BITS + HEADROOM} bits", bits, "bits")
    if q := _largest_prime(max(bits - HEADROOM, 0), n):
        return q
    fewest = _fewest_bits(n) + HEADROOM
    raise MomagenError(
        f"at least {fewest} bits for n = {n}", bits, "bits", "q is below 2^(bits-4), and 2n must divide q - 1"
    )


def prime_of(bits: int, n: int) -> int:
    """Return the largest prime q of exactly ``bits`` bits with 2n | q - 1; n is as for :func:`default_prime`.

    Raises:
        MomagenError: ``bits`` is not from 2 to 2048, or there is no such prime; the message states the smallest width
            that has one.
    """
    where, hint = "modulus_bits", "2n must divide q - 1"
    if not 2 <= bits <= MAX_BITS:
        raise MomagenError(f"between 2 and {MAX_BITS} bits", bits, where)
    q = _largest_prime(bits, n)
    if not q:
        raise MomagenError(f"at least {_fewest_bits(n)} bits for n = {n}", bits, where, hint)
    if q.bit_length() != bits:
        raise MomagenError(f"the length of some prime modulus for n = {n}", bits, where, hint)
    return q


def prime_basis(count: int, bits: int, n: int) -> tuple[int, ...]:
    """Return the ``count`` largest primes below 2^bits with 2n | q - 1, the largest first, as an RNS basis.

    Raises:
        MomagenError: ``count`` is not from 1 to 4095, ``bits`` is not from 2 to 2048, or there are fewer such primes of
            this width.
    """
    if not 2 <= bits <= MAX_BITS:
        raise MomagenError(f"between 2 and {MAX_BITS} bits", bits, "modulus_bits")
    if not 1 <= count <= (most := min(MAX_MODULI, MAX_BASIS_BITS // bits)):
        raise MomagenError(f"from 1 to {most} moduli of {bits} bits", count, "moduli")
    top = (1 << bits) - 1
    found = list(islice(filter(is_prime, range(top - (top - 1) % (2 * n), 1 << bits - 1, -2 * n)), count))
    if len(found) < count:
        raise MomagenError(f"at most {len(found)} primes of {bits} bits for n = {n}", count, "moduli")
    return tuple(found)


def _largest_prime(bits: int, n: int) -> int:
    """Return the largest prime q < 2^bits with 2n | q - 1, or 0 if there is none."""
    top = (1 << bits) - 1
    return next((q for q in range(top - (top - 1) % (2 * n), 1, -2 * n) if is_prime(q)), 0)


def _fewest_bits(n: int) -> int:
    """Return the width of the smallest prime q with 2n | q - 1."""
    return next(q for q in count(2 * n + 1, 2 * n) if is_prime(q)).bit_length()


def check_modulus(q: int, where: str = "modulus", *, odd: bool = True) -> None:
    """Check that 1 < q < 2^2048 and, if ``odd`` is true, that q is odd, as Montgomery reduction requires.

    Raises:
        MomagenError: q is too small, too large or even; the message says which.
    """
    if fault := _modulus_fault(q, odd):
        raise MomagenError(
            f"{'an odd modulus' if odd else 'a modulus of at least 2 and'} below 2^{MAX_BITS}", fault, where
        )


def _modulus_fault(q: int, odd: bool) -> str:
    """Return a description of an invalid modulus, or ""."""
    if q.bit_length() > MAX_BITS and q > 0:
        return f"one of {q.bit_length()} bits"
    if q <= 1 + odd:
        return f"{q}, which is too small" if q.bit_length() <= MAX_BITS else "a negative number"
    return f"the even number {q}" if odd and q % 2 == 0 else ""
