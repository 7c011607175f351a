"""Schedules that state impossible choices are refused with the field that states them and the reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

import momagen as mg
from momagen.kinds.modular.make_spec import make_spec
from momagen.lower.arrays.codelets import ArrayCodelets
from momagen.lower.arrays.matrices import matrix_steps
from momagen.lower.setup.exponents import nodes_of, tree_of
from momagen.plan.planners.matrices import matrix_plan
from momagen.plan.planners.single_limb import StepPlanner
from momagen.plan.planners.whole_words import words_schedule
from momagen.plan.schedule.matrices import MatrixTransform
from momagen.plan.schedule.types import LONG_RING, WORD, Step
from momagen.plan.ways import plans

IFMA: dict[str, Any] = {"n": 1024, "modulus_bits": 52, "target": "avx512ifma"}
COLUMNS: dict[str, Any] = {"n": 64, "modulus_bits": 50, "columns": 12, "target": "avx512ifma"}
DOUBLES: dict[str, Any] = {"n": 65536, "modulus_bits": 44, "target": "avx2"}
STEPS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (IFMA, {"residues": LONG_RING}, "schedule.residues: the lanes of values follow from the number of points"),
    (IFMA, {"residues": WORD}, "schedule.residues: residues are limb"),
    (IFMA, {"rows": (2, 3)}, "schedule.steps: rows have 3 levels on whole vectors and 3 across lanes"),
    (IFMA, {"columns": ((5, -1),)}, "schedule.steps: a step has at most 4 levels"),
    ({**IFMA, "n": 32768}, {"columns": ((4, 4, 1),)}, "schedule.steps: .* and several steps at most 8"),
    (DOUBLES, {"columns": ((3,), (3,), (3,), (2,), (1,))}, "schedule.nests: .* must leave at least 16 blocks"),
    (COLUMNS, {"columns": ((3,), (3,))}, "schedule.nests: the levels of the last pass follow from the number of col"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "changes", "said"), STEPS)
def test_steps_that_the_machine_does_not_have_are_refused(
    asked: dict[str, Any], changes: dict[str, Any], said: str
) -> None:
    usual = StepPlanner(make_spec("ntt", **asked))
    usual.check(usual.choices)
    with pytest.raises(mg.MomagenError, match=f"^{said}"):
        usual.check(usual.choices._replace(**changes))


def no_nests(data: Any) -> None:
    data["nests"] = []


def one_step_less(data: Any) -> None:
    data["nests"][0]["steps"] -= 1


def one_step_more(data: Any) -> None:
    data["nests"][0]["steps"] += 1


def one_edge_less(data: Any) -> None:
    del data["edges"][-1]


def first_nest_empty(data: Any) -> None:
    data["nests"][1]["steps"] += data["nests"][0]["steps"]
    data["nests"][0]["steps"] = 0


def blocks_for_tiles(data: Any) -> None:
    data["nests"] = [
        {"nest": "blocks"} | {name: each[name] for name in ("steps", "blocks", "columns", "together")}
        for each in data["nests"]
    ]


def other_radices(data: Any) -> None:
    data["breakdown"]["radices"] = [2, 8, 2]


ON_ONE_LIMB: dict[str, Any] = {"n": 4096, "modulus_bits": 52, "target": "avx512ifma"}
ON_LIMBS: dict[str, Any] = {"n": 4096, "modulus_bits": 124, "target": "avx512ifma"}
ON_MATRICES: dict[str, Any] = {"n": 4096, "modulus_bits": 28, "target": "jax_tpu"}
ON_WORDS: dict[str, Any] = {"n": 64, "modulus_bits": 60, "target": "c"}
EDITED: list[tuple[dict[str, Any], Callable[[Any], None], str]] = [
    (ON_ONE_LIMB, no_nests, "schedule.nests: the nests must contain all steps except a reordering"),
    (ON_ONE_LIMB, one_step_less, "schedule.nests: the nests must contain all steps except a reordering"),
    (ON_ONE_LIMB, one_edge_less, "schedule.nests: the nests must contain all steps except a reordering"),
    (ON_ONE_LIMB, first_nest_empty, "schedule.nests: each nest of blocks must contain steps that compute"),
    (ON_LIMBS, blocks_for_tiles, "schedule.nests: the nests of reduced-radix limbs are tiles"),
    (ON_MATRICES, no_nests, "schedule.nests: the steps must be in nests of products with matrices"),
    (ON_MATRICES, first_nest_empty, "schedule.nests: each nest must contain one product with a matrix"),
    (ON_MATRICES, one_edge_less, "schedule.edges: there must be one edge more than there are steps"),
    (ON_WORDS, other_radices, r"schedule.breakdown.radices: expected \[\], or for the data flow ring radices"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "edit", "said"), EDITED)
def test_nests_without_their_steps_are_refused(asked: dict[str, Any], edit: Callable[[Any], None], said: str) -> None:
    data = json.loads(mg.ntt(**asked).schedule)
    edit(data)
    with pytest.raises(mg.MomagenError, match=f"^{said}"):
        _ = mg.ntt(**asked, schedule=json.dumps(data)).source


def test_options_that_a_schedule_states_are_refused() -> None:
    text = mg.ntt(**ON_WORDS).schedule
    with pytest.raises(mg.MomagenError, match="`schedule` cannot be combined with `radix`, which the schedule states"):
        _ = mg.ntt(**ON_WORDS, radix=2, schedule=text).source


def test_matrices_need_engines() -> None:
    with pytest.raises(mg.MomagenError, match="`dense` is not available on c, which has no matrix engines"):
        _ = mg.ntt(**ON_WORDS, dense=8).source


def test_twiddles_between_matrices_are_powers_row_by_row() -> None:
    plan = matrix_plan(make_spec("ntt", **ON_MATRICES))
    assert isinstance(plan, MatrixTransform)
    codelets = ArrayCodelets(plan.target.of_width(28), replace(plan.arith, modulus=0), plan.target.materialised, ())
    assert len(matrix_steps(plan, codelets)) == 3
    step = plan.schedule.steps[1]
    assert isinstance(step, Step)
    low, high = step.table.bits[0], step.table.bits[-1]
    turns = {**step.table.common, frozenset({low, high}): Fraction(1, 4)}
    steps = (plan.schedule.steps[0], replace(step, table=replace(step.table, common=turns)), *plan.schedule.steps[2:])
    with pytest.raises(mg.MomagenError, match="twiddles that are powers row by row"):
        matrix_steps(replace(plan, chosen=replace(plan.schedule, steps=steps)), codelets)


def test_twiddles_of_a_tree_are_its_nodes() -> None:
    plan = plans(make_spec("ntt", **ON_WORDS, negacyclic=True)).first
    first, second, *_ = words_schedule(plan.breakdown, plan.arith).computing
    assert tree_of([first, second], plan.breakdown) == nodes_of(first, plan.breakdown)[0]
    with pytest.raises(mg.MomagenError, match="the twiddles of a step are not the nodes of a tree"):
        tree_of([first, first], plan.breakdown)
