"""Moves of lanes after sums: fewer of them, and every residue where it was."""

from __future__ import annotations

import random
from operator import add, sub

import pytest

from momagen.emit import generate
from momagen.ir import Builder, Value, join, run_lanes
from momagen.kernels.flow.layouts import inverse_places, near_places
from momagen.kernels.flow.permutation_network import move
from momagen.kinds.modular.make_spec import make_spec
from momagen.lower.body.movement import Body, bare_body, moved_body
from momagen.lower.body.sink_permutes import sunk

LANES, WORDS, W = 8, 2, 8
SUMS = {"addlo": ("addclo", add), "sublo": ("subblo", sub)}
ROWS = ("inc", "dec")


def pairs(op: str) -> Body:
    """z = x ± y on residues of two words, moved to lanes and back."""
    b, full = Builder(), (1 << W) - 1
    x, y = ([b.input(f"{name}{i}", 0, full) for i in range(WORDS)] for name in "xy")
    low = b.one(op, W, x[0], y[0])
    carry = b.one("lt", W, low, x[0]) if op == "addlo" else b.one("lt", W, x[0], y[0])
    high = b.one(SUMS[op][0], W, x[1], y[1], carry)
    b.block.inputs = {"x": join((x[1], x[0]), W), "y": join((y[1], y[0]), W)}
    b.output("z", join((high, low), W))
    places = near_places(WORDS, LANES)
    return moved_body(
        bare_body(b.block, ["x", "y"], ["z"], WORDS, W), W, lambda b, grid: [move(b, row, places) for row in grid],
        lambda b, grid: [move(b, row, inverse_places(places)) for row in grid],
    )  # fmt: skip


def words(numbers: list[int]) -> list[list[int]]:
    flat = [number >> W * i & (1 << W) - 1 for number in numbers for i in range(WORDS)]
    return [flat[i : i + LANES] for i in range(0, len(flat), LANES)]


def registers(body: Body) -> dict[str, Value]:
    return {f"{leg}{i}": value for leg, row in zip("xy", body.loads, strict=True) for i, value in enumerate(row)}


@pytest.mark.parametrize("op", SUMS)
def test_a_body_that_gets_no_shorter_stays(op: str) -> None:
    body = pairs(op)
    assert sunk(body, lambda name: False) is body


@pytest.mark.parametrize("op", SUMS)
def test_sums_are_the_same_with_a_move_less(op: str) -> None:
    body, rng = pairs(op), random.Random(op)
    after = sunk(body, ROWS.__contains__)
    assert [found.block.counts()["perm2"] for found in (body, after)] == [6, 5]
    for _ in range(20):
        x, y = ([rng.choice([0, 255, 256, 65535, rng.getrandbits(16)]) for _ in range(LANES)] for _ in "xy")
        given = dict(zip(registers(after), words(x) + words(y), strict=True))
        after.block.inputs = registers(after)
        found = run_lanes(after.block, given, LANES)
        wanted = words([SUMS[op][1](a, b) % (1 << W * WORDS) for a, b in zip(x, y, strict=True)])
        assert [found[f"0_{i}"] for i in range(WORDS)] == wanted


@pytest.mark.parametrize(("kind", "unpacks"), [("vadd", 5), ("vsub", 5), ("vadds", 4), ("vneg", 4)])
def test_two_words_take_few_moves(kind: str, unpacks: int) -> None:
    """One for each word of the sum, one for x's low word, which says the carry, and two back."""
    source = generate(make_spec(kind, bits=124, target="avx512")).source
    assert source.count("_mm512_unpack") == unpacks
    assert "_mm512_permutex2var" not in source
