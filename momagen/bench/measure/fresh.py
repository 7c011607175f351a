"""Fresh operands for every timed call: a branch predictor would learn operands that recur.

Most kernels take what earlier calls wrote (CHAINED): a transform of a transform, a product with the last product. That
needs no more cache. The others get random numbers before each call (REFILLED), whose time is subtracted.
"""

from __future__ import annotations

from dataclasses import dataclass

from momagen.kinds.modular.spec import Spec
from momagen.params.primes import is_prime

SAME, CHAINED, REFILLED = range(3)
"""Where operands come from, as clock.c numbers it: always the same, results of the last calls, random numbers."""
SCALARS, SCALAR_BYTES = 16, 4096
"""Least count of numbers in a scalar's array, and its bytes; calls take one number after another."""
MANY = 1 << 16
"""Least modulus for chaining: sums with a scalar, or products by one, then do not soon recur."""


@dataclass(frozen=True)
class Draw:
    """Random numbers below a limit, for clock.c: words of each, and the index, mask and limit of its highest word."""

    words: int
    top: int
    mask: int
    most: int


def fresh(spec: Spec, modulus: int) -> int:
    """How calls of a kernel get operands: chained where its results have its operands' ranges and keep changing."""
    ranges = spec.ranges
    alike = all(ranges.operands[name] == ranges.output for name in ranges.vectors)
    recurs = spec.kind.recurs
    moving = recurs == "never" or (recurs == "composite" and is_prime(modulus))
    return CHAINED if alike and moving and modulus > MANY else REFILLED


def drawn_vectors(spec: Spec, modulus: int) -> Draw:
    """What the vectors of a kernel are refilled with: numbers of the smallest of their ranges."""
    limit = min(limit_of(spec, modulus, name) for name in spec.ranges.vectors)
    top = (limit.bit_length() - 1) // 64
    most = limit >> 64 * top
    return Draw(spec.row, top, (1 << most.bit_length()) - 1, most)


def limit_of(spec: Spec, modulus: int, operand: str) -> int:
    """The number above an operand's range, or the largest that its words hold."""
    ranges = spec.ranges
    return min(ranges.top(ranges.operands[operand], modulus), (1 << spec.arith.held) - 1)


def scalars(spec: Spec) -> int:
    """How many numbers the array of a scalar has."""
    return max(SCALARS, SCALAR_BYTES // (8 * spec.row))
