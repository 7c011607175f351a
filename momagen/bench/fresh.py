"""Where every timed call finds operands of its own: a branch predictor learns by heart what it sees again and again.

Most kernels take what earlier calls wrote: a transform of a transform, a product with the last product. That costs no
room in any cache. The others get random numbers before each call, whose time is taken off.
"""

from __future__ import annotations

from dataclasses import dataclass

from momagen.kernels.spec import Spec
from momagen.params.primes import is_prime

SAME, CHAINED, REFILLED = range(3)
"""As clock.c has them: nowhere, in what the last calls wrote, in random numbers."""
SCALARS, SCALAR_BYTES = 16, 4096
"""Numbers in the array of a scalar at least, and its size: calls take them in turn."""
DRIFTING = ("ntt", "vadd", "vsub", "axpy", "vadds", "vsubs")
"""Kernels whose results, taken as operands, go on and on: a bijection of the vectors, for almost any scalar."""
MANY = 1 << 16
"""Residues enough that sums with a scalar, or products by one, do not soon recur."""
GROWING = ("polymul", "vmul", "scal")
"""Products: so do these where no factor divides zero. Negation, reduction and comparisons come to rest."""


@dataclass(frozen=True)
class Draw:
    """Random numbers below a limit, for clock.c: words of each, and of its highest word index, mask and limit."""

    words: int
    top: int
    mask: int
    most: int


def fresh(spec: Spec, modulus: int) -> int:
    """How calls of a kernel get operands: chained where its results lie as its vectors do and never come to rest."""
    ranges = spec.ranges
    alike = all(ranges.operands[name] == ranges.output for name in ranges.vectors)
    moving = spec.kind in DRIFTING or (spec.kind in GROWING and is_prime(modulus))
    return CHAINED if alike and moving and modulus > MANY else REFILLED


def drawn_vectors(spec: Spec, modulus: int) -> Draw:
    """What the vectors of a kernel are refilled with: numbers of the smallest of their ranges."""
    limit = min(limit_of(spec, modulus, name) for name in spec.ranges.vectors)
    top = (limit.bit_length() - 1) // 64
    most = limit >> 64 * top
    return Draw(spec.arith.words, top, (1 << most.bit_length()) - 1, most)


def limit_of(spec: Spec, modulus: int, operand: str) -> int:
    """The number above an operand's range, or the largest that its words hold."""
    ranges = spec.ranges
    return min(ranges.top(ranges.operands[operand], modulus), (1 << spec.arith.held) - 1)


def scalars(spec: Spec) -> int:
    """How many numbers the array of a scalar has."""
    return max(SCALARS, SCALAR_BYTES // (8 * spec.arith.words))
