"""Known answers for a library's own test: inputs that C reproduces from a seed, and outputs that gmpy2 computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from momagen.errors import among
from momagen.kernels.elementwise.sums import KIND as SUM
from momagen.kernels.residues.arith import Arith
from momagen.kinds.modular.derived.meaning import factor_of_products
from momagen.kinds.modular.kinds import BASEMUL, BLAS, LDE
from momagen.kinds.modular.spec import Spec
from momagen.params.words import Words, from_words, to_words
from momagen.verify.effort import PRODUCT_WORDS, Effort
from momagen.verify.extensions.definition import ExtensionDefinition
from momagen.verify.moduli import even_moduli, other_moduli
from momagen.verify.oracle import Definition, any_root, blas, product, product_at, remainder_products

MASK = (1 << 64) - 1
LENGTH = 100
"""The length of the vectors of element-wise kernels: whole registers of any number of lanes, and a remainder."""
WHOLE = 1 << 25
"""The approximate number of word products up to which every output of a transform is computed by definition."""
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

    Raises:
        MomagenError: The definition of this kind of kernel is not known here.
    """
    if spec.kind not in RIGHT:
        raise among("one of the kernels", RIGHT, spec.kind, "kernel")
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
    return _cheap(spec) or Effort(max(spec.n, 1), spec.arith.words, columns=spec.columns).thorough


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
    whole = fill == RANDOM and _cheap(spec)
    places = list(range(results)) if whole else _places(spec, results, seed)
    right = RIGHT[spec.kind](spec, q, root, given, places)
    shown = dict(islice(zip(places, right, strict=True), PLACES))
    return Answer(q, root, fill, seed, (*largest.values(),), shown, digest(right, spec.arith) if whole else 0)


def largest_numbers(spec: Spec, q: int) -> dict[str, int]:
    """Return the largest number in each operand, by name.

    Scalars are at most as large as x, because a larger bound would test nothing.
    """
    tops = {name: spec.ranges.top(factor, q) for name, factor in spec.ranges.operands.items()}
    return {name: min(top, tops["x"]) - 1 for name, top in tops.items()}


def _cheap(spec: Spec) -> bool:
    """Return whether all outputs can be computed in little time."""
    if spec.kind in ("ntt", LDE):
        return spec.results * spec.n * spec.arith.words <= WHOLE
    return spec.kind == BASEMUL or spec.length * spec.arith.words <= PRODUCT_WORDS


def _places(spec: Spec, count: int, seed: int) -> list[int]:
    """Return the indices that the test lists: the first, the last and some others, or all if there are few."""
    if count <= PLACES:
        return list(range(count))
    few = PLACES if _thorough(spec) else 3
    middle = np.random.default_rng([seed, count]).choice(count - 2, few - 2, replace=False) + 1
    return sorted({0, count - 1, *map(int, middle)})


Right = Callable[[Spec, int, int, Sequence[Words], list[int]], list[int]]


def _product(spec: Spec, q: int, root: int, given: Sequence[Words], places: list[int]) -> list[int]:
    """Return coefficients of the product of two polynomials."""
    x, y = given
    if _cheap(spec):
        all_of_it = product(x, y, q, spec.negacyclic)
        found = [all_of_it[place] for place in places]
    else:
        found = product_at(x, y, places, q, spec.negacyclic)
    return [value * factor_of_products(spec, q) % q for value in found]


def _elementwise(spec: Spec, q: int, root: int, given: Sequence[Words], places: list[int]) -> list[int]:
    """Return elements of the result of an element-wise kernel."""
    first = len(spec.ranges.scalars)
    scalars = [from_words(number)[0] for number in given[:first]]
    return blas(spec, scalars, [vector[places] for vector in given[first:]], q)


def _sums(spec: Spec, q: int, root: int, given: Sequence[Words], places: list[int]) -> list[int]:
    """Return the sum at index 0 and zeros elsewhere, as the library's test has them."""
    total = sum(_elementwise(spec, q, root, given, list(range(LENGTH)))) % q
    return [total if place == 0 else 0 for place in places]


RIGHT: dict[str, Right] = {
    "ntt": lambda spec, q, root, given, places: Definition(spec, q, root).outputs(given[0], places),
    "polymul": _product,
    LDE: lambda spec, q, root, given, places: ExtensionDefinition(spec, q, root).outputs(given[0], places),
    BASEMUL: lambda spec, q, root, given, places: remainder_products(spec, q, root, given[0], given[1], places),
    **dict.fromkeys(BLAS, _elementwise),
    SUM: _sums,
}
"""The functions that compute the correct outputs at some indices, by kind of kernel."""


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
