"""Networks of lane moves, run lane by lane: every element arrives where it was wanted, with few permutes."""

from __future__ import annotations

import random

import pytest

from momagen.ir import Block, Builder, dead_code, run_lanes
from momagen.kernels.flow.lane_levels import rearranged
from momagen.kernels.flow.layouts import inverse_places, near_places, user_places
from momagen.kernels.flow.permutation_network import Cost, Wanted, halves_swapped, move
from momagen.lower.body.layouts import HalfRows
from momagen.targets import load_target

LANES = (2, 4, 8)


def network(wanted: Wanted, registers: int, cost: Cost | None = None) -> Block:
    b = Builder()
    vectors = [b.input(f"r{i}", 0, (1 << 64) - 1) for i in range(registers)]
    b.block.outputs = {str(i): value for i, value in enumerate(move(b, vectors, wanted, cost))}
    return dead_code(b.block)


def demand(wanted: Wanted, cost: Cost | None = None) -> Block:
    """The network, after it has moved numbers that say where they stood."""
    lanes, block = len(wanted[0]), network(wanted, len(wanted), cost)
    given = {f"r{i}": [lanes * i + lane for lane in range(lanes)] for i in range(len(wanted))}
    found = run_lanes(block, given, lanes)
    assert [found[str(i)] for i in range(len(wanted))] == [[lanes * r + lane for r, lane in row] for row in wanted]
    return block


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("words", range(1, 33))
def test_residues_to_words_and_back(words: int, lanes: int) -> None:
    places = user_places(words, lanes)
    demand(places)
    demand(inverse_places(places))


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("words", range(1, 33))
def test_residues_in_any_order_cost_no_more(words: int, lanes: int) -> None:
    places, row = near_places(words, lanes), range(lanes)
    size = len(demand(places).instrs)
    demand(inverse_places(places))
    assert size <= len(demand(user_places(words, lanes)).instrs)
    first = [r * lanes + lane for r, lane in places[0]]
    assert sorted(first) == [words * e for e in row], "a whole residue in every lane"
    assert all([r * lanes + lane - w for r, lane in places[w]] == first for w in range(words))


@pytest.mark.parametrize("lanes", LANES)
def test_two_words_take_one_move_within_pairs_of_lanes(lanes: int) -> None:
    low, high = near_places(2, lanes)
    assert [lane // 2 for _, lane in low] == [lane // 2 for _, lane in high] == [i // 2 for i in range(lanes)]


def rows(radix: int, stride: int, lanes: int) -> Wanted:
    """Where lane λ of leg l stands in the radix registers that hold butterflies of that stride in memory order."""
    offsets = [(i, j) for i in range(lanes // stride) for j in range(stride)]
    return [[divmod((i * radix + leg) * stride + j, lanes) for i, j in offsets] for leg in range(radix)]


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("radix", [2, 4, 8, 16])
def test_blocks_to_lanes_and_back(radix: int, lanes: int) -> None:
    for stride in (s for s in (1, 2, 4) if s < lanes):
        demand(rows(radix, stride, lanes))
        demand(inverse_places(rows(radix, stride, lanes)))


@pytest.mark.parametrize("lanes, permutes", [(2, 2), (4, 8), (8, 24)])
def test_a_square_transpose_takes_one_permute_a_register_and_bit(lanes: int, permutes: int) -> None:
    assert len(demand(user_places(lanes, lanes)).instrs) == permutes


@pytest.mark.parametrize("name", ["avx2", "avx2_words16", "avx512", "avx512_words32", "avx512_words16"])
def test_cycles_of_bits_arrive_and_cost_no_more_than_exchanges(name: str) -> None:
    target, rng = load_target(name), random.Random(name)
    low = target.lanes.bit_length() - 1
    for _ in range(30):
        order = [*range(low + rng.randint(1, 3))]
        rng.shuffle(order)
        wanted = rearranged(tuple(range(len(order))), tuple(order), low)
        costs = [sum(target.cost(i.lanes) for i in demand(wanted, cost).instrs) for cost in (None, target.cost)]
        assert costs[1] <= costs[0]


@pytest.mark.parametrize("name", ["avx512", "avx512_words32", "avx512_words16"])
def test_a_square_transpose_on_avx512_needs_no_register_for_patterns(name: str) -> None:
    target = load_target(name)
    block = demand(user_places(target.lanes, target.lanes), target.cost)
    assert len(block.instrs) == target.lanes * (target.lanes.bit_length() - 1)
    assert all("permutex2var" not in target.spelling("perm2", i.lanes).results[0] for i in block.instrs)


GROUPED = {(6, 8): 18, (10, 8): 40, (12, 8): 36, (14, 8): 56, (24, 8): 72, (6, 4): 12, (12, 4): 24}
"""Permutes by words of a residue and lanes; without exchanges of groups 6 words on 8 lanes would take 30."""


@pytest.mark.parametrize(("words", "lanes"), GROUPED)
def test_exchanges_of_groups_leave_fewer_registers_to_gather(words: int, lanes: int) -> None:
    for places in (near_places(words, lanes), inverse_places(near_places(words, lanes))):
        assert len(demand(places).instrs) == GROUPED[words, lanes]


@pytest.mark.parametrize("lanes, permutes", [(2, 0), (4, 4), (8, 16)])
@pytest.mark.parametrize("high", [False, True])
def test_loads_by_halves_save_one_permute_a_register(lanes: int, permutes: int, high: bool) -> None:
    bit, half, places = (lanes.bit_length() - 2) * high, lanes // 2, user_places(lanes, lanes)
    block = network(halves_swapped(places, bit), lanes)
    given = {}
    for i in range(lanes):
        rows = i & ~(1 << bit), i | 1 << bit
        given[f"r{i}"] = [lanes * row + (i >> bit & 1) * half + lane for row in rows for lane in range(half)]
    found = run_lanes(block, given, lanes)
    assert [found[str(i)] for i in range(lanes)] == [[lanes * r + lane for r, lane in row] for row in places]
    assert len(block.instrs) == permutes


@pytest.mark.parametrize("lanes, permutes", [(4, 2), (8, 8)])
def test_a_turn_of_halves_is_its_own_inverse(lanes: int, permutes: int) -> None:
    places = near_places(lanes // 2, lanes)
    assert len(demand(places).instrs) == permutes and inverse_places(places) == places


def in_memory(layout: HalfRows, registers: list[list[int]]) -> dict[int, set[int]]:
    """What the halves of ``registers`` write to every word of a group."""
    found: dict[int, set[int]] = {}
    for row, places in zip(registers, layout.places(), strict=True):
        for place, half in zip(places, (row[: layout.half], row[layout.half :]), strict=True):
            for offset, number in enumerate(half, place):
                found.setdefault(offset, set()).add(number)
    return found


@pytest.mark.parametrize(("words", "lanes"), [(w, v) for v in (4, 8) for w in range(v // 2, 20)])
def test_halves_bring_every_word_of_every_residue_and_take_it_back(words: int, lanes: int) -> None:
    layout, b = HalfRows(words, lanes), Builder()
    raw = [b.input(f"r{i}", 0, (1 << 64) - 1) for i in range(layout.registers)]
    for name, row in (("in", layout.arrive(b, raw)), ("out", layout.leave(b, layout.arrive(b, raw)))):
        b.block.outputs |= {f"{name}{i}": value for i, value in enumerate(row)}
    halves = [[range(at, at + layout.half) for at in places] for places in layout.places()]
    given = {f"r{i}": [*low, *high] for i, (low, high) in enumerate(halves)}
    found = run_lanes(b.block, given, lanes)
    assert [found[f"in{w}"] for w in range(words)] == [[e * words + w for e in range(lanes)] for w in range(words)]
    left = in_memory(layout, [found[f"out{i}"] for i in range(layout.registers)])
    assert left == {at: {at} for at in range(lanes * words)}
