"""A transform of a kernel with its schedule, which every planner returns and from which code is lowered."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from momagen.kernels.flow.layouts import USER
from momagen.kernels.residues.arith import Arith
from momagen.kinds.modular.spec import Spec
from momagen.plan.tree import PlannedPass
from momagen.targets import Target

from .types import Breakdown, Schedule


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
    @abstractmethod
    def notes(self) -> Sequence[str]:
        """Notes on the plan for reports."""

    @property
    @abstractmethod
    def why(self) -> str:
        """The properties of the machine that determine the steps."""

    @abstractmethod
    def planned(self) -> list[PlannedPass]:
        """Return the passes in the order of execution."""

    @property
    def held(self) -> str:
        """A description of the representation of residues."""
        limbs = f"{self.arith.words} full-radix limb{'s' * (self.arith.words > 1)} of {self.arith.word} bits"
        return f"{limbs}, q of up to {self.arith.bits} bits"
