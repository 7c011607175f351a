"""Exponents of twiddles, by the bits of points' numbers.

Forward, stage s turns time bit k - 1 - s into frequency bit s: x ± v·y, where v is the root of x^m - v^2 that the
frequency bits so far have led to. Backward it turns frequency bit s into time bit k - 1 - s: in frequency, x + y and
(x - y)/v with the same v; or in time, which has the form x ± v·y again, where v depends on the time bits below, and of
a negacyclic transform leaves x_j·w^j, w of order 2n.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from momagen.kernels.flow.ring_tree import LevelTwiddles, ring_levels
from momagen.kernels.flow.time_levels import time_levels
from momagen.rpu.isa.kernel import Powers

from .flow import Bit

Weight = Callable[[Bit], int]


@dataclass(frozen=True)
class RingTwiddles:
    """Those of a transform of 2^bits points, as powers of its root; ``in_time``: backward in time."""

    bits: int
    negacyclic: bool
    inverse: bool
    in_time: bool = False

    @property
    def order(self) -> int:
        """Of the root."""
        return 1 << self.bits + self.negacyclic

    def stage(self, stage: int, lanes: Sequence[Bit], known: Mapping[Bit, int]) -> Powers:
        """Of butterflies of a stage.

        Args:
            lanes: bits of the lanes, the lowest first. known: other bits that are the same for all lanes.
        """
        if self.in_time:
            below = self.bits - 1 - stage
            first, *weights = self._exponents(time_levels(1 << self.bits, self.negacyclic)[below])
            return self._powers(first, lambda bit: weights[bit.number] if _time(bit, below) else 0, lanes, known)
        level = ring_levels(1 << self.bits, self.inverse, self.negacyclic)[stage]
        first, *weights = self._exponents(level)
        return self._powers(first, lambda bit: weights[-1 - bit.number] if bit.frequency else 0, lanes, known)

    def weights(self, lanes: Sequence[Bit], known: Mapping[Bit, int]) -> Powers:
        """What the end of a transform backward is multiplied by, for the time bits that are given: w^-j/n or 1/n."""
        first, weights = 0, [0] * self.bits
        if self.in_time:
            first, *weights = self._exponents(time_levels(1 << self.bits, self.negacyclic)[-1])
        return self._powers(first, lambda bit: weights[bit.number], lanes, known)._replace(scaled=True)

    def _exponents(self, level: LevelTwiddles) -> list[int]:
        """Return the exponents of the root: without any bit, then what each bit adds."""
        return [int(turn * self.order) for turn in (level.first, *level.bits)]

    def _powers(self, constant: int, weight: Weight, lanes: Sequence[Bit], known: Mapping[Bit, int]) -> Powers:
        first = constant + sum(weight(bit) for bit, value in known.items() if value)
        steps = [weight(bit) % self.order for bit in lanes]
        while steps and not steps[-1]:
            steps.pop()
        return Powers(first % self.order, tuple(steps))


def _time(bit: Bit, below: int) -> bool:
    return not bit.frequency and bit.number < below
