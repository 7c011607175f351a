"""Products element by element on digits of 52 bits: any length and alias, edge values, both ends of the moduli."""

from __future__ import annotations

from random import Random

import gmpy2
import pytest
from test_blas import check, check_all, moduli

from momagen.emit import generate
from momagen.emit.codes import Refused
from momagen.kinds.modular.make_spec import make_spec
from momagen.params import from_words, to_words
from momagen.runtime.call import compile_kernel
from momagen.runtime.compiled import Compiled, Plan

Case = tuple[str, int, dict[str, str]]
WIDTHS = (16, 31, 48, 49, 50, 51, 52, 60, 84, 104, 106, 124, 156, 160, 208, 252, 255, 256, 313, 381)
WIDE = (508, 512, 753, 1020, 1024)
PLAIN: list[Case] = [("vmul", bits, {}) for bits in WIDTHS]
PLAIN += [(kind, bits, {}) for kind in ("axpy", "scal") for bits in (16, 48, 50, 51, 52, 97, 124, 127, 128, 252, 256)]
RANGES: list[Case] = [
    (kind, bits, {"input_factor": taken, "output_factor": given})
    for bits, taken, given in ((30, "8", "1"), (50, "2", "1"), (60, "4", "2"), (124, "8", "4"), (252, "2", "8"))
    for kind in ("vmul", "axpy", "scal")
]
LONG: list[Case] = [("vmul", 753, {}), ("axpy", 1020, {})]
LONGER: list[Case] = [(kind, bits, {}) for kind in ("vmul", "axpy", "scal") for bits in WIDE]


def compiled(kind: str, bits: int, options: dict[str, str]) -> Compiled:
    q = int(gmpy2.prev_prime(1 << bits))
    return compile_kernel(generate(make_spec(kind, modulus=q, target="avx512ifma", options=options)))


def notes(kind: str, bits: int, **options: str) -> str:
    q = int(gmpy2.prev_prime(1 << bits))
    return " ".join(generate(make_spec(kind, modulus=q, target="avx512ifma", options=options)).notes)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("kind", "bits", "options"), [*PLAIN, *RANGES], ids=str)
def test_products(kind: str, bits: int, options: dict[str, str]) -> None:
    check_all(compiled(kind, bits, options))


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "bits", "options"), LONG, ids=str)
def test_long_products(kind: str, bits: int, options: dict[str, str]) -> None:
    kernel = compiled(kind, bits, options)
    for q in moduli(kernel):
        check(kernel, kernel.plan(q, 0), Random(q), 43)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "bits", "options"), LONGER, ids=str)
def test_longer_products(kind: str, bits: int, options: dict[str, str]) -> None:
    check_all(compiled(kind, bits, options))


@pytest.mark.parametrize("kind", ["vmul", "axpy"])
def test_every_pair_of_edges(kind: str) -> None:
    """All pairs of numbers around 0, powers of 2^52, and q, where quotients err most."""
    for bits in (49, 50, 60, 124):
        kernel = compiled(kind, bits, {})
        for q in list(moduli(kernel))[:2]:
            near = {m + d for m in (0, q // 2, q, *(1 << 52 * i for i in (1, 2))) for d in range(-3, 4)}
            rows = sorted(v for v in near if 0 <= v < q)
            pairs = [(x, y) for x in rows for y in rows]
            plan = kernel.plan(q, 0)
            xs, ys = (list(column) for column in zip(*pairs, strict=True))
            for a in rows[::3] if kind == "axpy" else [0]:
                demand(kernel, plan, q, a, xs, ys)


def demand(kernel: Compiled, plan: Plan, q: int, a: int, xs: list[int], ys: list[int]) -> None:
    words = kernel.spec.arith.words
    x, y = to_words(xs, words), to_words(ys, words)
    scalars = [to_words([a], words)] if str(kernel.spec.kind) == "axpy" else []
    plan.execute(z := x.copy(), *scalars, x, y, count=len(xs))
    wanted = [(a * i + j) % q if scalars else i * j % q for i, j in zip(xs, ys, strict=True)]
    assert from_words(z) == wanted


@pytest.mark.parametrize(("kind", "bits"), [("vmul", 124), ("axpy", 255), ("vmul", 381)])
def test_baked_modulus(kind: str, bits: int) -> None:
    kernel = compiled(kind, bits, {"bake": "yes"})
    q = kernel.spec.modulus
    check(kernel, kernel.plan(q, 0), Random(q), 43)
    with pytest.raises(Refused):
        kernel.plan(q - 2, 0)


def test_what_goes_on_digits_is_said() -> None:
    assert "limbs of radix 2^52" in notes("vmul", 124)
    assert "limbs of radix 2^52" in notes("vmul", 124, reduction="barrett")
    assert "limbs of radix 2^52" in notes("vmul", 128) and "Montgomery" in notes("vmul", 128, reduction="montgomery")
    assert "Montgomery" in notes("vmul", 64) and "Montgomery" in notes("vmul", 60, reduction="montgomery")
    assert "another reduction" in notes("axpy", 124, reduction="lazy")
    assert all("limbs of radix 2^52" in notes(kind, bits) for kind in ("axpy", "scal") for bits in (127, 128, 256))
    assert "limbs of radix 2^52" in notes("axpy", 50) and "one word" in notes("axpy", 60)
    assert notes("vadd", 124) == ""
