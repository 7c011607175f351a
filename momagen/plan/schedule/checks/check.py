"""The check of a schedule: that it computes its transform, within memory and ranges, on a given machine."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from momagen.errors import MomagenError, build_error
from momagen.languages import MachineModel
from momagen.plan.schedule.codec import from_json, to_data
from momagen.plan.schedule.nests import REMEDY
from momagen.plan.schedule.types import Schedule

from . import arrays, processors, rectangles, threads
from .formula import factors, ranges, requested, transform
from .limits import Problems, ScheduleLimits

Check = Callable[[Schedule, ScheduleLimits], Problems]
CHECKS: Mapping[MachineModel, Sequence[Check]] = {
    MachineModel.PROCESSOR: (transform, processors.shape, factors, processors.vectors, processors.memories, ranges),
    MachineModel.ARRAYS: (transform, arrays.shape, factors, arrays.steps, ranges),
    MachineModel.MODULAR: (transform, rectangles.shape, factors, rectangles.vectors),
    MachineModel.THREADS: (transform, threads.shape, threads.bits, factors, threads.launches, ranges),
}
"""The checks for each model of machines, in their order. Each assumes that the ones before it found nothing."""


def check_schedule(schedule: Schedule, limits: ScheduleLimits, machine: MachineModel = MachineModel.PROCESSOR) -> None:
    """Check that a schedule computes the transform that was requested.

    Args:
        schedule: The schedule.
        limits: The request and the facts of the machine.
        machine: The model of the machine.

    Raises:
        MomagenError: The schedule does not compute the transform; the error names the first field at fault.
    """
    for check in CHECKS[machine]:
        for where, problem in check(schedule, limits):
            raise build_error(problem, f"schedule.{where}", REMEDY)


def edited(text: str, limits: ScheduleLimits, machine: MachineModel = MachineModel.PROCESSOR) -> Schedule:
    """Return the schedule that a JSON text describes, after its check.

    Raises:
        MomagenError: The text does not describe a schedule, or it does not compute what was requested.
    """
    found = from_json(text)
    check_schedule(found, limits, machine)
    return found


def restated(text: str, usual: Schedule, again: Callable[[Schedule], Schedule]) -> Schedule:
    """Return the schedule that a JSON text describes, after a comparison with the one that its choices lead to.

    Args:
        text: The JSON text.
        usual: The schedule of the planner for the same transform.
        again: A function that returns the schedule that follows from the choices in a schedule.

    Raises:
        MomagenError: The text does not describe a schedule, or it does not compute what was requested.
    """
    found = from_json(text)
    for where, problem in requested(found.breakdown, usual.breakdown):
        raise build_error(problem, f"schedule.{where}", REMEDY)
    check_equal(found, again(found))
    return found


def check_equal(found: Schedule, wanted: Schedule) -> None:
    """Check that a schedule equals the one that follows from its choices.

    Args:
        found: The schedule.
        wanted: The schedule that follows from the choices in ``found``.

    Raises:
        MomagenError: A value differs; the error names the first one.
    """
    for where, got, expected in _differences(to_data(found), to_data(wanted), "schedule"):
        raise MomagenError(json.dumps(expected), json.dumps(got), where, REMEDY)


def _differences(found: Any, wanted: Any, where: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield the places where two values of JSON differ, with both values."""
    if isinstance(found, dict) and isinstance(wanted, dict) and found.keys() == wanted.keys():
        for key in found:
            yield from _differences(found[key], wanted[key], f"{where}.{key}")
    elif isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        for at, pair in enumerate(zip(found, wanted, strict=True)):
            yield from _differences(*pair, f"{where}[{at}]")
    elif found != wanted:
        yield where, found, wanted
