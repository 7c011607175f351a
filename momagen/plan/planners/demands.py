"""What a planner demands of the choices in an edited schedule."""

from __future__ import annotations

from collections.abc import Iterable

from momagen.errors import build_error
from momagen.plan.schedule.nests import REMEDY


def check_demands(demands: Iterable[tuple[bool, str, str]]) -> None:
    """Check that all demands are met.

    Args:
        demands: For each demand, whether it is met, the field of the schedule, and the problem if it is not met.

    Raises:
        MomagenError: A demand is not met; the error names the first one.
    """
    for is_met, place, problem in demands:
        if not is_met:
            raise build_error(problem, f"schedule.{place}", REMEDY)
