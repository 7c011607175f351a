"""Programs on the rows of a basis as the interpreter runs them, against integers."""

from __future__ import annotations

from math import prod
from random import Random
from typing import get_args

import pytest
from support.rows import done, interpreter, near, rows

from momagen.kernels.rns.methods import EVERYWHERE, MONTGOMERY, SHENOY_KUMARESAN
from momagen.kernels.rns.quotients import MARGIN
from momagen.kinds.modular.typed import ConversionMethod
from momagen.kinds.rns.conversion import ConversionSpec
from momagen.kinds.rns.ranges import converted_range
from momagen.kinds.rns.rescale import RescaleSpec
from momagen.lower.rns.kernels import BLOCK
from momagen.targets import load_target

METHODS = get_args(ConversionMethod)
MODULI, GOALS = (257, 97, (1 << 31) - 1, 193), (65537, 113, (1 << 30) - 35)


LONG = ((1 << 63) - 25, (1 << 62) + 9, (1 << 62) + 57)
BASES = {
    "short": (MODULI, GOALS), "mixed": (((1 << 59) - 55, 97, (1 << 40) - 87), ((1 << 50) - 27, 2, 1 << 32, 6)),
    "long": (LONG, ((1 << 63) - 165, (1 << 62) + 131)),
}  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("target", ["c", "c64", "avx2", "avx512ifma"])
def test_conversions_in_any_order_of_moduli(count: int, basis: str, target: str) -> None:
    moduli, goals = BASES[basis]
    moduli = moduli[:count] if count != 2 else moduli[1::-1]
    numbers, whole = near(prod(moduli)), prod(moduli)
    assert done(ConversionSpec(moduli, goals, load_target(target)), numbers) == rows(
        [a - whole * (a > whole // 2) for a in numbers], goals
    )
    rough, n = done(ConversionSpec(moduli, goals, load_target(target), "fast"), numbers), len(numbers)
    for i, a in enumerate(numbers):
        assert rough[i::n] in [rows([a + u * whole], goals) for u in range(count)]


@pytest.mark.parametrize("method", [*METHODS, "rescale"])
@pytest.mark.parametrize("basis", BASES)
def test_rows_may_be_given_by_pointers(basis: str, method: str) -> None:
    moduli, goals = BASES[basis]
    kind = "fast" if method not in EVERYWHERE and basis == "long" else method
    goals = tuple(p for p in goals if p % 2 or kind != MONTGOMERY)
    target = load_target("avx2")
    spec = RescaleSpec(moduli, target) if method == "rescale" else ConversionSpec(moduli, goals, target, kind)
    numbers = near(prod(moduli))
    assert done(spec, numbers, apart=True) == done(spec, numbers)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("basis", ["short", "mixed"])
@pytest.mark.parametrize("target", ["c", "avx2", "avx512ifma"])
@pytest.mark.parametrize("method", ["exact", "corrected"])
def test_conversions_of_positive_numbers(basis: str, target: str, method: str) -> None:
    moduli, goals = BASES[basis]
    whole = prod(moduli)
    spec = ConversionSpec(moduli, goals, load_target(target), method, positive=True)
    numbers = [a for a in near(whole) if method == "exact" or a < whole - (whole >> MARGIN - 1)]
    assert done(spec, numbers) == rows(numbers, goals)


@pytest.mark.parametrize("basis", ["short", "mixed"])
@pytest.mark.parametrize("target", ["c", "avx2", "avx512ifma"])
def test_corrected_conversions_are_exact_up_to_the_margin(basis: str, target: str) -> None:
    """On both sides of zero, at the margin itself; beyond it the result may be off by Q, and by no other multiple."""
    moduli, goals = BASES[basis]
    whole = prod(moduli)
    end = whole // 2 - (whole >> MARGIN)
    inside = [end, end - 1, -end, 1 - end, 0, -1]
    spec = ConversionSpec(moduli, goals, load_target(target), "corrected")
    assert done(spec, inside) == rows(inside, goals)
    beyond = [whole // 2, -(whole // 2), whole // 2 - 1]
    found = done(spec, beyond)
    for i, a in enumerate(beyond):
        assert found[i :: len(beyond)] in [rows([a + u * whole], goals) for u in (-1, 0, 1)]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("target", ["c", "c64", "avx2", "avx512", "avx512ifma"])
@pytest.mark.parametrize("moduli", [(257, 97, 193), ((1 << 59) - 55, (1 << 40) - 87, 97, (1 << 60) - 93),
                                    (97, (1 << 50) - 27), ((1 << 60) - 93, 2), LONG], ids=str)  # fmt: skip
def test_division_by_the_last_modulus(moduli: tuple[int, ...], target: str) -> None:
    numbers = near(prod(moduli))
    found = done(RescaleSpec(moduli, load_target(target)), numbers)
    assert found == rows([(a + moduli[-1] // 2) // moduli[-1] for a in numbers], moduli[:-1])


@pytest.mark.whole
@pytest.mark.parametrize("target", ["c", "avx2", "avx512", "avx512ifma", "mqx"])
def test_a_division_whose_sums_are_as_large_as_can_be(target: str) -> None:
    """At 62 bits, where a column holds the products of two factors and little more."""
    q, d = 0x3FFFFFFFE4125C97, 0x3FFFFFFFFFEBBA9D
    pairs = [(0x3FFFFFFF7FFFFFFF, 0x1FFFFFFF800A22B1 % d), (q - 1, d - 1), (q - 1, 0), (0, d - 1), (1 << 61, d // 2)]
    weights = (d * pow(d, -1, q), q * pow(q, -1, d))
    numbers = [sum(a * w for a, w in zip(pair, weights, strict=True)) % (q * d) for pair in pairs]
    assert done(RescaleSpec((q, d), load_target(target)), numbers) == rows([(a + d // 2) // d for a in numbers], (q,))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("target", ["c", "c64", "avx2", "avx512", "avx512ifma", "mqx"])
@pytest.mark.parametrize("bits", [2, 3, 4, 11, 12, 13, 29, 30, 31, 50, 51, 53])
@pytest.mark.parametrize("method", METHODS)
def test_every_width_of_a_format(method: str, bits: int, target: str) -> None:
    """The longest odd moduli of a width, and target moduli from 2 on."""
    top = (1 << bits) - 1
    moduli = (top, top - 2) if bits > 2 else (3, 2) if method == SHENOY_KUMARESAN else (3,)
    goals = tuple(p for p in (2, 3, 1 << bits - 1, top) if p % 2 or method != MONTGOMERY)
    spec = ConversionSpec(moduli, goals, load_target(target), method)
    (low, high), some = converted_range(spec), Random(bits)
    numbers = [low, low + 1, 0, 1, high - 1, high, *(some.randrange(low, high + 1) for _ in range(6))]
    found, n = done(spec, numbers), len(numbers)
    for i, a in enumerate(numbers):
        lifted = [a, a + spec.product] if method == "fast" else [a]
        assert found[i::n] in [rows([each], spec.goals) for each in lifted]


@pytest.mark.parametrize("n", [1, BLOCK, BLOCK + 1, 7 * BLOCK - 1])
@pytest.mark.parametrize("parts", [1, 2, 3, 8])
def test_parts_are_whole_blocks_of_all_columns(n: int, parts: int) -> None:
    run = interpreter(RescaleSpec((257, 97), load_target("c")))
    ends = [run.call("first_column", n, part, parts) for part in range(parts + 1)]
    assert ends[0] == 0 and ends[-1] == n and ends == sorted(ends)
    assert all(end % BLOCK == 0 for end in ends if end != n)
    assert run.call("useful_parts", n, parts) == min(n // BLOCK + 1, parts)


@pytest.mark.parametrize("q", [3, 9, 97, 2**31 - 1, 2**64 - 59])
def test_inverses_and_that_there_are_none(q: int) -> None:
    run = interpreter(RescaleSpec((257, 97), load_target("c")))
    for a in (0, 1, 2, 3, 6, q // 2, q - 1):
        if a < q:
            expected = pow(a, -1, q) if a % 3 or (q % 3 and a) else 0
            assert run.call("inverse_of", a, q) == expected
