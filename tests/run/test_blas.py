"""BLAS kernels through their C functions: any length, any alias, edge values, every modulus that one build serves."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import gmpy2
import numpy as np
import pytest
from support.oracle import elements

from momagen.bench.measure.built import library_path
from momagen.bench.x86.assembly import disassembler, inspect
from momagen.emit import generate
from momagen.emit.codes import Refused
from momagen.kernels.elementwise.blas import COMPARES
from momagen.kinds.modular.lists import ANY_MODULUS
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.spec import Spec
from momagen.params import from_words, to_words
from momagen.runtime import Compiler, list_compilers
from momagen.runtime.call import compile_kernel
from momagen.runtime.compiled import Compiled, Plan

Kernel = tuple[str, dict[str, str], str, int]
"""Kind, options, target, bits of the modulus."""
LENGTHS = (0, 1, 7, 8, 9, 1000)
FIRST, REST = ANY_MODULUS[:4], ANY_MODULUS[4:]
WIDTHS = {"c": (12, 64, 97, 256), "c64": (64,), "avx2": (64, 97, 124, 256), "avx512": (64, 97, 124, 256)}
PAIRS = [(target, bits) for bits in (60, 124, 255, 381) for target in ("c", "avx2", "avx512")]
WIDER = {
    "c": (60, 124, 128, 255, 381, 753, 1020), "c64": (12, 97, 256, 381, 753),
    **dict.fromkeys(("avx2", "avx512"), (12, 60, 381, 753, 1020)),
}  # fmt: skip
REDUCTIONS: list[tuple[str, dict[str, str]]] = [
    ("vmul", {"reduction": "barrett"}), ("vmul", {"reduction": "montgomery"}), ("axpy", {"reduction": "montgomery"}),
    ("scal", {"reduction": "montgomery"}), ("reduce", {"reduction": "montgomery"}), ("cmpsub", {"input_factor": "any"}),
]  # fmt: skip
SAMPLE: list[Kernel] = [(kind, {}, t, bits) for t, widths in WIDTHS.items() for bits in widths for kind in FIRST]
SAMPLE += [(kind, {}, *pair) for i, kind in enumerate(REST) for j, pair in enumerate(PAIRS) if (i + j) % 2 == 0]
SAMPLE += [(kind, {}, "c64", 97) for kind in REST]
SAMPLE += [(*choice, "c", bits) for choice in REDUCTIONS for bits in (64, 97)]
SAMPLE += [("vmul", {"reduction": "montgomery"}, "avx512", 124), ("vmul", {}, "c", 1020), ("axpy", {}, "c", 1020)]
SAMPLE += [(kind, {"cmp": cmp}, "avx512", 124) for kind in ("cmpadd", "cmpsub") for cmp in COMPARES]
SWEEP: list[Kernel] = [
    (*choice, target, bits)
    for target, widths in WIDER.items()
    for bits in widths
    for choice in [*((kind, {}) for kind in ANY_MODULUS), *REDUCTIONS]
]
FACTORS = [("8", "1"), ("1", "2"), ("2", "4"), ("4", "2")]
MODULAR = [kind for kind in ANY_MODULUS if kind != "cmpadd"]
RANGES: list[Kernel] = [
    (kind, {"input_factor": taken, "output_factor": given}, *PAIRS[(i + j) % 4])
    for i, kind in enumerate(MODULAR)
    for j, (taken, given) in enumerate(FACTORS)
]
RANGES += [("vmul", {"input_factor": "4", "output_factor": "2"}, target, 125) for target in ("c", "avx512")]
RANGES += [("cmpsub", {"input_factor": "any", "output_factor": "4"}, "avx512", 252)]
RANGES += [(kind, {"input_factor": "2", "output_factor": "2"}, target, 255) for kind in MODULAR for target in ("c",)]
COMPILERS = [compiler for compiler in list_compilers() if compiler.kind in ("gcc", "clang")]


def compiled(kind: str, bits: int, target: str, options: dict[str, str], compiler: Compiler | None = None) -> Compiled:
    """The kernel for the largest prime below 2^bits, through stand-ins where the CPU lacks what the target needs."""
    q = int(gmpy2.prev_prime(1 << bits))
    return compile_kernel(generate(make_spec(kind, modulus=q, target=target, options=options)), compiler)


def moduli(kernel: Compiled) -> Iterator[int]:
    """The largest and the smallest prime of the width, a shorter one, and the shortest."""
    bits = kernel.spec.width
    yield int(gmpy2.prev_prime(1 << bits))
    yield int(gmpy2.next_prime(1 << bits - 1))
    yield int(gmpy2.prev_prime(1 << max(bits - 5, 3)))
    yield 3


def residues(rng: random.Random, q: int, count: int, factor: int = 1, held: int = 0) -> list[int]:
    """Random ones below factor·q, or of ``held`` bits where the factor is 0; a third of them from the edges."""
    top = factor * q if factor else 1 << held
    edges = [0, 1, q // 2, q // 2 + 1, q - 2, q - 1, top - 1, *(m * q + d for m in (1, 2, 4) for d in (-1, 0, 1))]
    edges = [value for value in edges if value < top]
    return [rng.choice(edges) if rng.random() < 0.3 else rng.randrange(top) for _ in range(count)]


def right(spec: Spec, q: int, got: Sequence[int], wanted: Sequence[int]) -> bool:
    """Equal, or congruent and in the range that was asked for."""
    m = spec.ranges.output
    if m < 2:
        return got == wanted
    return all(z < m * q and (z - w) % q == 0 for z, w in zip(got, wanted, strict=True))


def check(kernel: Compiled, plan: Plan, rng: random.Random, n: int) -> None:
    """One call out of place, and one over each vector; the bound is one of the numbers that it is compared with."""
    spec, q, ranges = kernel.spec, plan.modulus, kernel.spec.ranges
    drawn = {
        name: residues(rng, q, n if name in ranges.vectors else 1, factor, ranges.held)
        for name, factor in ranges.operands.items()
    }
    vectors = [drawn[name] for name in ranges.vectors]
    if n and "bound" in drawn:
        drawn["bound"] = [rng.choice(drawn["x"])]
    scalars = [drawn[name][0] for name in ranges.scalars]
    wanted = elements(spec, q, scalars, *vectors)
    numbers = [to_words([value], plan.words) for value in scalars]
    for place in range(-1, len(vectors)):
        rows = [to_words(values, plan.words) for values in vectors]
        z = rows[place] if place >= 0 else np.full_like(rows[0], 2**64 - 1)
        plan.execute(z, *numbers, *rows, count=n)
        assert right(spec, q, from_words(z), wanted), f"{kernel.name}, q = {q}, n = {n}, over {place}"


def check_all(kernel: Compiled) -> None:
    rng = random.Random(kernel.name)
    for q in moduli(kernel):
        plan = kernel.plan(q, 0)
        for n in LENGTHS:
            check(kernel, plan, rng, n)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("kind", "options", "target", "bits"), SAMPLE, ids=str)
def test_blas(kind: str, options: dict[str, str], target: str, bits: int) -> None:
    check_all(compiled(kind, bits, target, options))


@pytest.mark.parametrize(("kind", "options", "target", "bits"), RANGES, ids=str)
def test_ranges(kind: str, options: dict[str, str], target: str, bits: int) -> None:
    check_all(compiled(kind, bits, target, options))


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "options", "target", "bits"), SWEEP, ids=str)
def test_blas_at_every_width(kind: str, options: dict[str, str], target: str, bits: int) -> None:
    check_all(compiled(kind, bits, target, options))


@pytest.mark.thorough
@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["c", "avx2", "avx512"])
@pytest.mark.parametrize("compiler", COMPILERS, ids=lambda compiler: str(compiler.command[0]))
def test_compilers_agree(compiler: Compiler, target: str) -> None:
    for kind in ANY_MODULUS:
        check_all(compiled(kind, 127, target, {}, compiler))


CONDITIONAL = [(kind, {"cmp": cmp}) for kind in ("cmpadd", "cmpsub") for cmp in ("eq", "le", "nle")]


@pytest.mark.thorough
@pytest.mark.skipif(not disassembler(), reason="needs objdump or llvm-objdump")
@pytest.mark.parametrize("target", ["c", "c64"])
@pytest.mark.parametrize("compiler", COMPILERS, ids=lambda compiler: str(compiler.command[0]))
def test_no_branch_depends_on_data(compiler: Compiler, target: str) -> None:
    """Where a compiler is tempted most: a number or another number plus a constant, by a comparison."""
    for kind, options in [*CONDITIONAL, ("axpy", {}), ("reduce", {})]:
        for bits in (60, 124):
            kernel = compiled(kind, bits, target, options, compiler)
            assert inspect(library_path(kernel), f"{kernel.name}_execute").branches == 0, kernel.name


@pytest.mark.parametrize("target", ["c", "avx2", "avx512"])
def test_x_and_y_may_be_one(target: str) -> None:
    kernel = compiled("vmul", 124, target, {})
    q = kernel.spec.modulus
    xs = residues(random.Random(1), q, 21)
    plan, x = kernel.plan(q, 0), to_words(xs, kernel.spec.arith.words)
    plan.execute(x, x, x, count=21)
    assert from_words(x) == elements(kernel.spec, q, [], xs, xs)


@pytest.mark.parametrize("target", ["avx2", "avx512"])
@pytest.mark.parametrize("kind", ["vadd", "vmul", "vneg", "reduce"])
def test_nothing_beyond_the_end_is_written(kind: str, target: str) -> None:
    kernel = compiled(kind, 124, target, {})
    plan, ones = kernel.plan(kernel.spec.modulus, 0), np.full((24, 2), 2**64 - 1, np.uint64)
    x, z = to_words(range(24), 2), ones.copy()
    for n in (0, 3, 8, 13):
        plan.execute(z, *[x, x, x][: len(kernel.spec.ranges.vectors)], count=n)
        assert (z[n:] == ones[n:]).all()


def refusal(kernel: Compiled, q: int) -> str:
    with pytest.raises(Refused) as caught:
        kernel.plan(q, 0)
    return caught.value.code


def test_moduli_that_a_build_does_not_serve_are_refused() -> None:
    for kernel in compiled("vadd", 97, "c", {}), compiled("vmul", 97, "c", {}):
        assert [refusal(kernel, q) for q in (0, 1, 2**97, 2**97 + 1)] == ["BAD_MODULUS"] * 4
        assert [kernel.plan(q, 0).modulus for q in (2, 3, 2**96)] == [2, 3, 2**96]
    odd = compiled("vmul", 97, "c", {"reduction": "montgomery"})
    assert [refusal(odd, q) for q in (0, 1, 2, 2**96)] == ["BAD_MODULUS"] * 4 and odd.plan(3, 0).modulus == 3


@pytest.mark.parametrize("kind", ANY_MODULUS)
@pytest.mark.parametrize(("target", "q"), [("c", 2**64 - 2**32 + 1), ("avx512", 2**255 - 19)], ids=str)
def test_baked_modulus(kind: str, target: str, q: int) -> None:
    kernel = compile_kernel(generate(make_spec(kind, modulus=q, target=target, options={"bake": "yes"})))
    plan, rng = kernel.plan(q, 0), random.Random(q)
    for n in LENGTHS:
        check(kernel, plan, rng, n)
    assert refusal(kernel, q - 2) == "BAD_MODULUS"
