"""The plan of a tiled transform, run on integers: passes, turns and the order of twiddles give the definition.

The loops are those of templates/c/tiles.c.j2, the tables those of tile_tables.c.j2, with vectors of two or four lanes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
from support.oracle import points, values

from momagen.formula.transforms import digit_reversal
from momagen.plan.schedule.tiles import Tiles
from momagen.plan.tiles import fits, tiles
from momagen.targets import load_target

Vector = list[int]
Q, ROOT = 7681, pow(17, 15, 7681)
"""A prime with 512 | q - 1, and an element of order 512: 17 generates all."""


@dataclass(frozen=True)
class Transform:
    """A transform modulo Q; ``inverse`` goes with the inverse root, and each of its results carries 1/n."""

    plan: Tiles
    negacyclic: bool
    inverse: bool

    @property
    def root(self) -> int:
        order = self.plan.n << self.negacyclic
        return pow(ROOT, 512 // order * (-1 if self.inverse else 1), Q)

    def node(self, nodes: int, number: int) -> int:
        """What splits factor ``number`` of ``nodes``; the inverse root's carries 1/n."""
        index, bits = (nodes if self.negacyclic else 0) + number, self.plan.n.bit_length() - 2 + self.negacyclic
        twiddle = pow(self.root, digit_reversal(index, 1 << bits), Q)
        return twiddle * pow(self.plan.n, -1, Q) % Q if self.inverse and nodes == 1 else twiddle

    def tree(self, depth: int, levels: int, block: int, count: int, lanes: int) -> Iterator[Vector]:
        """Table entries in the order in which loops read them; of several lanes where blocks lie in lanes."""
        for level in reversed(range(levels)) if self.inverse else range(levels):
            for b in range(count << level):
                blocks = [block + (b >> level) * lanes + lane for lane in range(lanes)]
                below = b & (1 << level) - 1
                yield [self.node(1 << depth + level, number << level | below) for number in blocks]

    def butterflies(self, s: list[Vector], table: Iterator[Vector], first: int) -> None:
        """Levels of ``first`` vectors down to one, on all blocks; of one up to ``first`` for the inverse."""
        halves = [first >> i for i in range(first.bit_length())]
        for half in reversed(halves) if self.inverse else halves:
            for at in range(0, len(s), 2 * half):
                twiddle = next(table)
                for i in range(at, at + half):
                    s[i], s[i + half] = self.butterfly(s[i], s[i + half], twiddle)

    def butterfly(self, x: Vector, y: Vector, twiddle: Vector) -> tuple[Vector, Vector]:
        v = twiddle * (len(x) // len(twiddle))
        if self.inverse:
            return (
                [(a + b) % Q for a, b in zip(x, y, strict=True)],
                [(a - b) * w % Q for a, b, w in zip(x, y, v, strict=True)],
            )
        products = [b * w % Q for b, w in zip(y, v, strict=True)]
        return (
            [(a + b) % Q for a, b in zip(x, products, strict=True)],
            [(a - b) % Q for a, b in zip(x, products, strict=True)],
        )

    def columns(self, x: Vector, at: int, b: int) -> None:
        one, lanes = self.plan.columns[at], self.plan.lanes
        if self.inverse:
            self.below(x, at, b)
        for j in range(0, one.stride, one.width * lanes):
            first = b * one.rows * one.stride + j
            tiles = [[first + i * one.stride + w * lanes for i in range(one.rows)] for w in range(one.width)]
            fetched = [[x[start : start + lanes] for start in starts] for starts in tiles]
            for starts, s in zip(tiles, fetched, strict=True):
                table = self.tree(one.depth, one.levels, b, 1, 1)
                self.butterflies(s, table, one.rows // 2)
                assert next(table, None) is None
                for start, vector in zip(starts, s, strict=True):
                    x[start : start + lanes] = vector
        if not self.inverse:
            self.below(x, at, b)

    def below(self, x: Vector, at: int, b: int) -> None:
        count = self.plan.columns[at].rows
        if at == len(self.plan.columns) - 1:
            self.rows(x, b * count, count)
            return
        for i in range(count):
            self.columns(x, at + 1, b * count + i)

    def rows(self, x: Vector, first: int, count: int) -> None:
        rows, lanes = self.plan.rows, self.plan.lanes
        log, size = lanes.bit_length() - 1, rows.group * lanes * lanes
        for b in range(first, first + count, rows.group):
            at = b * lanes * lanes
            s = [x[i : i + lanes] for i in range(at, at + size, lanes)]
            across = self.tree(rows.depth + log, log, b * lanes, rows.group, lanes)
            along = self.tree(rows.depth, log, b, rows.group, 1)
            if self.inverse:
                s = turned(s, lanes)
                self.butterflies(s, across, lanes // 2)
                s = turned(s, lanes)
                self.butterflies(s, along, lanes // 2)
            else:
                self.butterflies(s, along, lanes // 2)
                s = turned(s, lanes)
                self.butterflies(s, across, lanes // 2)
                s = turned(s, lanes)
            assert next(across, None) is next(along, None) is None
            x[at : at + size] = [value for vector in s for value in vector]

    def run(self, given: Vector) -> Vector:
        x = list(given)
        if self.plan.columns:
            self.columns(x, 0, 0)
        else:
            self.rows(x, 0, 1)
        if not self.inverse:
            return x
        half, scale = self.plan.n // 2, pow(self.plan.n, -1, Q)
        return [value * scale % Q for value in x[:half]] + x[half:]


def turned(s: list[Vector], lanes: int) -> list[Vector]:
    """Lane l of vector j becomes lane j of vector l, in every block."""
    blocks = [s[i : i + lanes] for i in range(0, len(s), lanes)]
    return [list(column) for block in blocks for column in zip(*block, strict=True)]


def defined(x: Vector, n: int, negacyclic: bool) -> Vector:
    """x at the powers of the root, in bit-reversed order; at its odd powers for x^n + 1."""
    root = pow(ROOT, 512 // (n << negacyclic), Q)
    return values(x, points(n, Q, root, negacyclic), Q)


MACHINE = load_target("avx512")
BLOCK, RUN, ROOM = 256 << 10, 1 << 10, 96 << 10
"""A quarter of its second cache, 16 lines, and twice its first cache."""


def planned(n: int, lanes: int, vector: int) -> Tiles:
    return tiles(n, replace(MACHINE, lanes=lanes), vector)


PLANS = [(n, lanes, vector) for lanes in (2, 4) for n in (4, 8, 16, 32, 64, 256) for vector in (64, 2048, 6144)]
"""Vectors so long that a tile has few rows: one pass of columns, or several."""


@pytest.mark.parametrize("negacyclic", [False, True])
@pytest.mark.parametrize("n, lanes, vector", [case for case in PLANS if fits(*case[:2])])
def test_the_plan_is_the_transform(n: int, lanes: int, vector: int, negacyclic: bool) -> None:
    plan, rng = planned(n, lanes, vector), random.Random(n)
    x = [rng.randrange(Q) for _ in range(n)]
    y = defined(x, n, negacyclic)
    assert Transform(plan, negacyclic, inverse=False).run(x) == y
    assert Transform(plan, negacyclic, inverse=True).run(y) == x


@pytest.mark.parametrize("inverse", [False, True])
def test_tiles_side_by_side_are_the_transform(inverse: bool) -> None:
    plan, rng = planned(256, 2, 2048), random.Random(1)
    plan = replace(plan, columns=tuple(replace(one, width=min(2, one.stride // 2)) for one in plan.columns))
    x = [rng.randrange(Q) for _ in range(plan.n)]
    y = defined(x, plan.n, negacyclic=False)
    given, wanted = (y, x) if inverse else (x, y)
    assert Transform(plan, negacyclic=False, inverse=inverse).run(given) == wanted


@pytest.mark.parametrize("vector", [64, 96, 192, 320, 960])
def test_columns_go_together_where_their_block_is_large(vector: int) -> None:
    for log_n in range(6, 25):
        for one in tiles(1 << log_n, MACHINE, vector).columns:
            assert one.stride % (8 * one.width) == 0
            assert one.width == 1 or (one.width * vector <= RUN and one.width * one.rows * vector <= ROOM)
            large = one.rows * one.stride // 8 * vector >= BLOCK
            assert (one.width > 1) == (large and 2 * vector <= RUN)


def test_plans_of_several_passes_are_among_them() -> None:
    counts = {len(planned(*case).columns) for case in PLANS if fits(*case[:2])}
    groups = {planned(*case).rows.group for case in PLANS if fits(*case[:2])}
    assert counts >= {0, 1, 2} and groups >= {1, 2}


@pytest.mark.parametrize("vector", [64, 192, 960])
def test_residues_rest_where_their_block_is_large(vector: int) -> None:
    for log_n in range(6, 25):
        plan = tiles(1 << log_n, MACHINE, vector, rest=1 << 21)
        resting = [one for one in plan.columns if one.rests]
        assert resting == list(plan.columns[: len(resting)]) and not (plan.columns and plan.columns[-1].rests)
        for one in plan.columns[:-1]:
            assert one.rests == (one.rows * one.stride // 8 * vector >= 1 << 21)
        assert plan.room == (resting[-1].stride if resting else plan.n)
        assert not any(one.rests for one in tiles(1 << log_n, MACHINE, vector).columns)
