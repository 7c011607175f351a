"""New operands for every timed call, because a branch predictor learns operands that recur.

Most kernels read the results of earlier calls (CHAINED), for instance the transform of a transform. This
needs no more cache. The others get random numbers before each call (REFILLED), and the time of writing them
is subtracted.
"""

from __future__ import annotations

from dataclasses import dataclass

from momagen.kinds.modular.spec import Spec
from momagen.params.primes import is_prime

SAME, CHAINED, REFILLED = range(3)
"""The origins of operands, numbered as in clock.c: always the same numbers, results of earlier calls, random
numbers."""
SCALARS, SCALAR_BYTES = 16, 4096
"""The least number of entries in the array of a scalar operand, and the least size of the array in bytes.
Each call reads the next entry."""
MANY = 1 << 16
"""The modulus above which calls may be chained: sums with a scalar and products by it then do not recur soon."""


@dataclass(frozen=True)
class Draw:
    """The parameters by which clock.c draws random numbers below a limit.

    Attributes:
        words: The number of words of each number.
        top: The index of the highest word that is not zero.
        mask: The mask for the bits of that word.
        most: The number below which that word must be, or 0 if it may have any value.
    """

    words: int
    top: int
    mask: int
    most: int


def fresh(spec: Spec, modulus: int) -> int:
    """Return the origin of the operands of later calls: CHAINED or REFILLED.

    Calls are chained if results have the same range as all vectors and do not recur soon.
    """
    ranges = spec.ranges
    alike = all(ranges.operands[name] == ranges.output for name in ranges.vectors)
    recurs = spec.kind.recurs
    moving = recurs == "never" or (recurs == "composite" and is_prime(modulus))
    return CHAINED if alike and moving and modulus > MANY else REFILLED


def drawn_vectors(spec: Spec, modulus: int) -> Draw:
    """Return the parameters of random vectors for a kernel; their numbers are in the smallest range of all vectors."""
    limit = min(limit_of(spec, modulus, name) for name in spec.ranges.vectors)
    top = (limit.bit_length() - 1) // 64
    most = limit >> 64 * top
    return Draw(spec.row, top, (1 << most.bit_length()) - 1, most)


def limit_of(spec: Spec, modulus: int, operand: str) -> int:
    """Return the exclusive upper bound of an operand, but at most the largest number that its words hold."""
    ranges = spec.ranges
    return min(ranges.top(ranges.operands[operand], modulus), (1 << spec.arith.held) - 1)


def scalars(spec: Spec) -> int:
    """Return the number of entries in the array of a scalar operand."""
    return max(SCALARS, SCALAR_BYTES // (8 * spec.row))
