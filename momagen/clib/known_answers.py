"""Known answers for a library's own test: inputs that C reproduces from a seed, and outputs that gmpy2 computed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from momagen.kernels.residues.arith import Arith
from momagen.kinds.modular.spec import Spec
from momagen.params.words import to_words
from momagen.verify.effort import Effort
from momagen.verify.moduli import even_moduli, other_moduli
from momagen.verify.oracle import any_root

MASK = (1 << 64) - 1
LENGTH = 100
"""The length of the vectors of element-wise kernels: whole registers of any number of lanes, and a remainder."""
PLACES = 8
"""The number of outputs that the test lists."""
FILLS = RANDOM, LARGEST, EXTREMES, SINGLE = "RANDOM", "LARGEST", "EXTREMES", "SINGLE"
"""The ways to fill an input: random numbers, the largest number, 0 or the largest number at random, and a single 1.

The 1 is at index 1. The test in C uses the same names.
"""


@dataclass(frozen=True)
class Answer:
    """One input and its correct result.

    Attributes:
        modulus: The modulus.
        root: The root of unity, or 0.
        fill: How the input is filled.
        seed: The seed of the first operand; each further operand has the next one.
        largest: The largest number in each operand.
        outputs: The correct numbers at some indices, below q if they are residues.
        digest: FNV-1a over all words of all outputs, or 0 if it was not computed.
        basis: All numbers that ``create`` takes as moduli, if it takes several; ``modulus`` is the first of them.
    """

    modulus: int
    root: int
    fill: str
    seed: int
    largest: tuple[int, ...]
    outputs: dict[int, int]
    digest: int
    basis: tuple[int, ...] = ()

    @property
    def moduli(self) -> tuple[int, ...]:
        """All numbers that ``create`` takes as moduli."""
        return self.basis or (self.modulus,)


def answers(spec: Spec) -> Iterator[Answer]:
    """Yield answers for the kernel's modulus with every fill, and for other moduli of its width with random residues.

    Long transforms get fewer answers, because their definition takes seconds.
    """
    fills = FILLS if _thorough(spec) else (RANDOM, EXTREMES)
    for seed, fill in enumerate(fills, 1):
        yield _answer(spec, spec.modulus, spec.root, fill, 10 * seed)
    drawn = (
        *other_moduli(spec.modulus, spec.order_of_root or 2 * spec.prime),
        *(() if spec.odd else even_moduli(spec.modulus)),
    )
    others = [] if spec.baked else [q for q in drawn if _as_long(q, spec)]
    for seed, q in enumerate(others if _thorough(spec) else others[:1], len(FILLS) + 1):
        yield _answer(spec, q, any_root(spec.order_of_root, q) if spec.n else 0, RANDOM, 10 * seed)


def _thorough(spec: Spec) -> bool:
    """Return whether the definition computes one output in little time."""
    return spec.kind.is_defined_quickly(spec) or Effort(max(spec.n, 1), spec.arith.words, columns=spec.columns).thorough


def _as_long(q: int, spec: Spec) -> bool:
    """Return whether q has the width of the kernel's moduli, fills all words of a residue, and is above the coset."""
    return q.bit_length() == spec.width and q > spec.coset and q - 1 >> spec.arith.word * (spec.arith.words - 1) > 0


def _answer(spec: Spec, q: int, root: int, fill: str, seed: int) -> Answer:
    """Return the answer for one modulus, root, fill and seed."""
    count, results = (spec.elements, spec.results) if spec.n else (LENGTH, LENGTH)
    largest, vectors = largest_numbers(spec, q), spec.ranges.vectors
    sizes = [count if name in vectors else 1 for name in largest]
    given = [
        to_words(made(fill, size, spec.arith, most, seed + i), spec.row)
        for i, (size, most) in enumerate(zip(sizes, largest.values(), strict=True))
    ]
    whole = fill == RANDOM and spec.kind.is_defined_quickly(spec)
    places = list(range(results)) if whole else _places(spec, results, seed)
    right = spec.kind.define(spec, q, root, given, places)
    shown = dict(islice(zip(places, right, strict=True), PLACES))
    return Answer(q, root, fill, seed, (*largest.values(),), shown, digest(right, spec.arith) if whole else 0)


def largest_numbers(spec: Spec, q: int) -> dict[str, int]:
    """Return the largest number in each operand, by name.

    Scalars are at most as large as x, because a larger bound would test nothing.
    """
    tops = {name: spec.ranges.top(factor, q) for name, factor in spec.ranges.operands.items()}
    return {name: min(top, tops["x"]) - 1 for name, top in tops.items()}


def _places(spec: Spec, count: int, seed: int) -> list[int]:
    """Return the indices that the test lists: the first, the last and some others, or all if there are few."""
    if count <= PLACES:
        return list(range(count))
    few = PLACES if _thorough(spec) else 3
    middle = np.random.default_rng([seed, count]).choice(count - 2, few - 2, replace=False) + 1
    return sorted({0, count - 1, *map(int, middle)})


def made(fill: str, count: int, arith: Arith, largest: int, seed: int) -> list[int]:
    """Return ``count`` numbers up to ``largest``, which tests/kernels.c reproduces.

    Args:
        fill: How the input is filled.
        count: The number of numbers.
        arith: The words of a number; ``largest`` fills all of them.
        largest: The largest number.
        seed: The seed of the random generator.
    """
    stream = splitmix(seed)
    if fill == RANDOM:
        return [_number(stream, arith, largest) for _ in range(count)]
    if fill == EXTREMES:
        return [largest * (next(stream) & 1) for _ in range(count)]
    return [largest] * count if fill == LARGEST else [int(i == 1 % count) for i in range(count)]


def _number(stream: Iterator[int], arith: Arith, largest: int) -> int:
    """Return a random number below ``largest``: random words whose top word is below that of ``largest``."""
    *low, high = (next(stream) & (1 << arith.word) - 1 for _ in range(arith.words))
    top = arith.word * (arith.words - 1)
    return sum(word << arith.word * i for i, word in enumerate(low)) + (high % (largest >> top) << top)


def splitmix(seed: int) -> Iterator[int]:
    """Yield the numbers of the SplitMix64 generator (Steele, Lea and Flood, OOPSLA 2014)."""
    while True:
        seed = seed + 0x9E3779B97F4A7C15 & MASK
        z = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        yield z ^ z >> 31


def words_of(number: int, arith: Arith) -> list[int]:
    """Return the words of a number, the low one first."""
    return [number >> arith.word * i & (1 << arith.word) - 1 for i in range(arith.words)]


def digest(numbers: Iterable[int], arith: Arith) -> int:
    """Return the FNV-1a hash of numbers, over words instead of bytes."""
    h = 0xCBF29CE484222325
    for word in (word for number in numbers for word in words_of(number, arith)):
        h = (h ^ word) * 0x100000001B3 & MASK
    return h
