"""What codelets state about the constants of a plan holds for every modulus that a kernel accepts, however short."""

from __future__ import annotations

import random
from collections.abc import Iterator

import gmpy2
import pytest
from support.oracle import elements, result
from support.programs import ElementsProgram, drawn, interpreted

from momagen.kernels.elementwise.forms import CONVERSIONS
from momagen.kinds.modular.lists import ANY_MODULUS
from momagen.kinds.modular.make_spec import make_spec, with_modulus
from momagen.kinds.modular.spec import Spec
from momagen.languages import COMPILED
from momagen.lower.kernels import lowered
from momagen.targets import load_target, names

TARGETS = [name for name in names() if load_target(name).syntax in (COMPILED, "python")]
"""The targets whose programs the interpreter runs."""
CASES = [
    *((kind, {}) for kind in (*ANY_MODULUS, *CONVERSIONS)),
    ("vmul", {"input_factor": "4", "output_factor": "2"}), ("vmul", {"reduction": "montgomery"}),
    ("vmuladd", {"input_factor": "4"}), ("axpy", {"reduction": "montgomery"}), ("axpy", {"limbs": "full"}),
    ("scal", {"reduction": "wide"}), ("reduce", {"reduction": "montgomery"}),
]  # fmt: skip
"""Kernels, and options that choose other constants."""
ANY_WORD = [("cmpsub", {"input_factor": "any"}), ("reduce", {"input_factor": "any", "output_factor": "2"})]
"""Kernels that reduce any word."""
WIDTHS, OTHERS, LONG = (50, 60), (12, 31, 52, 62, 64), (124, 252)
"""Bits of the longest modulus: of one double or digit and of one word with bits to spare, where a word has 64 bits; the
other classes; and those of several words."""


def short(bits: int) -> int:
    """Return a modulus of half the bits."""
    return (1 << bits // 2) + 1


def check_elements(spec: Spec, *moduli: int) -> None:
    """Check short moduli on one vector and one more element; results are below q or a multiple of it."""
    program, most = ElementsProgram(spec), spec.ranges.output
    for q in moduli:
        operands = drawn(spec, q, random.Random(q), spec.target.lanes + 1)
        found, expected = program(q, *operands), elements(spec, q, *operands)
        if most > 1:
            assert max(found) < most * q, (spec, q)
            found = [z % q for z in found]
        assert found == expected, (spec, q)


def specs(bits: int, target: str) -> Iterator[Spec]:
    """Yield the kernels of ``CASES`` that the target offers at a width."""
    row = load_target(target)
    for kind, options in CASES:
        offers_digits = "products" in row.tiles or "limbs" not in options
        if offers_digits and int(options.get("input_factor", 1)) <= 1 << -bits % row.word:
            yield make_spec(kind, modulus=(1 << bits) - 1, target=target, options=options)


@pytest.mark.whole
@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("target", TARGETS)
def test_constants_of_short_moduli(target: str, bits: int) -> None:
    bits = bits * load_target(target).word // 64
    for spec in specs(bits, target):
        check_elements(spec, short(bits))


@pytest.mark.sampled(4)
@pytest.mark.thorough
@pytest.mark.parametrize("bits", [*WIDTHS, *OTHERS, *(pytest.param(bits, marks=pytest.mark.slow) for bits in LONG)])
@pytest.mark.parametrize("target", TARGETS)
def test_constants_of_short_moduli_at_every_width(target: str, bits: int) -> None:
    for spec in specs(bits, target):
        check_elements(spec, 3, short(bits))


@pytest.mark.parametrize("target", ["avx2", "avx512", "avx512ifma"])
def test_any_word_is_reduced_modulo_a_short_modulus(target: str) -> None:
    for kind, options in ANY_WORD:
        check_elements(make_spec(kind, modulus=(1 << 50) - 1, target=target, options=options), 3, short(50))


def least_primes(bits: int, shortest: int, order: int) -> Iterator[int]:
    """Yield a prime with roots of unity of the order, next to the shortest moduli that a kernel serves and half-way."""
    for length in {shortest, (shortest + bits) // 2}:
        q = (max(1 << length, order) // order + 1) * order + 1
        while not gmpy2.is_prime(q):
            q += order
        yield q


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("bits", [*WIDTHS, 124])
@pytest.mark.parametrize("target", ["c", "c64", "c32", "avx2", "avx512", "avx512ifma", "python", "python52"])
def test_constants_of_transforms_with_short_moduli(target: str, bits: int, inverse: bool) -> None:
    spec = make_spec("ntt", n=16, modulus_bits=bits, target=target, inverse=inverse, negacyclic=True)
    for q in least_primes(bits, lowered(spec).writer.shortest, 32):
        short = with_modulus(spec, q, None)
        xs = [random.Random(q).randrange(q) for _ in range(spec.n)]
        assert interpreted(short, short.root, xs) == result(short, xs)
