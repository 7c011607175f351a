"""Schedules for long vectors that are edited by hand: they are refused with a reason, or their programs are correct."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest
from support.schedules import mutations

import momagen as mg
from momagen.plan.schedule.codec import from_json, to_json
from momagen.plan.schedule.passes import formula_of
from momagen.rpu.programs.schedules import transform_schedule
from momagen.rpu.programs.transform import TransformShape

Asked = dict[str, Any]
Edit = Callable[[Any], None]


def made(shape: TransformShape, schedule: str = "") -> mg.Kernel:
    """The kernel of a transform, with a schedule or with the planner's."""
    given = {"schedule": schedule} if schedule else {}
    return mg.ntt(
        shape.n, modulus_bits=100, target="b512", inverse=shape.inverse, negacyclic=shape.negacyclic, **given
    )  # fmt: skip


def code(kernel: mg.Kernel) -> list[str]:
    """The lines of a program without comments."""
    return [line for line in kernel.source.splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("flow", ["pease", "unpacked", "strided"])
@pytest.mark.parametrize(("n", "depth"), [(1024, 1), (2048, 2), (4096, 1)])
@pytest.mark.parametrize(("inverse", "in_time"), [(False, False), (True, False), (True, True)])
def test_other_passes_compute_the_same(n: int, depth: int, inverse: bool, in_time: bool, flow: str) -> None:
    shape = TransformShape(n, flow != "pease", inverse, flow, depth, in_time)
    schedule = to_json(transform_schedule(shape))
    kernel = made(shape, schedule)
    assert kernel.schedule == schedule and kernel.verify().ok


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("n", [1024, 8192])
def test_the_planned_schedule_has_the_planned_program(n: int, inverse: bool) -> None:
    usual = made(TransformShape(n, inverse=inverse))
    assert code(made(TransformShape(n, inverse=inverse), usual.schedule)) == code(usual)


def test_the_order_of_rectangles_may_change() -> None:
    shape = TransformShape(4096, flow="strided", depth=1)
    schedule = json.loads(to_json(transform_schedule(shape)))
    schedule["nests"][3]["blocks"].reverse()
    kernel = made(shape, json.dumps(schedule))
    assert code(kernel) != code(made(shape, to_json(transform_schedule(shape)))) and kernel.verify().ok


@pytest.mark.parametrize(("first", "step"), [(5, 11), pytest.param(0, 1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("inverse", [False, True])
def test_every_change_of_one_value_is_refused(inverse: bool, first: int, step: int) -> None:
    """Registers hold all vectors of 1,024 points, so that everything follows from the order of the steps."""
    shape, refused = TransformShape(1024, inverse=inverse), 0
    for other in islice(mutations(json.loads(to_json(transform_schedule(shape)))), first, None, step):
        with pytest.raises(mg.MomagenError, match=r"^schedule[^\n]*$"):
            made(shape, json.dumps(other))
        refused += 1
    assert refused > 200


EDITS: list[tuple[Edit, str]] = [
    (lambda data: data["nests"][0].update(blocks=[0]), r"schedule.nests\[0\].blocks: blocks are different index bits"),
    (lambda data: data["nests"][0].update(steps=0), "schedule.nests: the rectangles must contain each of the 12 steps"),
    (lambda data: data["nests"].__setitem__(0, {"nest": "launch", "steps": 1, "blocks": [], "threads": 1, "padding": 1,
                                                "resident": 1, "resident_multiplying": 0}),
     "schedule.nests: the nests of long vectors are rectangles"),
    (lambda data: data["edges"][1].update(memory="x"), r"schedule.edges\[1\].memory: expected y or t, got x"),
    (lambda data: data["edges"][1].update(memory="y"),
     r"schedule.edges\[2\].memory: a pass must not write the memory that it reads"),
    (lambda data: data["edges"][3].update(order=[9, 2, *range(3, 9), 10, 11, 0, 1]),
     r"schedule.edges\[3\].order: the lanes"),
    (lambda data: data["steps"][2].update(lanes=[]), r"schedule.steps\[2\].lanes: the vectors in registers have the"),
    (lambda data: data["steps"][2].update(loops=[3, 2]), r"schedule.steps\[2\].loops: the other vectors have"),
    (lambda data: data["steps"][0].update(decimation="frequency"),
     r"schedule.steps\[0\].decimation: all steps have the same decimation"),
    (lambda data: data["steps"][5].update(reduction="shoup"), r"schedule.steps\[5\]: one instruction reduces values"),
    (lambda data: data["steps"][5]["table"].update(entry=["v"]), r"schedule.steps\[5\].table.entry: a table contains"),
    (lambda data: data["steps"][5]["table"]["bits"].reverse(), r"schedule.steps\[5\].table.bits: the bits of a table"),
    (lambda data: data.update(residues="limb"), "schedule.residues: expected words, got limb"),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "message"), EDITS)
def test_errors_name_the_field_and_the_reason(edit: Edit, message: str) -> None:
    shape = TransformShape(4096, flow="strided", depth=1)
    schedule = json.loads(to_json(transform_schedule(shape)))
    edit(schedule)
    with pytest.raises(mg.MomagenError, match=message):
        made(shape, json.dumps(schedule))


def test_explanations_have_the_formula_of_the_schedule() -> None:
    """Inverse programs decimate in time if their tables fit the memory."""
    found = mg.explain("ntt", n=1024, modulus_bits=100, target="b512", inverse=True)
    breakdown = from_json(made(TransformShape(1024, inverse=True)).schedule).breakdown
    assert breakdown.algorithm == "cooley_tukey" and f"formula   {formula_of(breakdown)}" in found.text()
