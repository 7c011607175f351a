"""Planners that make a few choices. A schedule states these choices, and everything else in it follows from them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from momagen.errors import build_error
from momagen.kinds.modular.spec import Spec
from momagen.plan.schedule.checks.check import restated
from momagen.plan.schedule.nests import REMEDY
from momagen.plan.schedule.transform import ScheduledTransform
from momagen.plan.schedule.types import Schedule

Choices = TypeVar("Choices")
Demand = tuple[bool, str, str]
"""Whether a demand on choices is met, the field of the schedule that states them, and the problem if it is not met."""


@dataclass(frozen=True)
class ChoicePlanner(ABC, Generic[Choices]):
    """The planner of one transform.

    Attributes:
        spec: The specification of the transform, without a schedule.
        product: Whether the transform is part of a product of polynomials.
    """

    spec: Spec
    product: bool = False

    @classmethod
    def plan(cls, spec: Spec, product: bool = False) -> ScheduledTransform:
        """Return a transform with the planner's schedule, or with that of the option ``schedule``.

        Args:
            spec: The specification of the transform.
            product: Whether the transform is part of a product of polynomials.

        Raises:
            MomagenError: The schedule of the option does not compute the transform.
        """
        text = spec.options.schedule
        own = cls(replace(spec, options=spec.options.without("schedule")) if text else spec, product)
        usual = own.scheduled(own.choices)
        return own.transform(restated(text, usual, own.again) if text else usual)

    @property
    @abstractmethod
    def choices(self) -> Choices:
        """The choices of the planner."""

    @abstractmethod
    def scheduled(self, made: Choices) -> Schedule:
        """Return the schedule that follows from choices."""

    @staticmethod
    @abstractmethod
    def stated(schedule: Schedule) -> Choices:
        """Return the choices that a schedule states."""

    @abstractmethod
    def transform(self, schedule: Schedule) -> ScheduledTransform:
        """Return the transform with a schedule."""

    @abstractmethod
    def demands(self, stated: Choices) -> Iterator[Demand]:
        """Yield the demands on the choices of a schedule. Each assumes that the ones before it are met."""

    def check(self, stated: Choices) -> None:
        """Check that the choices of a schedule are possible.

        Raises:
            MomagenError: A choice is not possible; the error names the first demand that is not met.
        """
        for is_met, place, problem in self.demands(stated):
            if not is_met:
                raise build_error(problem, f"schedule.{place}", REMEDY)

    def again(self, found: Schedule) -> Schedule:
        """Return the schedule that follows from the choices in a schedule, after their check."""
        stated = self.stated(found)
        self.check(stated)
        return self.scheduled(stated)
