"""Schedules for few registers: as many values wait as may, all results are the same, and units are not idle."""

from __future__ import annotations

from itertools import pairwise

import pytest

import momagen as mg
from momagen.ir import Block, Builder
from momagen.ir.interp import run
from momagen.ir.order.registers import IssueTiming, schedule_within

LATENCY = {"mullo": 5}
TIMING = IssueTiming(lambda instr: LATENCY.get(instr.op, 1), lambda instr: 1, 1)
CHAINS, LINKS, WORD = 6, 4, 16


def chains() -> Block:
    """Products of products, each chain from an input that it reads again, and at the end their sum."""
    b = Builder()
    xs = [b.input(f"x{i}", 0, (1 << WORD) - 1) for i in range(CHAINS)]
    ends = []
    for x in xs:
        y = x
        for _ in range(LINKS):
            y = b.one("mullo", WORD, y, x)
        ends.append(y)
    total = ends[0]
    for end in ends[1:]:
        total = b.one("addlo", WORD, total, end)
    b.output("y", total)
    return b.block


def most_waiting(block: Block) -> int:
    """Values that were made or read, and are read later, at most."""
    last = {id(a): at for at, instr in enumerate(block.instrs) for a in instr.args}
    first = dict[int, int]()
    for at, instr in enumerate(block.instrs):
        for value in (*instr.args, *instr.results):
            first.setdefault(id(value), at)
    return max(sum(first[v] <= at < last.get(v, at) for v in first) for at in range(len(block.instrs)))


def cycles(block: Block) -> int:
    """Of a machine that issues one instruction a cycle, in order, when its arguments are there."""
    now, made = -1, dict[int, int]()
    for instr in block.instrs:
        now = max([now + 1, *(made.get(id(a), 0) for a in instr.args)])
        made |= {id(r): now + LATENCY.get(instr.op, 1) for r in instr.results}
    return now


@pytest.mark.parametrize("values", [2, 3, 5, 7, 20])
def test_a_schedule_keeps_to_its_values(values: int) -> None:
    block = chains()
    found = schedule_within(block, TIMING, values)
    assert sorted(map(id, found.instrs)) == sorted(map(id, block.instrs))
    given = {f"x{i}": 3 * i + 7 for i in range(CHAINS)}
    assert run(found, given) == run(block, given)
    assert most_waiting(found) <= max(values, 3)  # a chain is a value and its input, beside the sum of those before


def test_more_values_hide_the_latency_of_products() -> None:
    few, some, many = (cycles(schedule_within(chains(), TIMING, values)) for values in (3, 7, 20))
    assert few > 5 * CHAINS * LINKS - 10, "one chain after another waits for every product"
    assert some < few / 2
    assert many <= 5 * LINKS + 2 * CHAINS + 5 <= some


def test_tiles_take_turns_by_butterflies() -> None:
    """Two tiles of rows are interleaved; a difference is multiplied before the other tile's is made."""
    source = mg.ntt(256, modulus=8380417, negacyclic=True, inverse=True, target="avx2_words32").source
    rows = source.partition(" rows(")[2].partition("\n}")[0].splitlines()
    behind = [after for line, after in pairwise(rows) if "_mm256_sub_epi32" in line]
    assert len(behind) == 48 and all("mg_redc_signed" in line for line in behind)
