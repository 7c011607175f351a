"""The steps of the back end, each of which can be disabled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from momagen.errors import among

RECTANGLES, FORWARDING, SPILLING, SCHEDULING = "rectangles", "forwarding", "spilling", "scheduling"
PLACEMENT, PORTS = "placement", "ports"
STEPS: Mapping[str, str] = {
    RECTANGLES: "do several levels of a transform on one part of the data",
    FORWARDING: "replace loads of values that were stored before by registers",
    SPILLING: "keep values in memory if there are not enough registers",
    SCHEDULING: "order instructions so that pipelines stay busy",
    PLACEMENT: "put the registers of an instruction into different memories of the register file",
    PORTS: "schedule with the ports of these memories in mind",
}
"""The steps with their descriptions."""
Steps = frozenset[str]
ALL: Steps = frozenset(STEPS)
"""All steps."""
NAIVE: Steps = frozenset({RECTANGLES, SPILLING})
"""The steps that use nothing of a machine except its number of registers."""
SCHEDULES: Mapping[str, Steps] = {"timed": ALL, "placed": ALL - {PORTS, FORWARDING}, "naive": NAIVE}
"""Common sets of steps.

The set "placed" schedules with latencies and the memories of registers, but not with the ports of these memories, so
that it cannot tell where forwarding pays. The set "naive" uses nothing of a machine except its number of registers.
"""


def steps_without(steps: Steps, names: Iterable[str], where: str = "steps") -> Steps:
    """Return ``steps`` without ``names``.

    Raises:
        MomagenError: A name is not the name of a step.
    """
    for each in (left_out := [*names]):
        if each not in STEPS:
            raise among("one of the back end's steps", STEPS, each, where)
    return steps - {*left_out}
