"""Plans of transforms on arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from momagen.languages import MachineModel

from .planners.arrays import array_schedule
from .schedule.checks.check import edited
from .schedule.types import Schedule
from .word_plan import WordPlan

RADIX = 2
"""The default radix. A compiler of arrays turns each pass into a loop, and larger radices were not faster on
CPUs."""


@dataclass(frozen=True)
class ArrayPlan(WordPlan):
    """A plan of one transform whose passes are operations on whole arrays."""

    @property
    def radix(self) -> int:
        """The largest radix of a pass, at most n."""
        return min(self.spec.options.radix or RADIX, self.spec.n)

    @property
    def why(self) -> str:
        """The property of the machine that determines the transpositions."""
        return f"axes      transposed if the last axis is shorter than {self.target.minor}"

    @cached_property
    def schedule(self) -> Schedule:
        """The steps of the transform."""
        if text := self.spec.options.schedule:
            return edited(text, self.limits, MachineModel.ARRAYS)
        return array_schedule(self._usual(), max(1, self.target.minor // self.spec.columns))
