"""The exponents of twiddles, in terms of the bits of points' indices.

In a forward transform, stage s transforms time bit k - 1 - s into frequency bit s by x ± v·y, where v is the
root of x^m - v^2 that the previous frequency bits have led to. An inverse transform turns frequency bit s
into time bit k - 1 - s. With decimation in frequency it computes x + y and (x - y)/v with the same v. With
decimation in time its butterflies have the form x ± v·y again, where v depends on the time bits below; if the
transform is negacyclic, this leaves x_j·w^j for a root w of order 2n.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from momagen.kernels.flow.level_twiddles import LevelTwiddles
from momagen.kernels.flow.ring_tree import ring_levels
from momagen.kernels.flow.time_levels import time_levels
from momagen.rpu.isa.kernel import Powers

from .flow import Bit

Weight = Callable[[Bit], int]
"""A function that returns the exponent which a bit of an index contributes."""


@dataclass(frozen=True)
class RingTwiddles:
    """The twiddles of a transform of 2^bits points, as powers of its root.

    Attributes:
        bits: The number of bits of an index.
        negacyclic: Whether the transform is negacyclic.
        inverse: Whether it is the inverse.
        in_time: Whether an inverse transform decimates in time.
    """

    bits: int
    negacyclic: bool
    inverse: bool
    in_time: bool = False

    @property
    def order(self) -> int:
        """The order of the root."""
        return 1 << self.bits + self.negacyclic

    def stage(self, stage: int, lanes: Sequence[Bit], known: Mapping[Bit, int]) -> Powers:
        """Return the twiddles of the butterflies of a stage.

        Args:
            stage: The number of the stage.
            lanes: The bits of the lanes, the lowest first.
            known: The values of other bits, which are the same for all lanes.
        """
        if self.in_time:
            below = self.bits - 1 - stage
            first, *weights = self._exponents(time_levels(1 << self.bits, self.negacyclic)[below])
            return self._powers(first, lambda bit: weights[bit.number] if _time(bit, below) else 0, lanes, known)
        level = ring_levels(1 << self.bits, self.inverse, self.negacyclic)[stage]
        first, *weights = self._exponents(level)
        return self._powers(first, lambda bit: weights[-1 - bit.number] if bit.frequency else 0, lanes, known)

    def weights(self, lanes: Sequence[Bit], known: Mapping[Bit, int]) -> Powers:
        """Return the factors at the end of an inverse transform, for the given time bits: w^-j/n or 1/n.

        Args:
            lanes: The bits of the lanes, the lowest first.
            known: The values of other bits, which are the same for all lanes.
        """
        first, weights = 0, [0] * self.bits
        if self.in_time:
            first, *weights = self._exponents(time_levels(1 << self.bits, self.negacyclic)[-1])
        return self._powers(first, lambda bit: weights[bit.number], lanes, known)._replace(scaled=True)

    def _exponents(self, level: LevelTwiddles) -> list[int]:
        """Return the exponents of the root: the one without any bit, then the contribution of each bit."""
        return [int(turn * self.order) for turn in (level.first, *level.bits)]

    def _powers(self, constant: int, weight: Weight, lanes: Sequence[Bit], known: Mapping[Bit, int]) -> Powers:
        """Return the powers with this constant and these weights of bits.

        Lanes above the last step repeat the words.
        """
        first = constant + sum(weight(bit) for bit, value in known.items() if value)
        steps = [weight(bit) % self.order for bit in lanes]
        while steps and not steps[-1]:
            steps.pop()
        return Powers(first % self.order, tuple(steps))


def _time(bit: Bit, below: int) -> bool:
    """Return whether ``bit`` is a time bit below time bit ``below``."""
    return not bit.frequency and bit.number < below
