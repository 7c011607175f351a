"""Products modulo q of one word for q shorter than the kernel's longest: registers shift operands and results."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from support.oracle import elements

from momagen.emit import generate
from momagen.kinds.modular.make_spec import make_spec
from momagen.params import from_words, to_words
from momagen.runtime.call import compile_kernel
from momagen.runtime.compiled import Compiled, Plan

TARGETS = ("c", "c64", "avx2", "avx512", "avx512ifma", "python", "python52")
FACTORS = {20: (1,), 50: (1, 4, 8), 51: (2,), 60: (1, 2, 8), 61: (1, 4), 62: (2,), 63: (1,)}
"""Factors of operands, by bits of the longest modulus."""
CASES = [
    (kind, width, factor, target)
    for target in TARGETS for kind in ("vmul", "vmuladd") for width, factors in FACTORS.items() for factor in factors
]  # fmt: skip
LENGTHS = (1, 7, 8, 63, 64, 75, 203)
"""Vectors that take all loops of a kernel, and that end within a register."""
FREE = ("vmul", 50, "avx2")
"""A kernel whose loop over vectors takes no shift: the exponent of a double is that of the modulus."""


def kernel(kind: str, width: int, factor: int, target: str) -> Compiled:
    options = {"input_factor": str(factor), "reduction": "barrett"}
    return compile_kernel(generate(make_spec(kind, modulus=(1 << width) - 1, target=target, options=options)))


def moduli(width: int) -> Iterator[int]:
    """Both ends of lengths near the kernel's, of half as many bits, and of the shortest."""
    for bits in sorted({2, 3, 14, 30, width // 2, width - 9, width - 1, width} & {*range(2, width + 1)}):
        yield from {1 << bits - 1, (1 << bits - 1) + 1, (1 << bits) - 1}


def drawn(rng: random.Random, count: int, top: int) -> list[int]:
    """Numbers below ``top``, many of them next to its ends."""
    near = [0, 1, top // 2, top - 2, top - 1]
    return [rng.choice(near) if rng.random() < 0.4 else rng.randrange(top) for _ in range(count)]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("kind", "width", "factor", "target"), CASES)
def test_moduli_of_every_length(kind: str, width: int, factor: int, target: str) -> None:
    made, rng = kernel(kind, width, factor, target), random.Random(width)
    for at, q in enumerate(moduli(width)):
        plan = made.plan(q, 0)
        for count in (LENGTHS[at % len(LENGTHS)], LENGTHS[-1]):
            check(made, plan, q, [drawn(rng, count, factor * q) for _ in made.spec.ranges.vectors])


def check(made: Compiled, plan: Plan, q: int, vectors: Sequence[list[int]]) -> None:
    """Call the kernel out of place, in place of every operand, and in place of one vector that is all operands."""
    spec, count = made.spec, len(vectors[0])
    right = elements(spec, q, (), *vectors)
    for place in (None, *range(len(vectors))):
        words = [to_words(vector, plan.words) for vector in vectors]
        z = np.zeros_like(words[0]) if place is None else words[place]
        plan.execute(z, *words, count=count)
        assert from_words(z) == right, (spec.name, q, count, place)
    z = to_words(vectors[0], plan.words)
    plan.execute(z, *(z for _ in vectors), count=count)
    assert from_words(z) == elements(spec, q, (), *(vectors[0] for _ in vectors)), (spec.name, q, count)


@pytest.mark.parametrize("target", ["c", "avx2", "avx512ifma"])
def test_one_word_has_no_passes_over_vectors(target: str) -> None:
    """Several words shift vectors part by part in memory; one word has a second loop that shifts in registers."""
    one, two = (
        generate(make_spec("vmul", modulus_bits=bits, target=target, options={"reduction": "barrett"})).source
        for bits in (60, 124)
    )
    assert "shift_down" not in one and " short_by_" in one and "shift_down" in two


def test_doubles_need_no_shift() -> None:
    kind, width, target = FREE
    source = generate(make_spec(kind, modulus_bits=width, target=target)).source
    assert " short_by_" not in source and " by_16(" in source
