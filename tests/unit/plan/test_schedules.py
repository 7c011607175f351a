"""Schedules as data: planned schedules pass the check, and JSON keeps every field."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import momagen as mg
from momagen.errors import MomagenError
from momagen.formula.breakdown import ALGORITHMS
from momagen.kernels.flow.layouts import LANES, USER
from momagen.kernels.residues.arith import Arith
from momagen.kinds.modular.make_spec import make_spec
from momagen.plan.planners.reduced_radix import LimbPlanner
from momagen.plan.planners.single_limb import StepPlanner
from momagen.plan.planners.whole_words import words_schedule
from momagen.plan.schedule.checks.check import check_schedule
from momagen.plan.schedule.checks.limits import ScheduleLimits
from momagen.plan.schedule.codec import canonical, from_json, to_json
from momagen.plan.schedule.depth_first.one_limb import StepTransform
from momagen.plan.schedule.depth_first.reduced_radix import LimbTransform
from momagen.plan.schedule.factors import named_factors
from momagen.plan.schedule.nests import nests_of
from momagen.plan.schedule.types import LIMB_MEMORY, LIMBS, OPEN_LIMBS, TILE, Breakdown, Schedule, Step
from momagen.plan.ways import plans

SHAPES = [(1, 1), (4, 1), (8, 1), (1, 3), (8, 2), (4, 11), (8, 24)]
"""Lanes and columns."""
RINGS = list(product((False, True), repeat=3))
"""Whether a transform is inverse, negacyclic and in natural order."""


@pytest.mark.sampled(12)
@pytest.mark.parametrize("radix", [2, 4, 8, 16])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_planned_schedules_pass_the_check(algorithm: str, radix: int) -> None:
    for (lanes, columns), ring, n, bits in product(SHAPES, RINGS, (64, 512), (30, 61, 124)):
        if n * min(columns, lanes) < radix * lanes:
            continue
        arith, asked = Arith(bits), Breakdown(algorithm, n, radix, False, (), *ring, 1, 0, 1, 0)
        made = words_schedule(asked, arith, lanes, columns, ranges=(1, 1))
        check_schedule(made, ScheduleLimits(asked, arith, columns, 1, 1, lanes=lanes))
        assert from_json(to_json(made)) == made == from_json(canonical(to_json(made)))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("target", ["cuda", "jax", "avx2"])
@pytest.mark.parametrize("options", [{}, {"algorithm": "stockham"}, {"algorithm": "pease"}, {"reduction": "tight"}])
def test_planned_schedules_of_all_machines_pass_the_check(target: str, options: dict[str, str]) -> None:
    """A kernel that is generated with the schedule of the planner has the planned schedule."""
    for n, columns, inverse, order in product((2, 64, 4096), (1, 4), (False, True), ("bitrev", "natural")):
        asked = {"n": n, "bits": 128, "target": target, "columns": columns, "inverse": inverse, "order": order}
        own = {**options, "limbs": "full"} if target == "avx2" else options
        kernel = mg.ntt(**asked, **own)
        assert mg.ntt(**asked, **own, schedule=kernel.schedule).schedule == kernel.schedule


ONE_LIMB = list(product(("avx512ifma", "avx2", "avx512", "avx2_words16", "avx2_words32"), (14, 28, 44, 50, 60)))


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("target", "bits"), ONE_LIMB)
def test_schedules_of_one_limb_state_the_choices_of_the_planner(target: str, bits: int) -> None:
    """The steps are those of the formula, and their choices lead to the same schedule again."""
    shapes = product((16, 256, 4096, 1 << 17), (False, True), ("bitrev", "natural"), (1, 2, 3, 11), (False, True))
    for n, inverse, order, columns, negacyclic in shapes:
        try:
            spec = make_spec("ntt", n=n, modulus_bits=bits, target=target, inverse=inverse, order=order,
                             columns=columns, negacyclic=negacyclic)  # fmt: skip
        except MomagenError as error:
            assert error.where in ("modulus_bits", "n"), error
            continue
        plan = plans(spec).first
        if isinstance(plan, StepTransform):
            usual = StepPlanner(spec)
            usual.check(usual.choices)
            assert plan.choices == usual.choices
            assert from_json(to_json(plan.schedule)) == usual.scheduled(plan.choices) == plan.schedule


@pytest.mark.whole
@pytest.mark.parametrize(("target", "bits", "columns"), [("avx2", 60, 2), ("avx2_words32", 28, 3), ("avx512", 28, 2)])
def test_passes_as_deep_as_the_cache_allows_are_accepted(target: str, bits: int, columns: int) -> None:
    planner = StepPlanner(make_spec("ntt", n=4096, modulus_bits=bits, target=target, columns=columns))
    planner.check(planner.choices)


REDUCED = list(product(("avx512ifma", "avx2", "avx512"), (46, 60, 100, 124, 255, 381)))
LIMB_OPTIONS: list[dict[str, str]] = [
    {}, {"levels": "3"}, {"storage": "words", "levels": "2"}, {"constants": "memory"}, {"quotients": "computed"},
    {"interleave_butterflies": "yes", "interleave_blocks": "2"}, {"chain": "16", "twiddles": "packed"},
    {"prefetch": "yes", "levels": "2"},
]  # fmt: skip


@pytest.mark.sampled(8)
@pytest.mark.parametrize("options", LIMB_OPTIONS, ids=str)
@pytest.mark.parametrize(("target", "bits"), REDUCED)
def test_schedules_of_reduced_limbs_state_the_choices_of_the_planner(
    target: str, bits: int, options: dict[str, str]
) -> None:
    """The schedule leads to the same limbs and passes, and its steps contain each index bit once."""
    shapes = product((16, 64, 1024, 1 << 15), (False, True), ("bitrev", "natural"), (1, 3, 8, 11), (False, True))
    for n, inverse, order, columns, negacyclic in shapes:
        own = {**options, "limbs": "reduced"} if bits < 64 else options
        try:
            spec = make_spec("ntt", n=n, modulus_bits=bits, target=target, inverse=inverse, order=order,
                             columns=columns, negacyclic=negacyclic, options=own)  # fmt: skip
            plan = plans(spec).first
        except MomagenError as error:
            assert error.where in ("modulus_bits", "n", "root", "columns", *own), error
            continue
        if isinstance(plan, LimbTransform):
            usual = LimbPlanner(spec)
            usual.check(usual.choices)
            assert plan.choices == usual.choices and plan.inner == usual.inner
            assert from_json(to_json(plan.schedule)) == plan.schedule
            demand_each_bit_once(plan.schedule)


def demand_each_bit_once(schedule: Schedule) -> None:
    """Each step of each nest places all index bits, and edges hold all of them, or those of a tile."""
    bits = sorted(schedule.edges[0].order)
    for each in nests_of(schedule):
        for step in each.computing:
            placed = (*step.operands, *step.lanes, *step.loops)
            assert sorted((*placed, *each.nest.blocks, *each.nest.columns)) == bits
        for edge in each.edges:
            outside = {*each.nest.blocks, *each.nest.columns} if edge.memory == TILE else set()
            assert sorted((*edge.order, *outside)) == bits


@pytest.mark.parametrize("n", [2, 4, 32, 1024])
@pytest.mark.parametrize("negacyclic", [False, True])
@pytest.mark.parametrize("inverse", [False, True])
def test_each_twiddle_is_a_square_root_in_its_ring(n: int, negacyclic: bool, inverse: bool) -> None:
    """x^2m - c splits into x^m - v and x^m + v if v^2 = c; with turns, twice that of v is that of c.

    A ring is named by the index bits that are set in the numbers of its points.
    """
    radices = (2,) * (n.bit_length() - 1)
    levels, _ = named_factors(Breakdown("ring", n, 2, False, radices, inverse, negacyclic, False, 1, 0, 1, 0))
    rings = {frozenset[int](): Fraction(1, 2) if negacyclic else Fraction(0)}
    for level in levels[:: -1 if inverse else 1]:
        (bit,), found = level.legs, dict[frozenset[int], Fraction]()
        for ring, turn in rings.items():
            own = sum((t for term, t in level.heap.items() if term <= ring), Fraction(0)) * (-1 if inverse else 1)
            assert (2 * own - turn) % 1 == 0
            found |= {ring: own % 1, ring | {bit}: (own + Fraction(1, 2)) % 1}
        rings = found
    assert len({*rings.values()}) == len(rings) == n


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize(("bits", "target"), [(124, "avx512ifma"), (255, "avx512ifma"), (124, "avx2"), (50, "avx2")])
def test_edges_of_reduced_limbs_state_ranges_and_carries(bits: int, target: str, inverse: bool) -> None:
    """Values on limbs stay below the bound of the limbs, and carries wait for at most ``pace`` levels or all levels."""
    for n, columns in ((64, 1), (4096, 1), (1 << 16, 1), (256, 11)):
        spec = make_spec("ntt", n=n, modulus_bits=bits, target=target, inverse=inverse, columns=columns,
                         options={"limbs": "reduced"})  # fmt: skip
        plan = plans(spec).first
        assert isinstance(plan, LimbTransform)
        a, waiting = plan.inner, 0
        for edge in plan.schedule.edges:
            on_limbs = edge.layout in (LIMBS, OPEN_LIMBS)
            assert on_limbs == (edge.memory in (TILE, LIMB_MEMORY)) or edge.layout == LANES
            assert edge.below <= (a.reach if on_limbs else max(spec.ranges.output, a.resting))
            assert edge.least <= (a.reach if on_limbs and a.real else 0)
        for step, edge in zip(plan.schedule.steps, plan.schedule.edges[1:], strict=True):
            waiting = (waiting + isinstance(step, Step)) * (edge.layout == OPEN_LIMBS)
            assert waiting <= a.pace or not (inverse or a.settles)
        assert (plan.schedule.edges[-1].layout, plan.schedule.edges[-1].below) == (USER, spec.ranges.output)


def planned(n: int = 16) -> Any:
    """The JSON of a small schedule."""
    asked = Breakdown("ring", n, 4, False, (), False, False, False, 1, 0, 1, 0)
    return json.loads(to_json(words_schedule(asked, Arith(124))))


def without_table(data: Any) -> None:
    del data["steps"][1]["table"]


CHANGES: list[tuple[Callable[[Any], object], str]] = [
    (lambda data: data.update(passes=[]), "schedule: the key passes is unknown; the keys are breakdown, residues"),
    (without_table, "schedule.steps[1]: the key table is missing; the keys are operands, lanes"),
    (lambda data: data["steps"][0].update(operands=3), "schedule.steps[0].operands: expected a list, got 3"),
    (lambda data: data["steps"][0].update(accepts="4"), "schedule.steps[0].accepts: expected an integer, got 4"),
    (lambda data: data["steps"][0].update(accepts=True), "schedule.steps[0].accepts: expected an integer, got True"),
    (lambda data: data["steps"][0].update(step="dense"), "schedule.steps[0]: expected a mapping whose key step is"),
    (lambda data: data["steps"][1]["table"]["heap"].update({"2": "1/0"}), "index bits separated by commas, and turns"),
    (lambda data: data["steps"][1]["table"]["heap"].update({"2": "9/8"}), "with a turn between 0 and 1"),
    (lambda data: data["steps"][1]["table"]["heap"].update({"2": "1e-99999999"}), "index bits separated by"),
    (lambda data: data["steps"][1]["table"]["heap"].update({"2": 1e400}), "index bits separated by commas, and turns"),
    (lambda data: data["steps"][1]["table"].update(heap=[]), 'expected a mapping such as {"3": "1/8"}'),
]


@pytest.mark.parametrize(("change", "said"), CHANGES)
def test_wrong_json_is_refused(change: Callable[[Any], object], said: str) -> None:
    data = planned()
    change(data)
    with pytest.raises(MomagenError) as error:
        from_json(json.dumps(data))
    assert said in str(error.value)


@pytest.mark.parametrize("text", ["", "[", "[]", "[" * 100_000, "1", "null"])
def test_what_is_no_schedule_is_refused(text: str) -> None:
    with pytest.raises(MomagenError, match=r"^schedule: expected a "):
        from_json(text)
