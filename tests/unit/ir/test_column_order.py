"""Sums of products in doubles go by groups of columns, and mean what they meant."""

from __future__ import annotations

from itertools import groupby

from momagen.ir import Builder, const, run
from momagen.ir.order.columns import by_columns


def test_columns_go_in_groups_that_fit() -> None:
    b = Builder()
    factors = [b.input(f"y{i}", -8, 8) for i in range(3)]
    digits = [b.input(f"w{j}", 0, 15) for j in range(5)]
    sums = [const(0)] * 5
    for y in factors:
        sums = [b.one("fmanear", 4, c, y, w, k=4) for c, w in zip(sums, digits, strict=True)]
    for j, total in enumerate(sums):
        b.output(f"s{j}", total)
    ordered = by_columns(b.block, 2)
    columns = {id(w): j for j, w in enumerate(digits)}
    assert [j // 2 for j, _ in groupby(columns[id(i.args[2])] // 2 * 2 for i in ordered.instrs)] == [0, 1, 2]
    assert len(ordered.instrs) == len(b.block.instrs) == 15
    given = {f"y{i}": 7 - 5 * i for i in range(3)} | {f"w{j}": 3 * j + 2 for j in range(5)}
    assert run(ordered, given) == run(b.block, given)
