"""Plans for threads in blocks: where every index bit lives, and that blocks, tiles and shared memory fit together."""

from __future__ import annotations

import random
from itertools import product

import pytest

from momagen.api.native import resolved
from momagen.errors import MomagenError
from momagen.lower.threads.places import constant, linear
from momagen.plan.thread_plan import ThreadPlan
from momagen.plan.threads.launches import Launches, LaunchPlan
from momagen.program import Binary, Expr, Name, Number
from momagen.program.expressions import ARITHMETIC
from momagen.targets import Memory

SHAPES = [
    (bits, n, order, inverse, negacyclic)
    for bits, n in ((32, 1 << 20), (64, 1 << 13), (128, 2), (128, 1 << 16), (256, 1 << 14), (768, 1 << 22))
    for order, inverse, negacyclic in product(("bitrev", "natural"), (False, True), (False, True))
]


def plan_of(bits: int, n: int, order: str, inverse: bool, negacyclic: bool, target: str = "cuda") -> ThreadPlan:
    return ThreadPlan(resolved(
        "ntt", n=n, bits=bits, order=order, inverse=inverse, negacyclic=negacyclic, target=target,
    ))  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "-".join(map(str, shape)))
def test_every_index_bit_is_a_leg_once_and_blocks_hold_what_is_left(shape: tuple[int, int, str, bool, bool]) -> None:
    plan = plan_of(*shape)
    legs = [slot for launch in plan.launches for stage in launch.stages for slot in stage.legs]
    assert sorted(legs) == [*range(shape[1].bit_length() - 1)]
    for launch in plan.launches:
        inside = [slot for slot in launch.tile if slot < launch.bits]
        assert sorted([*launch.nest.blocks, *inside]) == [*range(launch.bits)]
        for stage in launch.stages:
            assert sorted([*stage.legs, *stage.work]) == sorted(launch.tile)
            assert {stage.source, stage.goal} <= {"x", "y", "t", "shared"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "-".join(map(str, shape)))
def test_a_tile_fits_shared_memory_and_a_block_the_machine(shape: tuple[int, int, str, bool, bool]) -> None:
    plan = plan_of(*shape)
    for launch in plan.launches:
        assert launch.shared * plan.arith.stride * 4 <= plan.target.first.bytes
        assert launch.nest.threads * launch.nest.resident <= plan.resident * plan.target.threads
        places = [launch.padded(place) for place in range(1 << len(launch.tile))]
        assert len({*places}) == len(places) and max(places) < (launch.shared or max(places) + 1)


def wavefronts(launch: LaunchPlan, slots: tuple[int, ...], chunk: int, line: int) -> int:
    """The most threads of those served at once that meet in the same banks, in one access of a stage."""
    together = line // (4 * chunk)
    weights = [launch.padded(1 << launch.tile.index(slot)) for slot in slots]
    worst = 1
    for start in range(0, min(launch.nest.threads, 1 << len(slots)), together):
        hit = [constant(thread, weights) % together for thread in range(start, min(start + together, 1 << len(slots)))]
        worst = max(worst, *(hit.count(bank) for bank in set(hit)))
    return worst


@pytest.mark.sampled(3)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "-".join(map(str, shape)))
def test_neighbouring_threads_meet_in_no_bank(shape: tuple[int, int, str, bool, bool]) -> None:
    plan = plan_of(*shape)
    chunk = min(4, plan.arith.stride & -plan.arith.stride)
    for launch in plan.launches:
        for stage in launch.stages:
            if "shared" in (stage.source, stage.goal):
                assert wavefronts(launch, stage.work, chunk, plan.target.first.line) == 1, (launch.tile, stage)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "-".join(map(str, shape)))
def test_vectors_are_read_and_written_in_whole_sectors(shape: tuple[int, int, str, bool, bool]) -> None:
    """The lowest threads of a stage that loads or stores are the lowest bits of the address."""
    plan = plan_of(*shape)
    size, sector = plan.arith.stride * 4, plan.target.memory[1].line
    bits = max(sector // size, 1).bit_length() - 1
    for launch in plan.launches:
        for stage in launch.stages:
            for end, ends in ((stage.source, launch.load), (stage.goal, launch.store)):
                if end != "shared" and shape[1] > 1 << bits:
                    lowest = [ends.get(slot, slot) for slot in stage.work[:bits]]
                    assert lowest == [*range(bits)], (launch, stage)


@pytest.mark.parametrize(("bits", "levels"), [(128, [7, 9]), (256, [8, 8]), (768, [8, 8])])
def test_passes_are_split_such_that_the_largest_tile_is_smallest(bits: int, levels: list[int]) -> None:
    """The last launch of 2^16 points has neighbours among its legs; the first has them beside."""
    plan = plan_of(bits, 1 << 16, "bitrev", False, False)
    assert [sum(len(stage.legs) for stage in launch.stages) for launch in plan.launches] == levels


def test_a_pass_that_shared_memory_does_not_hold_is_refused() -> None:
    flow = plan_of(128, 1 << 16, "bitrev", False, False).flow
    with pytest.raises(MomagenError, match=r"128 bytes hold at most .* too few for a step of 3 levels"):
        Launches(flow, 16, [Memory("shared memory", 128, 128), Memory("second cache", 1 << 20, 32)], 128).plans()


def value(expr: Expr, index: int) -> int:
    match expr:
        case Number(value=number):
            return number
        case Name():
            return index
        case Binary(op=op, left=left, right=right):
            return ARITHMETIC[op](value(left, index), value(right, index))
    raise TypeError(expr)


def test_places_are_sums_over_bits() -> None:
    rng = random.Random(1)
    for _ in range(200):
        weights = [rng.choice([0, 1 << rng.randrange(12), rng.randrange(100)]) for _ in range(rng.randrange(1, 10))]
        index = rng.randrange(1 << len(weights))
        wanted = sum(weight for bit, weight in enumerate(weights) if index >> bit & 1)
        assert value(linear(Name("i"), weights), index) == constant(index, weights) == wanted


@pytest.mark.sampled(4)
@pytest.mark.parametrize("target", ["cuda", "cuda_sm90"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "-".join(map(str, shape)))
def test_no_block_overwrites_what_another_reads(shape: tuple[int, int, str, bool, bool], target: str) -> None:
    """The operand may be the result: where a launch reads what it writes, each block does so at the same places."""
    source = "x"
    for launch in plan_of(*shape, target).launches:
        goal = launch.stages[-1].goal
        assert launch.stages[0].source == source and goal in "yt"
        assert launch.in_place or {source, goal} == {"y", "t"} or (source, goal) == ("x", "t")
        source = goal
    assert source == "y"
