"""Constants of Barrett, Montgomery and Shoup: definitions, what they are for, published values."""

from __future__ import annotations

import random

import pytest

from momagen.params import barrett_mu, default_prime, known_fields, montgomery, shoup

WIDTHS = [16, 64, 128, 256, 768]


@pytest.mark.parametrize("width", WIDTHS)
def test_barrett_mu_is_the_floor(width: int) -> None:
    q = default_prime(width, 4)
    mu = barrett_mu(q, 2 * width)
    assert mu * q <= 2 ** (2 * width) < (mu + 1) * q


@pytest.mark.parametrize("width", WIDTHS)
def test_montgomery_reduces(width: int) -> None:
    rng, q, radix = random.Random(width), default_prime(width, 4), 2**width
    constants = montgomery(q, width)
    assert 0 <= constants.r < q and 0 <= constants.r2 < q
    assert (constants.r - radix) % q == 0 and (constants.r2 - radix**2) % q == 0
    assert constants.qinv * q % radix == 1 and constants.neg_qinv + constants.qinv == radix
    for x in (0, q * q - 1, *(rng.randrange(q * q) for _ in range(50))):
        quotient, rest = divmod(x + x * constants.neg_qinv % radix * q, radix)
        assert rest == 0 and (quotient * radix - x) % q == 0


def test_montgomery_constants_of_bls12_381() -> None:
    """Limbs as published in zkcrypto's bls12_381, scalar.rs (R, R2, INV)."""
    constants = montgomery(known_fields()["bls12-381-r"].modulus, 256)
    assert constants.r == 0x1824B159ACC5056F_998C4FEFECBC4FF5_5884B7FA00034802_00000001FFFFFFFE
    assert constants.r2 == 0x0748D9D99F59FF11_05D314967254398F_2B6CEDCB87925C23_C999E990F3F29C6D
    assert constants.neg_qinv % 2**64 == 0xFFFFFFFEFFFFFFFF


@pytest.mark.parametrize("width", WIDTHS)
def test_shoup_quotient_is_off_by_at_most_one(width: int) -> None:
    rng, q = random.Random(width), default_prime(width, 4)
    for w in (0, 1, q - 1, rng.randrange(q)):
        quotient = shoup(w, q, width)
        assert quotient * q <= w << width < (quotient + 1) * q and quotient < 2**width
        for x in (0, 2**width - 1, rng.randrange(2**width)):
            assert 0 <= w * x - (quotient * x >> width) * q < 2 * q
