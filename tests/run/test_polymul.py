"""Polynomial products through their C functions, against GMP's integer product of polynomials packed into integers."""

from __future__ import annotations

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import gmpy2
import numpy as np
import pytest

from momagen.emit import generate
from momagen.emit.codes import Refused
from momagen.kinds.modular.make_spec import make_spec
from momagen.params import default_prime, from_words, primitive_root, to_words
from momagen.runtime import Compiler, list_compilers
from momagen.runtime.call import compile_kernel
from momagen.runtime.compiled import Compiled, Plan

Product = tuple[str, int, int, bool, dict[str, str]]
"""Target, n, bits of the modulus, negacyclic, options."""
SAMPLE: list[Product] = [
    ("c", 2, 12, False, {}),
    ("c", 2, 12, True, {}),
    ("c", 8, 97, False, {}),
    ("c", 64, 124, True, {}),
    ("c", 32, 255, False, {}),
    ("c", 16, 381, True, {}),
    ("c", 1024, 64, True, {}),
    ("c", 16, 1020, False, {}),
    ("c", 64, 124, True, {"reduction": "montgomery"}),
    ("c", 64, 128, False, {"bake": "yes"}),
    ("c64", 16, 97, True, {}),
    ("avx2", 4, 60, True, {}),
    ("avx2", 8, 124, False, {}),
    ("avx2", 128, 64, True, {}),
    ("avx2", 64, 255, True, {}),
    ("avx512", 2, 60, True, {}),
    ("avx512", 16, 60, False, {}),
    ("avx512", 32, 124, True, {}),
    ("avx512", 64, 64, False, {}),
    ("avx512", 1024, 124, False, {}),
    ("avx512", 128, 256, True, {}),
    ("avx512", 256, 61, True, {}),
    ("avx512ifma", 64, 50, False, {}),
    ("avx512ifma", 128, 52, True, {}),
    ("avx512ifma", 256, 50, True, {"quotients": "computed"}),
    ("avx512ifma", 64, 56, True, {}),
    ("avx512ifma", 512, 60, False, {}),
    ("avx512ifma", 1024, 62, True, {}),
    ("avx512ifma", 128, 63, False, {}),
    ("avx512ifma", 128, 124, True, {}),
    ("avx512ifma", 64, 199, False, {}),  # four digits there, five back
    ("avx512ifma", 128, 255, True, {}),
]
TARGETS = ("c", "c64", "avx2", "avx512", "avx512ifma")
SWEEP: list[Product] = [
    (target, n, bits, negacyclic, {})
    for target in TARGETS
    for n in (4, 64, 512)
    for bits in (16, 60, 63, 64, 97, 124, 127, 128, 252, 255, 256, 381)
    for negacyclic in (False, True)
]
SWEEP += [(target, 64, bits, True, {}) for target in TARGETS for bits in (753, 1020)]
COMPILERS = [compiler for compiler in list_compilers() if compiler.kind in ("gcc", "clang")]


def compiled(case: Product, compiler: Compiler | None = None) -> Compiled:
    """The kernel for the largest prime below 2^bits with the roots, through stand-ins where the CPU lacks features."""
    target, n, bits, negacyclic, options = case
    q = default_prime(bits + 4, n)
    return compile_kernel(
        generate(make_spec("polymul", n=n, modulus=q, negacyclic=negacyclic, target=target, options=options)), compiler
    )


def product(xs: Sequence[int], ys: Sequence[int], q: int, negacyclic: bool) -> list[int]:
    """x·y modulo X^n ± 1 and q: coefficients stand far apart in two integers, so that these multiply as polynomials."""
    n = len(xs)
    slot = 2 * q.bit_length() + n.bit_length()
    whole = gmpy2.pack([gmpy2.mpz(x) for x in xs], slot) * gmpy2.pack([gmpy2.mpz(y) for y in ys], slot)
    terms = [*gmpy2.unpack(whole, slot), *[0] * (2 * n)][: 2 * n]
    sign = -1 if negacyclic else 1
    return [int((low + sign * high) % q) for low, high in zip(terms[:n], terms[n:], strict=True)]


def residues(rng: random.Random, q: int, count: int) -> list[int]:
    edges = (0, 1, q - 1)
    return [rng.choice(edges) if rng.random() < 0.3 else rng.randrange(q) for _ in range(count)]


def check(plan: Plan, spec_n: int, negacyclic: bool, xs: Sequence[int], ys: Sequence[int]) -> None:
    """One call out of place, one over each input, and one squaring in place."""
    q, batch = plan.modulus, len(xs) // spec_n
    parts = [slice(b * spec_n, (b + 1) * spec_n) for b in range(batch)]
    wanted = [z for part in parts for z in product(xs[part], ys[part], q, negacyclic)]
    for place in ("apart", "over x", "over y"):
        x, y = to_words(xs, plan.words), to_words(ys, plan.words)
        z = {"apart": np.zeros_like(x), "over x": x, "over y": y}[place]
        plan.execute(z, x, y, count=batch)
        assert from_words(z) == wanted, place
    x = to_words(xs, plan.words)
    plan.execute(x, x, x, count=batch)
    assert from_words(x) == [z for part in parts for z in product(xs[part], xs[part], q, negacyclic)]


def check_all(kernel: Compiled) -> None:
    spec, rng = kernel.spec, random.Random(kernel.name)
    plan = kernel.plan(spec.modulus, spec.root)
    for batch in (0, 1, 3):
        check(plan, spec.n, spec.negacyclic, *(residues(rng, plan.modulus, batch * spec.n) for _ in "xy"))
    top = [plan.modulus - 1] * spec.n
    check(plan, spec.n, spec.negacyclic, top, top)


def test_the_oracle_is_the_definition() -> None:
    xs, ys, q = [3, 0, 5, 96], [1, 96, 2, 7], 97
    terms = [[(i + j, x * y) for j, y in enumerate(ys)] for i, x in enumerate(xs)]
    for sign in (1, -1):
        wanted = [0] * 4
        for k, term in (pair for row in terms for pair in row):
            wanted[k % 4] += term * (sign if k > 3 else 1)
        assert product(xs, ys, q, sign < 0) == [z % q for z in wanted]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("case", SAMPLE, ids=str)
def test_product(case: Product) -> None:
    check_all(compiled(case))


@pytest.mark.slow
@pytest.mark.parametrize("case", SWEEP, ids=str)
def test_product_everywhere(case: Product) -> None:
    check_all(compiled(case))


@pytest.mark.thorough
@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["c", "avx2", "avx512"])
@pytest.mark.parametrize("compiler", COMPILERS, ids=lambda compiler: str(compiler.command[0]))
def test_compilers_agree(compiler: Compiler, target: str) -> None:
    check_all(compiled((target, 64, 127, True, {}), compiler))


def test_one_build_serves_other_moduli() -> None:
    kernel = compiled(("c", 16, 124, True, {}))
    rng = random.Random(7)
    for q in (97, default_prime(50, 16), default_prime(127, 16)):
        plan = kernel.plan(q, primitive_root(32, q))
        check(plan, 16, True, residues(rng, q, 32), residues(rng, q, 32))


@pytest.mark.parametrize("root", [0, 1, 96, 33])
def test_a_root_of_another_order_is_refused(root: int) -> None:
    """Modulo 97, 33 has order 8 and the product needs 32."""
    with pytest.raises(Refused) as caught:
        compiled(("c", 16, 124, True, {})).plan(97, root)
    assert caught.value.code == "BAD_ROOT"


@pytest.mark.thorough
def test_threads_may_share_a_plan() -> None:
    kernel = compiled(("avx512", 1024, 124, False, {}))
    plan, rng = kernel.plan(kernel.spec.modulus, kernel.spec.root), random.Random(3)
    pairs = [tuple(to_words(residues(rng, plan.modulus, 1024), 2) for _ in "xy") for _ in range(4)]

    def together(pair: tuple[np.ndarray, ...]) -> list[np.ndarray]:
        results = [np.empty_like(pair[0]) for _ in range(20)]
        for z in results:
            plan.execute(z, *pair, count=1)
        return results

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(together, pairs))
    for (x, y), results in zip(pairs, answers, strict=True):
        wanted = to_words(product(from_words(x), from_words(y), plan.modulus, False), 2)
        assert all((z == wanted).all() for z in results)
