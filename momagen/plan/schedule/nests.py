"""The nests of a schedule for processors, with their steps and the edges around them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from momagen.errors import build_error

from .types import Blocks, Edge, Move, Schedule, Step

REMEDY = "change the schedule, or generate the kernel without it"


class NestSteps(NamedTuple):
    """A nest of blocks.

    Attributes:
        nest: The nest.
        steps: Its steps in the order of execution.
        edges: The edges before, between and after its steps.
    """

    nest: Blocks
    steps: tuple[Step | Move, ...]
    edges: tuple[Edge, ...]

    @property
    def computing(self) -> list[Step]:
        """The steps that compute."""
        return [step for step in self.steps if isinstance(step, Step)]


def nests_of(schedule: Schedule) -> list[NestSteps]:
    """Return the nests of a schedule in the order of the forward transform.

    Raises:
        MomagenError: The nests do not contain all steps, or one of them contains none that computes.
    """
    found = [*_nests(schedule)]
    if not found:
        raise build_error("the steps must be in nests of blocks", "schedule.nests", REMEDY)
    return found[::-1] if schedule.breakdown.inverse else found


def _nests(schedule: Schedule) -> Iterator[NestSteps]:
    """Yield the nests in the order of execution; only an inverse transform in natural order has a move before them."""
    steps, own = schedule.steps, schedule.breakdown
    first = int(own.natural and own.inverse)
    if len(steps) - sum(nest.steps for nest in schedule.nests) != own.natural or len(schedule.edges) != len(steps) + 1:
        raise build_error("the nests must contain all steps except a reordering", "schedule.nests", REMEDY)
    for nest in schedule.nests:
        last = first + nest.steps
        if not isinstance(nest, Blocks) or first > last:
            raise build_error("the steps must be in nests of blocks", "schedule.nests", REMEDY)
        found = NestSteps(nest, steps[first:last], schedule.edges[first : last + 1])
        if not found.computing:
            raise build_error("each nest of blocks must contain steps that compute", "schedule.nests", REMEDY)
        yield found
        first = last
