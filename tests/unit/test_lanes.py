"""Networks of lane moves, run lane by lane: every element arrives where it was wanted, with few permutes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from momagen.ir import Block, Builder, dead_code, run_lanes
from momagen.kernels.codelets import Codelet
from momagen.kernels.lanes import Wanted, by_halves, move
from momagen.kernels.stage import Stage, inverse_places, near_places, user_places

LANES = (2, 4, 8)


def network(wanted: Wanted, registers: int) -> Block:
    b = Builder()
    vectors = [b.input(f"r{i}", 0, (1 << 64) - 1) for i in range(registers)]
    b.block.outputs = {str(i): value for i, value in enumerate(move(b, vectors, wanted))}
    return dead_code(b.block)


def demand(wanted: Wanted) -> Block:
    """The network, after it has moved numbers that say where they stood."""
    lanes, block = len(wanted[0]), network(wanted, len(wanted))
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
    return Stage(cast(Codelet, SimpleNamespace(radix=radix)), lanes, stride, lanes).row_places()


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("radix", [2, 4, 8, 16])
def test_blocks_to_lanes_and_back(radix: int, lanes: int) -> None:
    for stride in (s for s in (1, 2, 4) if s < lanes):
        demand(rows(radix, stride, lanes))
        demand(inverse_places(rows(radix, stride, lanes)))


@pytest.mark.parametrize("lanes, permutes", [(2, 2), (4, 8), (8, 24)])
def test_a_square_transpose_takes_one_permute_a_register_and_bit(lanes: int, permutes: int) -> None:
    assert len(demand(user_places(lanes, lanes)).instrs) == permutes


@pytest.mark.parametrize("lanes, permutes", [(2, 0), (4, 4), (8, 16)])
@pytest.mark.parametrize("high", [False, True])
def test_loads_by_halves_save_one_permute_a_register(lanes: int, permutes: int, high: bool) -> None:
    bit, half, places = (lanes.bit_length() - 2) * high, lanes // 2, user_places(lanes, lanes)
    block = network(by_halves(places, bit), lanes)
    given = {}
    for i in range(lanes):
        rows = i & ~(1 << bit), i | 1 << bit
        given[f"r{i}"] = [lanes * row + (i >> bit & 1) * half + lane for row in rows for lane in range(half)]
    found = run_lanes(block, given, lanes)
    assert [found[str(i)] for i in range(lanes)] == [[lanes * r + lane for r, lane in row] for row in places]
    assert len(block.instrs) == permutes
