"""The test cases of a target's operations.

Each row of the target is a C function on vectors of words, with inputs and expected results.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import chain, count
from typing import NamedTuple

import numpy as np

from momagen.emit.c.words import Printer, Spare
from momagen.ir import MASK_OPS, OPS, Builder, Value, const, dead_code
from momagen.ir.masks import ACROSS
from momagen.program import Load, Name, Store
from momagen.rewrite.engine.accumulate import FUSED
from momagen.rewrite.proof.cases import SHIFTS, random_cases
from momagen.targets import Target

SHIFTING = (*SHIFTS, "sar", "sal", "real", "unreal")
DOUBLES = ("radd", "rsub", "rmul", "rfma", "rfms", "rfnma")
MASKING = {"lift": (0, 8, 48), "pick": (0, 8, 48), "spread": (3, 4, 8)}
"""The operations on masks that have a distance, with the tested distances."""
MASK = 56
"""The number of bits of a mask, which is the number of lanes in the longest group of registers."""
Vectors = list[list[int]]
"""The numbers in all lanes, by argument or result."""


class TriedRow(NamedTuple):
    """An operation with its attributes.

    Attributes:
        op: The operation.
        k: The distance, or 0.
        lanes: The lanes of a permutation, or ().
        known: Whether its flag is the constant 1.
    """

    op: str
    k: int = 0
    lanes: tuple[int, ...] = ()
    known: bool = False


def edges(w: int) -> list[int]:
    """Return numbers of w bits near which carries occur or halves of words change."""
    powers = [1 << k for k in (w // 2 - 1, w // 2, w - 12, w - 1)]
    return [0, 1, 2, *powers, (1 << w // 2) - 1, (1 << w - 1) - 1, (1 << w - 1) + 1, (1 << w) - 2, (1 << w) - 1]


def distances(op: str, w: int) -> tuple[int, ...]:
    """Return the tested distances of an operation."""
    return (1, 7, w // 2 - 1, w // 2, w // 2 + 1, w - 12, w - 1) if op in SHIFTING else MASKING.get(op, (0,))


def rows(target: Target) -> Iterator[TriedRow]:
    """Yield the rows of a target.

    Each shift has several distances, and the permutations are those of the target and a random sample of
    others.
    """
    for op in target.ops:
        if op != "perm2":
            yield from (TriedRow(op, k) for k in distances(op, target.word))
            yield from [TriedRow(op, known=True)] if "f" in OPS[op].args else []
    if target.vector:
        rng, both = random.Random(target.name), range(2 * target.lanes)
        drawn = [tuple(rng.choices(both, k=target.lanes)) for _ in range(64)]
        own = [lanes for family in target.permutes.values() for lanes, _ in family.moves()]
        yield from (TriedRow("perm2", lanes=lanes) for lanes in (*drawn, *own))


def function(name: str, row: TriedRow, target: Target) -> str:
    """Return the C function ``void name(y, x)`` that applies a row to vectors, one vector per argument.

    A flag is passed as the word 0 or 1 and returned as a word; a mask is passed and returned in each lane.
    """
    b, kinds, w = Builder(), OPS[row.op].args, target.word
    low = {kind: -(1 << w - 1) if kind == "i" else 0 for kind in kinds}
    given = [
        b.input(f"x{i}", low[kind], low[kind] + (1 << w) - 1, "mask" if kind == "m" else "word")
        for i, kind in enumerate(kinds)
    ]
    one = b.input("one", 1, 2)  # not a constant for the builder, which would fold it
    flags = [const(1, "flag") if row.known else b.one("eq", w, x, one) for x in given]
    args = [flag if kind == "f" else x for x, flag, kind in zip(given, flags, kinds, strict=True)]
    width = target.lanes if row.op in MASK_OPS else w
    results = [_word(b, w, value) for value in b.emit(row.op, width, *args, k=row.k, lanes=row.lanes)]
    b.block.outputs = {str(i): value for i, value in enumerate(results)}
    text, step = Printer(target, {}, set()), target.lanes
    lines: list[str | Spare] = []
    for i, x in enumerate(given):
        text.names[id(x)] = f"x{i}_0"
        mask = [f"const {target.types['mask']} x{i}_0 = x[{i * step}];"] if x.kind == "mask" else []
        lines += mask or text.load(Load(f"x{i}", [x], Name("x"), i * step, step), "x")
    lines += text.load(Load("one", [one], Name("x"), len(given) * step, step), "x")
    lines += text.lines(dead_code(b.block))
    for i, value in enumerate(results):
        name_of = text.name(value)
        masks = [f"y[{i * step + lane}] = {name_of};" for lane in range(step)] if value.kind == "mask" else []
        lines += masks or text.store(Store([value], Name("y"), i * step, step), "y")
    simd = "MG_SIMD " if target.attribute else ""
    head = f"{simd}void {name}(uint{w}_t *y, const uint{w}_t *x)"
    body = "\n    ".join(each.line if isinstance(each, Spare) else each for each in lines)
    return f"{head}\n{{\n    {body}\n}}\n"


def _word(b: Builder, w: int, value: Value) -> Value:
    return b.one("word", w, value) if value.kind == "flag" else value


def inputs(row: TriedRow, lanes: int, rng: random.Random, w: int) -> Vectors:
    """Return one vector for each argument.

    The second argument repeats some words of the first one, so that comparisons of equal words occur.
    """
    if row.op in MASK_OPS and row.op != "lift":
        return [[mask] * lanes for mask in _masks(row, rng)]
    if OPS[row.op].agrees:
        _, case = next(chain.from_iterable(random_cases(row.op, 1, w, rng, 1) for _ in count()))
        return [[number % (1 << w)] * lanes for number in case]  # constants are the same in all lanes
    vectors = [[_number(row, kind, rng, w) for _ in range(lanes)] for kind in OPS[row.op].args]
    if row.op == "pick_top":
        return [vectors[0], *([vector[0]] * lanes for vector in vectors[1:])]
    if row.op in ("shrv", "shlv"):
        return [vectors[0], [rng.randrange(w) for _ in range(lanes)]]
    if row.op == "div":
        return [[max(a - 1, 0) for a in vectors[0]], vectors[1], [max(a, 1) for a in vectors[0]]]
    if OPS[row.op].args.startswith("ww"):
        vectors[1] = [a if rng.random() < 0.2 else b for a, b in zip(*vectors[:2], strict=True)]
    return vectors


def _number(row: TriedRow, kind: str, rng: random.Random, w: int) -> int:
    if row.op in DOUBLES:
        return _double(rng.choice([0.0, -0.0, 1.0, rng.gauss(0, 1), rng.gauss(0, 2.0**60), 3.0 * 2.0**51]))
    if row.op == "unreal":
        return _double(rng.randint(1 - 2**51, 2**51 - 1) * 2.0**row.k)
    if row.op == "real":
        return rng.choice([0, 1, 2**52 - 1, rng.getrandbits(52)])
    if kind == "f":
        return 1 if row.known else rng.randrange(2)
    return rng.choice([rng.choice(edges(w)), rng.getrandbits(w), rng.randrange(9)])


def _double(number: float) -> int:
    """Return the bits of a double."""
    return int(np.float64(number).view(np.uint64))


def _masks(row: TriedRow, rng: random.Random) -> list[int]:
    """Return masks for the operation: runs of ones and random bits."""
    drawn = [rng.choice([rng.getrandbits(MASK), (1 << rng.randint(0, MASK)) - (1 << rng.randint(0, 8))]) for _ in "ab"]
    a, b = (mask & (1 << MASK) - 1 for mask in drawn)
    if row.op == "spread":
        return [sum(1 << i for i in range(row.k, MASK + row.k, row.k) if a >> i - row.k & 1)]
    return [a & ~b, b] if row.op == "carries" else [a, b][: len(OPS[row.op].args)]


def expected(row: TriedRow, vectors: Sequence[Sequence[int]], target: Target) -> Vectors:
    """Return the results of the definition in every lane; signed limbs are in two's complement."""
    if row.lanes:
        return [[[*vectors[0], *vectors[1]][lane] for lane in row.lanes]]
    if row.op in ACROSS:
        return [ACROSS[row.op](row.k, *vectors)]
    width = target.digit if row.op in FUSED.values() else target.word
    each = [OPS[row.op].meaning(width, row.k, *args) for args in _numbers(row, vectors, target.word)]
    return [[result % 2**target.word for result in column] for column in zip(*each, strict=True)]


def agree(row: TriedRow, vectors: Sequence[Sequence[int]], got: Vectors, w: int) -> bool:
    """Return whether the results agree with an operation that permits several results.

    Args:
        row: The row.
        vectors: The arguments.
        got: The results, which are words of w bits. Each may be signed or unsigned.
        w: The width of a word in bits.
    """
    agrees, lanes = OPS[row.op].agrees, zip(*got, strict=True)
    return agrees is not None and all(
        agrees(w, row.k, args, lane) or agrees(w, row.k, args, tuple(_signed(x, w) for x in lane))
        for args, lane in zip(_numbers(row, vectors, w), lanes, strict=True)
    )


def _numbers(row: TriedRow, vectors: Sequence[Sequence[int]], w: int) -> list[tuple[int, ...]]:
    """Return the arguments lane by lane, signed if the operation takes integers."""
    signed = "i" in OPS[row.op].args
    return [tuple(_signed(x, w) if signed else x for x in args) for args in zip(*vectors, strict=True)]


def _signed(x: int, w: int) -> int:
    return x - (x >> w - 1 << w)
