"""A transform of a kernel with its schedule, which every planner returns and from which code is lowered."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from momagen.kernels.flow.layouts import USER
from momagen.kernels.residues.arith import Arith
from momagen.kinds.modular.derived.sharing import is_split
from momagen.kinds.modular.spec import Spec
from momagen.targets import Target

from .types import Breakdown, Schedule, Step


@dataclass(frozen=True)
class ScheduledTransform(ABC):
    """A plan of one transform.

    Attributes:
        spec: The specification of the transform.
        product: Whether the transform is part of a product of polynomials.
    """

    spec: Spec
    product: bool = False

    @property
    @abstractmethod
    def schedule(self) -> Schedule:
        """The steps of the transform."""

    @property
    def breakdown(self) -> Breakdown:
        """The transform and its breakdown into the butterflies of the steps."""
        return self.schedule.breakdown

    @cached_property
    def target(self) -> Target:
        """The target."""
        return self.spec.target

    @property
    def lanes(self) -> int:
        """The number of lanes of a vector, or 1 for code without vectors."""
        return self.target.lanes

    @cached_property
    def arith(self) -> Arith:
        """The representation and multiplication of residues in words."""
        return self.spec.arith

    @property
    def shortest(self) -> int:
        """The number of bits that every modulus exceeds."""
        return self.arith.shortest

    @property
    def layout(self) -> str:
        """The layout of the points between the transforms of a product."""
        return USER

    @property
    def split(self) -> bool:
        """Whether threads share one transform."""
        return is_split(self.spec)

    @property
    @abstractmethod
    def notes(self) -> Sequence[str]:
        """Notes on the plan for reports."""

    @property
    @abstractmethod
    def why(self) -> str:
        """The properties of the machine that determine the steps."""

    def words_of_tables(self, at: int, steps: Sequence[Step]) -> int:
        """Return the number of words of the tables of steps, which are those of nest ``at`` if there are nests."""
        return sum(step.entries for step in steps) * self.arith.twiddle_words

    @property
    def inner_words(self) -> int:
        """The number of words of a value in a tile."""
        return self.arith.words

    @property
    def held(self) -> str:
        """A description of the representation of residues."""
        limbs = f"{self.arith.words} full-radix limb{'s' * (self.arith.words > 1)} of {self.arith.word} bits"
        return f"{limbs}, q of up to {self.arith.bits} bits"


class TransformPlans(NamedTuple):
    """The transforms of one kernel.

    Attributes:
        way: The data flow of all transforms, a key of :data:`momagen.plan.ways.PLANS`.
        by_prefix: The transforms by the prefix of the names of their functions, which is "" if there is only one
            transform.
    """

    way: str
    by_prefix: Mapping[str, ScheduledTransform]

    @property
    def first(self) -> ScheduledTransform:
        """The only transform, or the first one."""
        return next(iter(self.by_prefix.values()))
