"""BLAS kernels through their C functions: any length, any alias, edge values, every modulus that one build serves."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import gmpy2
import numpy as np
import pytest

from momagen.build import Compiler, list_compilers, missing_features
from momagen.build.call import Compiled, Plan, Refused, compile_kernel
from momagen.emit import generate
from momagen.kernels.spec import BLAS, make_spec
from momagen.params import from_words, to_words
from momagen.targets import load_target

Kernel = tuple[str, dict[str, str], str, int]
"""Kind, options, target, bits of the modulus."""
LENGTHS = (0, 1, 7, 8, 9, 1000)
WIDTHS = {"c": (12, 64, 97, 256), "c64": (64,), "avx512": (64, 97, 124, 256)}
WIDER = {"c": (60, 124, 128, 255, 381, 753, 1020), "c64": (12, 97, 256, 381, 753), "avx512": (12, 60, 381, 753, 1020)}
REDUCTIONS: list[tuple[str, dict[str, str]]] = [
    ("vmul", {"reduction": "barrett"}), ("vmul", {"reduction": "montgomery"}), ("axpy", {"reduction": "montgomery"}),
]  # fmt: skip
SAMPLE: list[Kernel] = [(kind, {}, t, bits) for t, widths in WIDTHS.items() for bits in widths for kind in BLAS]
SAMPLE += [(*choice, "c", bits) for choice in REDUCTIONS for bits in (64, 97)]
SAMPLE += [("vmul", {"reduction": "montgomery"}, "avx512", 124), ("vmul", {}, "c", 1020), ("axpy", {}, "c", 1020)]
SWEEP: list[Kernel] = [
    (*choice, target, bits)
    for target, widths in WIDER.items()
    for bits in widths
    for choice in [*((kind, {}) for kind in BLAS), *REDUCTIONS]
]
COMPILERS = [compiler for compiler in list_compilers() if compiler.kind in ("gcc", "clang")]


def compiled(kind: str, bits: int, target: str, options: dict[str, str], compiler: Compiler | None = None) -> Compiled:
    """The kernel for the largest prime below 2^bits; skips where the CPU lacks what the target needs."""
    if missing := missing_features(load_target(target).features):
        pytest.skip(f"this CPU lacks {', '.join(missing)}")
    q = int(gmpy2.prev_prime(1 << bits))
    return compile_kernel(generate(make_spec(kind, modulus=q, target=target, options=options)), compiler)


def moduli(kernel: Compiled) -> Iterator[int]:
    """The largest and the smallest prime of the width, and a short one where the build serves it."""
    bits = kernel.spec.width
    yield int(gmpy2.prev_prime(1 << bits))
    yield int(gmpy2.next_prime(1 << bits - 1))
    if not kernel.spec.exact:
        yield 3


def residues(rng: random.Random, q: int, count: int) -> list[int]:
    """Random ones, a third of them from the edges."""
    edges = (0, 1, q // 2, q // 2 + 1, q - 2, q - 1)
    return [rng.choice(edges) if rng.random() < 0.3 else rng.randrange(q) for _ in range(count)]


def expected(kind: str, q: int, a: int, xs: Sequence[int], ys: Sequence[int]) -> list[int]:
    """By gmpy2."""
    m, a = gmpy2.mpz(q), gmpy2.mpz(a)
    pairs = [(gmpy2.mpz(x), gmpy2.mpz(y)) for x, y in zip(xs, ys, strict=True)]
    formulas = {
        "vadd": lambda x, y: (x + y) % m, "vsub": lambda x, y: (x - y) % m, "vmul": lambda x, y: x * y % m,
        "axpy": lambda x, y: (a * x + y) % m,
    }  # fmt: skip
    return [int(formulas[kind](x, y)) for x, y in pairs]


def check(kernel: Compiled, plan: Plan, rng: random.Random, n: int) -> None:
    """One call out of place, and one over each input."""
    kind, q = kernel.spec.kind, plan.modulus
    (a,), xs, ys = residues(rng, q, 1), residues(rng, q, n), residues(rng, q, n)
    wanted = expected(kind, q, a, xs, ys)
    scalar = [to_words([a], plan.words)] if kind == "axpy" else []
    for place in ("apart", "over x", "over y"):
        x, y = to_words(xs, plan.words), to_words(ys, plan.words)
        z = {"apart": np.full_like(x, 2**64 - 1), "over x": x, "over y": y}[place]
        plan.execute(z, *scalar, x, y, count=n)
        assert from_words(z) == wanted, f"{kernel.name}, q = {q}, n = {n}, {place}"


def check_all(kernel: Compiled) -> None:
    rng = random.Random(kernel.name)
    for q in moduli(kernel):
        plan = kernel.plan(q, 0)
        for n in LENGTHS:
            check(kernel, plan, rng, n)


@pytest.mark.parametrize(("kind", "options", "target", "bits"), SAMPLE, ids=str)
def test_blas(kind: str, options: dict[str, str], target: str, bits: int) -> None:
    check_all(compiled(kind, bits, target, options))


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "options", "target", "bits"), SWEEP, ids=str)
def test_blas_at_every_width(kind: str, options: dict[str, str], target: str, bits: int) -> None:
    check_all(compiled(kind, bits, target, options))


@pytest.mark.parametrize("target", ["c", "avx512"])
@pytest.mark.parametrize("compiler", COMPILERS, ids=lambda compiler: str(compiler.command[0]))
def test_compilers_agree(compiler: Compiler, target: str) -> None:
    for kind in BLAS:
        check_all(compiled(kind, 127, target, {}, compiler))


@pytest.mark.parametrize("target", ["c", "avx512"])
def test_x_and_y_may_be_one(target: str) -> None:
    kernel = compiled("vmul", 124, target, {})
    q = kernel.spec.modulus
    xs = residues(random.Random(1), q, 21)
    plan, x = kernel.plan(q, 0), to_words(xs, kernel.spec.arith.words)
    plan.execute(x, x, x, count=21)
    assert from_words(x) == expected("vmul", q, 0, xs, xs)


@pytest.mark.parametrize("kind", ["vadd", "vmul"])
def test_nothing_beyond_the_end_is_written(kind: str) -> None:
    kernel = compiled(kind, 124, "avx512", {})
    plan, ones = kernel.plan(kernel.spec.modulus, 0), np.full((24, 2), 2**64 - 1, np.uint64)
    x, z = to_words(range(24), 2), ones.copy()
    for n in (0, 3, 8, 13):
        plan.execute(z, x, x, count=n)
        assert (z[n:] == ones[n:]).all()


def refusal(kernel: Compiled, q: int) -> str:
    with pytest.raises(Refused) as caught:
        kernel.plan(q, 0)
    return caught.value.code


def test_moduli_that_a_build_does_not_serve_are_refused() -> None:
    below, exact = compiled("vadd", 97, "c", {}), compiled("vmul", 97, "c", {})
    for kernel in (below, exact):
        assert [refusal(kernel, q) for q in (0, 1, 2, 2**96, 2**97 + 1)] == ["BAD_MODULUS"] * 5
    assert refusal(exact, 2**96 - 1) == "BAD_MODULUS"
    assert below.plan(2**96 - 1, 0).modulus == 2**96 - 1
    assert exact.plan(2**96 + 1, 0).modulus == 2**96 + 1


@pytest.mark.parametrize("kind", BLAS)
@pytest.mark.parametrize(("target", "q"), [("c", 2**64 - 2**32 + 1), ("avx512", 2**255 - 19)], ids=str)
def test_baked_modulus(kind: str, target: str, q: int) -> None:
    compiled(kind, 12, target, {})  # skips without the feature
    kernel = compile_kernel(generate(make_spec(kind, modulus=q, target=target, options={"bake": "yes"})))
    plan, rng = kernel.plan(q, 0), random.Random(q)
    for n in LENGTHS:
        check(kernel, plan, rng, n)
    assert refusal(kernel, q - 2) == "BAD_MODULUS"
