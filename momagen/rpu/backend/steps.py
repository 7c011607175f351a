"""The steps of the back end, each of which can be disabled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from momagen.errors import among

RECTANGLES, FORWARDING, SPILLING, SCHEDULING = "rectangles", "forwarding", "spilling", "scheduling"
PLACEMENT, PORTS = "placement", "ports"
STEPS: Mapping[str, str] = {
    RECTANGLES: "several stages of a transform on part of the data",
    FORWARDING: "registers in the place of loads of what was stored before",
    SPILLING: "values in memory where there are not enough registers",
    SCHEDULING: "an order that keeps pipelines at work",
    PLACEMENT: "registers of an instruction in different memories of the register file",
    PORTS: "the scheduler knows when ports of these memories are taken",
}
Steps = frozenset[str]
ALL: Steps = frozenset(STEPS)
NAIVE: Steps = frozenset({RECTANGLES, SPILLING})
SCHEDULES: Mapping[str, Steps] = {"timed": ALL, "placed": ALL - {PORTS, FORWARDING}, "naive": NAIVE}
"""Common sets. The placed one knows latencies and memories of registers, not when their ports are taken: it could not
tell where forwarding pays. The naive one knows nothing of a machine but how many registers it has."""


def steps_without(steps: Steps, names: Iterable[str], where: str = "steps") -> Steps:
    """Return ``steps`` without ``names``.

    Raises:
        MomagenError: a name is not the name of a step.
    """
    for each in (left_out := [*names]):
        if each not in STEPS:
            raise among("one of the back end's steps", STEPS, each, where)
    return steps - {*left_out}
