"""Theorems on residues hold in all small cases, and no codelet takes a bound from elsewhere."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

import momagen as mg
from momagen.ir import Value
from momagen.ir.real import nearest
from momagen.kernels.matrices.digits import SignedDigits
from momagen.kernels.matrices.sums import DigitSums, gain
from momagen.kernels.residues.arith import Arith
from momagen.kernels.residues.theorems import THEOREMS, bounded

KERNELS = Path(mg.__file__).parent / "kernels"
R = 32
"""2 to the bits that hold a residue."""


def moduli(odd: bool = False) -> range:
    return range(3 if odd else 1, R, 1 + odd)


def shoup_remainder() -> Iterator[bool]:
    for q in moduli():
        for v, y in product(range(q), range(R)):
            rest = y * v - y * (v * R // q) // R * q
            yield 0 <= rest <= y * v and rest < 2 * q


def rounded_remainder() -> Iterator[bool]:
    half = R // 2
    for q in moduli(odd=True):
        over = (2 * half + q) // (2 * q)
        yield from (abs(x - (2 * x * over + half) // (2 * half) * q) < q for x in range(-half, half))


def offset_difference() -> Iterator[bool]:
    for q, a, m in product(range(1, 9), range(1, 5), range(1, 5)):
        for x, y in product(range(a * q), range(m * q)):
            yield 0 < x + m * q - y < (a + m) * q


def folded_product() -> Iterator[bool]:
    w, count = 2, 3
    for q in range(3, 1 << w * count - 1, 2):
        inverse = -pow(q, -1, 1 << w) % (1 << w)
        for v in (1, q // 2, q - 1):
            rows = [(v << w * (i + 1)) % q for i in range(count)]
            for y in product(range(1 << w), repeat=count):
                total = sum(a * b for a, b in zip(y, rows, strict=True))
                t = total + (total * inverse % (1 << w)) * q
                most = sum(a * q for a in y) + (1 << w) * q
                value = sum(a << w * i for i, a in enumerate(y)) * v
                yield t % (1 << w) == 0 and t >> w < -(-most >> w) and ((t >> w) - value) % q == 0


def lazy_levels() -> Iterator[bool]:
    for q, m, g in product((1, 3, 5), (1, 2, 4), (1, 2, 4)):
        for levels in range(5):
            highest = m * q - 1
            for _ in range(levels):
                highest += g * q
            yield highest < (m + levels * g) * q


def sign_correction() -> Iterator[bool]:
    for q in moduli():
        for x in range(1 - q, q):
            yield 0 <= x + (q if x < 0 else 0) < q


def nearest_quotient() -> Iterator[bool]:
    for q in moduli():
        for v, y in product(range(-(q // 2), q // 2 + 1), range(-3 * R, 3 * R + 1, 5)):
            rest = y * v - nearest(y * (v * R // q), R.bit_length() - 1) * q
            yield 2 * R * abs(rest) <= (R + 2 * abs(y)) * q


def nearest_quotient_less_one() -> Iterator[bool]:
    half = Fraction(1, 2)
    for k, q, error in product(range(3), range(4, 24), (Fraction(-1, 16), Fraction(0), Fraction(1, 16))):
        for total in range(200 if 4 << k <= q else 0):
            known = Fraction(total >> k << k, q) + error
            for quotient in (math.ceil(known - half), math.floor(known + half)):
                yield 0 < total - (quotient - 1) * q < 2 * q


def montgomery_remainder() -> Iterator[bool]:
    for q in moduli(odd=True):
        inverse = pow(q, -1, R)
        for y, v in product(range(R), range(q)):
            m = y * v * inverse % R
            yield (y * v - m * q) % R == 0 and -q < (y * v - m * q) // R < q


def montgomery_step() -> Iterator[bool]:
    for q in moduli(odd=True):
        inverse = pow(q, -1, R)
        for c in (1, 2, 3):
            for total in {*range(0, c * q * R, 37), c * q * R - 1}:
                yield 0 <= total // R + q - total * inverse % R * q // R < (c + 1) * q


def multiples_of_q() -> Iterator[bool]:
    ends = [(-1, 1), (0, 2), (-2, 0)]
    for q, (a, b), (c, d) in product(range(1, 7), ends, ends):
        for x, y in product(range(a * q, b * q), range(c * q, d * q)):
            yield (a + c) * q <= x + y < (b + d) * q and (a - d) * q < x - y < (b - c) * q


def split_quotient() -> Iterator[bool]:
    for q in moduli():
        for v, y in product(range(q), range(R)):
            exact = y * v // q
            for lacks in range(min(3, exact + 1)):  # e > y·v/q - 3
                yield 0 <= y * v - (exact - lacks) * q < 3 * q


def multiple_towards_zero() -> Iterator[bool]:
    for q, m, b in product(range(1, 7), range(1, 5), range(1, 9)):
        for x in range(-(b * q // 2), -(-b * q // 2)):  # within ±b/2·q
            moved = x + m * q if x < 0 else x - m * q
            yield -max(2 * m, b - 2 * m) * q <= 2 * moved < max(2 * m, b - 2 * m) * q


def quotient_by_signed_digits() -> Iterator[bool]:
    h = 4
    for q in moduli(odd=True):
        for v in range(q):
            a, b = v, v * h % q
            e, f = ((2 * h * each // q + 1) // 2 for each in (a, b))
            for z, y in product(range(1 - h // 2, h // 2), range(-h // 2, h // 2)):
                rest = y * a + z * b - (y * e + z * f) // h * q
                yield -q <= 2 * rest < 3 * q and (rest - (z * h + y) * v) % q == 0


def sums_of_digits() -> Iterator[bool]:
    digits = SignedDigits(2, 2)  # from -2 to 1
    for terms, q in product((1, 3), (3, 5, 7, 13)):
        g = gain(terms, digits)
        ends = (-(q // 2), 0, q // 2)
        for some in product(product((-2, 1), ends), repeat=2):  # of one number; sums are largest where all are equal
            total = terms * sum(digit * number for digit, number in some)
            yield 0 <= total + (q << g) <= q << g + 1
        sparse = DigitSums(Arith(4, 8), digits, digits, terms, 8, sparse=True).gain()
        for number, other in product(range(-(1 << 3), digits.most + 1), ends):  # two digits hold less than 2^3
            yield 0 <= terms * number * other + (q << sparse) <= q << sparse + 1


def sums_of_products() -> Iterator[bool]:
    for q, m in product(range(1, 5), range(4)):
        for some in product(product(range(q), repeat=2), repeat=m):
            yield 0 <= sum(x * y for x, y in some) <= m * (q - 1) ** 2


def shifted_residue() -> Iterator[bool]:
    for k, c, q in product(range(1, 5), (1, 2, 4), range(1, 16)):
        for s in (s for s in range(k) if q << s < 1 << k):
            yield from (x << s < c << k for x in range(c * q))


CHECKS: dict[str, Callable[[], Iterator[bool]]] = {
    check.__name__: check
    for check in (
        shoup_remainder, offset_difference, folded_product, lazy_levels, sign_correction,
        nearest_quotient, nearest_quotient_less_one, montgomery_remainder, montgomery_step, multiples_of_q,
        split_quotient, sums_of_digits, sums_of_products, shifted_residue, multiple_towards_zero,
        quotient_by_signed_digits, rounded_remainder,
    )
}  # fmt: skip


@pytest.mark.parametrize("name", THEOREMS)
def test_a_theorem_holds_in_all_small_cases(name: str) -> None:
    cases = [*CHECKS[name]()]
    assert all(cases) and len(cases) > 40


def test_codelets_take_no_bound_but_by_theorems() -> None:
    named = set[str]()
    for path in KERNELS.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.name != "theorems.py":
            assert not re.search(r"\brefine\b", text), path.name
            named |= set(re.findall(r'"(\w+)"\)', text)) & THEOREMS.keys()
            named |= set(re.findall(r'theorem: str = "(\w+)"', text))
    assert named == THEOREMS.keys()
    with pytest.raises(AssertionError):
        bounded(Value(0, 9), 0, 3, "hope")


def test_headers_list_the_theorems_that_a_kernel_rests_on() -> None:
    kernel = mg.ntt(1024, modulus_bits=124, target="avx512ifma")
    assert "theorem lazy_levels" in " ".join(kernel.header.split())
    assert "product_by_truncated_barrett" in mg.blas("vmul", modulus_bits=124, target="avx512ifma").header
    explained = kernel.explain()
    assert "theorem lazy_levels" in explained and THEOREMS["lazy_levels"].why in explained
