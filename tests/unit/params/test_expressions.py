"""Integer expressions and the table of well-known primes."""

from __future__ import annotations

import random

import gmpy2
import pytest

from momagen.params import known_fields, parse_integer

VALUES = {
    "0": 0,
    "007": 7,
    "1_000_003": 1000003,
    "0xFFff_ffff_0000_0001": 18446744069414584321,
    "0X_1f": 31,
    "0b1011": 11,
    " 2 ^ 255 - 19 ": 57896044618658097711785492504343953926634992332820282019728792003956564819949,
    "2**255-19": 57896044618658097711785492504343953926634992332820282019728792003956564819949,
    "(2^64-2^32)+1": 18446744069414584321,
    "2^2^3": 256,
    "-2^2": -4,
    "(-2)^3": -8,
    "--5": 5,
    "+5": 5,
    "2-3-4": -5,
    "2+3*4": 14,
    "2*3^2": 18,
    "-3*2": -6,
    "1<<64-1": 1 << 63,
    "(1<<64)-59": 18446744073709551557,
    "1<<2<<3": 32,
    "0^0": 1,
    "(-1)^(2^4000+1)": -1,
    "2^4096-1": 2**4096 - 1,
    "goldilocks": 18446744069414584321,
    "bls12-381-r-1": 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000000,
    "-curve25519+2^255": 19,
    "secp256k1-p-secp256k1-p": 0,
}


@pytest.mark.parametrize("text", VALUES)
def test_value(text: str) -> None:
    assert parse_integer(text) == VALUES[text]


def _random_expression(rng: random.Random, depth: int) -> str:
    if depth == 0:
        return rng.choice(["7", "0x1F", "12_3", "0"])
    left, right = (_random_expression(rng, depth - 1) for _ in range(2))
    forms = "({0})", "-{0}", "{0} + {1}", "{0}-{1}", "{0}*{1}", "({0} << 2)", "({0} << 1+2)", "({0})**2", "{0}**2"
    return rng.choice(forms).format(left, right)


def test_precedence_is_pythons() -> None:
    rng = random.Random(1)
    for _ in range(500):
        text = _random_expression(rng, rng.randrange(4))
        plain = text.replace("0x1F", "31").replace("12_3", "123")
        assert parse_integer(text) == eval(plain), text  # our own text: digits and operators only
        assert parse_integer(text.replace("**", "^")) == parse_integer(text)


def test_a_long_flat_sum_is_not_nested() -> None:
    assert parse_integer("1" + "+1" * 2000) == 2001


TWO_ADICITY = {
    "goldilocks": 32,
    "babybear": 27,
    "koalabear": 24,
    "mersenne31": 1,
    "bn254-r": 28,
    "bn254-p": 1,
    "bls12-377-r": 47,
    "bls12-381-r": 32,
    "bls12-381-p": 1,
    "mnt4-753-r": 30,
    "mnt4-753-p": 15,
    "curve25519": 2,
    "ed448": 1,
    "secp256k1-p": 1,
    "secp256k1-n": 6,
    "p256-p": 1,
    "p384-p": 1,
    "p521-p": 1,
    "stark252": 192,
    "pallas": 32,
    "vesta": 32,
}


def test_every_field_is_expected() -> None:
    assert {name: field.two_adicity for name, field in known_fields().items()} == TWO_ADICITY


@pytest.mark.parametrize("name", TWO_ADICITY)
def test_field(name: str) -> None:
    field = known_fields()[name]
    assert field.name == name
    assert parse_integer(name) == field.modulus
    assert gmpy2.is_strong_prp(field.modulus, 2) and gmpy2.is_prime(field.modulus, 40)
    assert 2 ** (field.bits - 1) < field.modulus < 2**field.bits
    assert field.note and field.source
    if field.form:
        assert parse_integer(field.form) == field.modulus


BITS = {"goldilocks": 64, "babybear": 31, "bn254-r": 254, "bls12-377-r": 253, "bls12-381-r": 255, "bls12-381-p": 381,
        "mnt4-753-r": 753, "mnt4-753-p": 753, "curve25519": 255, "ed448": 448, "secp256k1-n": 256,
        "p256-p": 256, "p384-p": 384, "p521-p": 521, "stark252": 252, "pallas": 255, "vesta": 255}  # fmt: skip


def test_field_bits() -> None:
    assert {name: known_fields()[name].bits for name in BITS} == BITS


def test_known_fields_gives_a_copy() -> None:
    known_fields().clear()
    assert "goldilocks" in known_fields()


def test_bls12_381_base_field_is_the_familys() -> None:
    """p = (x − 1)²·r / 3 + x with x = −0xd201000000010000 (Barreto, Lynn, Scott)."""
    x, r = -0xD201000000010000, known_fields()["bls12-381-r"].modulus
    assert (x - 1) ** 2 * r == 3 * (known_fields()["bls12-381-p"].modulus - x)


def test_mnt4_753_is_an_mnt_curve() -> None:
    """Miyaji, Nakabayashi, Takano: embedding degree 4 has p = x² + x + 1 and here order r = x² + 1."""
    p, r = (known_fields()[f"mnt4-753-{which}"].modulus for which in "pr")
    x = gmpy2.isqrt(r - 1)
    assert r == x**2 + 1 and p in (x**2 + x + 1, x**2 - x + 1)


def test_secp256k1_order_has_discriminant_minus_three() -> None:
    """y² = x³ + 7 has complex multiplication by ℚ(√−3): 4p − t² = 3v² for the trace t = p + 1 − n."""
    p, n = (known_fields()[f"secp256k1-{which}"].modulus for which in "pn")
    square, rest = divmod(4 * p - (p + 1 - n) ** 2, 3)
    assert rest == 0 and gmpy2.is_square(square)


def _times(k: int, point: tuple[int, int], p: int) -> tuple[int, int] | None:
    """k times a point of y² = x³ + 5 modulo p, by the chord and the tangent; None: the point at infinity."""
    found: tuple[int, int] | None = None
    for bit in bin(k)[2:]:
        found = _plus(found, found, p)
        found = _plus(found, point, p) if bit == "1" else found
    return found


def _plus(a: tuple[int, int] | None, b: tuple[int, int] | None, p: int) -> tuple[int, int] | None:
    if a is None or b is None:
        return a or b
    if a[0] == b[0] and (a[1] + b[1]) % p == 0:
        return None
    slope = 3 * a[0] ** 2 * pow(2 * a[1], -1, p) if a == b else (b[1] - a[1]) * pow(b[0] - a[0], -1, p)
    x = (slope * slope - a[0] - b[0]) % p
    return x, (slope * (a[0] - x) - a[1]) % p


def test_pallas_and_vesta_are_each_others_order() -> None:
    """The Pasta curves, y² = x³ + 5: the point (−1, 2) of each has the other's prime as its order."""
    p, q = (known_fields()[name].modulus for name in ("pallas", "vesta"))
    assert _times(q, (p - 1, 2), p) is None and _times(p, (q - 1, 2), q) is None
    assert _times(p, (p - 1, 2), p) is not None
