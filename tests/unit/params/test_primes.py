"""Default primes and the check of a modulus, against the definitions."""

from __future__ import annotations

import pytest
import sympy

from momagen.errors import MomagenError
from momagen.params import check_modulus, default_prime, is_prime, known_fields


def test_is_prime_small() -> None:
    assert [q for q in range(-5, 2000) if is_prime(q)] == list(sympy.primerange(2000))


@pytest.mark.parametrize("q", [561, 2047, 3215031751, 341550071728321, (2**61 - 1) ** 2, 2**67 - 1])
def test_pseudoprimes_are_composite(q: int) -> None:
    assert not is_prime(q)


def _largest(bits: int, n: int) -> int | None:
    return max((q for q in sympy.primerange(2, 2 ** max(bits - 4, 0)) if q % (2 * n) == 1), default=None)


@pytest.mark.parametrize("n", [1, 2, 4, 16, 64, 256, 1024])
@pytest.mark.parametrize("bits", range(4, 19))
def test_default_prime_is_the_largest(bits: int, n: int) -> None:
    if expected := _largest(bits, n):
        assert default_prime(bits, n) == expected
    else:
        fewest = next(b for b in range(bits, 40) if _largest(b, n))
        with pytest.raises(MomagenError, match=rf"^bits: expected at least {fewest} bits for n = {n}, got {bits} "):
            default_prime(bits, n)


@pytest.mark.parametrize("n", [1, 4096, 2**22])
@pytest.mark.parametrize("bits", [64, 128, 256, 384, 768, 1024, 2052])
def test_default_prime_at_width(bits: int, n: int) -> None:
    q = default_prime(bits, n)
    assert q < 2 ** (bits - 4) and q % (2 * n) == 1 and sympy.isprime(q)
    assert default_prime(bits, n, negacyclic=True) == q
    gap = range(q + 2 * n, 2 ** (bits - 4), 2 * n)
    assert not any(sympy.isprime(larger) for larger in gap[:50])


def test_default_prime_of_116_bits_for_fhe() -> None:
    q = default_prime(120, 2**14)
    assert q.bit_length() == 116 and (q - 1) % 2**15 == 0


def test_check_modulus_accepts_odd_numbers() -> None:
    for q in (3, 5, 91, 65537, 2**67 - 1, 2**521 - 1, *(field.modulus for field in known_fields().values())):
        check_modulus(q)
