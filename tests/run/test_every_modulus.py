"""Element-wise kernels at every modulus from 2 up, odd or even: powers of two, their neighbours, and shorter ones."""

from __future__ import annotations

import random
from itertools import product

import pytest
from support.oracle import elements
from test_blas import check, right

import momagen as mg
from momagen.emit import generate
from momagen.emit.codes import Refused
from momagen.errors import MomagenError
from momagen.kinds.modular.lists import ANY_MODULUS
from momagen.kinds.modular.make_spec import make_spec, with_modulus
from momagen.kinds.modular.options.record import KernelOptions
from momagen.kinds.modular.spec import Spec
from momagen.params import from_words, to_words
from momagen.runtime.call import compile_kernel
from momagen.runtime.compiled import Compiled, Plan

Case = tuple[str, dict[str, str]]
Whole = tuple[str, int, str, dict[str, str]]
WIDTHS = (8, 31, 50, 60, 61, 62, 63, 64, 124, 128, 252, 381)
TARGETS = ("c", "c64", "avx2", "avx512", "avx512ifma")
PLAIN: list[Case] = [(kind, {}) for kind in ANY_MODULUS]
SCHEMES: list[Case] = [
    *((kind, {"reduction": name}) for kind in ("axpy", "scal", "reduce") for name in ("approximate", "lazy", "tight")),
    *((kind, {"reduction": "wide"}) for kind in ("axpy", "scal")), ("cmpsub", {"input_factor": "any"}),
    *((kind, {"limbs": "full"}) for kind in ("vmul", "axpy", "scal")),
]  # fmt: skip
PAIRS = (("2", "1"), ("4", "1"), ("8", "1"), ("4", "2"), ("1", "2"))
FACTORS: list[Case] = [
    (kind, {"input_factor": taken, "output_factor": given})
    for kind in ANY_MODULUS if kind != "cmpadd" for taken, given in PAIRS
]  # fmt: skip
FACTORS += [("reduce", {"input_factor": "any", "output_factor": "2"})]
COUNT = 33
"""Elements: whole registers, and one more."""


def even(kind: str, width: int, target: str, options: dict[str, str]) -> Spec:
    """The build of that width that serves even moduli."""
    return make_spec(kind, modulus=(1 << width) - 2, target=target, options=options)


def moduli(width: int, rng: random.Random) -> list[int]:
    """Every power of two, neighbours of some, the longest, the shortest, and random ones of either parity."""
    some = {*range(2, 5), width - 1, width, *rng.sample(range(2, width), 6)}
    found = {(1 << k) + d for k in some for d in (-2, -1, 1)} | {2, 3, 4, 6, 10} | {1 << k for k in range(1, width)}
    found |= {rng.getrandbits(k) | 1 << k - 1 for k in (2, width // 2, width - 1, width) for _ in range(4)}
    return sorted(q for q in found if 2 <= q < 1 << width)


def extremes(kernel: Compiled, plan: Plan) -> None:
    """All pairs of the largest and smallest operands, where quotients err most."""
    spec, q, ranges = kernel.spec, plan.modulus, kernel.spec.ranges
    tops = {name: ranges.top(m, q) for name, m in ranges.operands.items()}
    near = {name: sorted({v for v in (0, 1, q - 1, q, top - 2, top - 1) if 0 <= v < top}) for name, top in tops.items()}
    vectors = [list(column) for column in zip(*product(*(near[name] for name in ranges.vectors)), strict=True)]
    for scalars in product(*(near[name] for name in ranges.scalars)):
        words = [to_words(values, plan.words) for values in vectors]
        z = words[0].copy()
        plan.execute(z, *(to_words([value], plan.words) for value in scalars), *words, count=len(z))
        assert right(spec, q, from_words(z), elements(spec, q, scalars, *vectors)), f"{kernel.name}, q = {q}, {scalars}"


def serves_all(kind: str, width: int, target: str, options: dict[str, str]) -> None:
    """Check the build on every kind of modulus, or that its error says which modulus these options need."""
    try:
        spec = even(kind, width, target, options)
    except MomagenError as error:  # the words have no room for these options
        assert "modulus of" in error.expected and error.where in ("input_factor", "output_factor", "reduction")
        return
    kernel = compile_kernel(generate(spec))
    rng = random.Random(f"{kind} {width} {target} {options}")
    assert kernel.spec.moduli == f"every q below 2^{width}"
    for q in moduli(width, rng):
        plan = kernel.plan(q, 0)
        check(kernel, plan, rng, COUNT)
        if q.bit_length() in (2, width - 1, width):
            extremes(kernel, plan)


def cases(choices: list[Case]) -> list[Whole]:
    return [(kind, width, target, options) for target in TARGETS for width in WIDTHS for kind, options in choices]


@pytest.mark.sampled(40)
@pytest.mark.parametrize(("kind", "width", "target", "options"), cases(PLAIN), ids=str)
def test_every_modulus(kind: str, width: int, target: str, options: dict[str, str]) -> None:
    serves_all(kind, width, target, options)


@pytest.mark.sampled(150)
@pytest.mark.parametrize(("kind", "width", "target", "options"), cases([*SCHEMES, *FACTORS]), ids=str)
def test_every_modulus_by_every_option(kind: str, width: int, target: str, options: dict[str, str]) -> None:
    serves_all(kind, width, target, options)


@pytest.mark.parametrize("target", ["c", "avx2"])
@pytest.mark.parametrize(("kind", "width"), [("vmul", 50), ("vmul", 60), ("vmul", 64), ("axpy", 64), ("reduce", 64)])
def test_every_modulus_whatever_the_sample(kind: str, width: int, target: str) -> None:
    serves_all(kind, width, target, {})


def test_what_needs_an_odd_modulus_says_so() -> None:
    refused = "modulus: expected an odd modulus for Montgomery's reduction, got the even number 18446744073709551614"
    for kind in ("vmul", "axpy", "scal", "reduce"):
        with pytest.raises(MomagenError) as caught:
            make_spec(kind, modulus=2**64 - 2, options={"reduction": "montgomery"})
        assert str(caught.value) == refused
    for kind in ("vmul", "axpy"):
        spec = make_spec(kind, modulus=2**64 - 59)
        assert spec.moduli == "every odd q below 2^64"
        with pytest.raises(MomagenError, match="an odd modulus for Montgomery's reduction, got the even number 4"):
            with_modulus(spec, 4, None)
        with pytest.raises(Refused):
            compile_kernel(generate(spec)).plan(4, 0)


def test_an_even_modulus_chooses_what_serves_it() -> None:
    chosen = {kind: make_spec(kind, modulus=2**64 - 2).options.reduction for kind in ANY_MODULUS}
    assert {kind for kind, name in chosen.items() if name} == {"vmul", "vmuladd", "axpy", "scal"}
    assert chosen["vmul"] == chosen["vmuladd"] == "barrett" and chosen["axpy"] == chosen["scal"] == "wide"
    for kind, modulus in (("vmul", 2**60 - 2), ("axpy", 2**63 - 2)):
        assert make_spec(kind, modulus=modulus).options == KernelOptions()
    with pytest.raises(MomagenError, match=r"a modulus of at least 2 and below 2\^2048, got 1, which is too small"):
        make_spec("vadd", modulus=1)


def test_even_moduli_from_python() -> None:
    kernel = mg.blas("vmul", modulus=2**64 - 2)
    assert kernel([2**64 - 3, 5], [2**64 - 3, 7]) == [1, 35]
    assert kernel.verify().ok and kernel.with_modulus(2**40)([2**39, 3], [6, 2**39]) == [0, 2**39]
    with pytest.raises(MomagenError, match="odd"):
        mg.ntt(8, modulus=2**40)
