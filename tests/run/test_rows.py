"""Every row of every target: compiled, run on edge and random words, and compared with the operation's meaning."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest

from momagen.build import compile_shared, load, missing_features
from momagen.build.native import in_c
from momagen.data import folder
from momagen.emit.c.words import Printer, Spare
from momagen.ir import MASK_OPS, OPS, Builder, Value, const, dead_code
from momagen.ir.masks import ACROSS
from momagen.program import Load, Name, Store
from momagen.rewrite.engine.accumulate import FUSED
from momagen.rewrite.proof.cases import SHIFTS
from momagen.targets import Spelling, Target, load_target, names
from momagen.templates import templates

COUNT = 64
"""Vectors of inputs per row."""
SHIFTING = (*SHIFTS, "sar", "sal", "real", "unreal")
DOUBLES = ("radd", "rsub", "rfma")
MASKING = {"lift": (0, 8, 48), "pick": (0, 8, 48), "spread": (3, 4, 8)}
"""Operations on masks that carry a distance."""
MASK = 56
"""Bits of a mask: as many lanes as the longest group of registers has."""


@dataclass(frozen=True)
class Row:
    """An operation with its attribute, a distance or lanes; ``known``: its flag is the constant 1."""

    op: str
    k: int = 0
    lanes: tuple[int, ...] = ()
    known: bool = False


def edges(w: int) -> list[int]:
    """Numbers of w bits where carries and halves of words turn."""
    powers = [1 << k for k in (w // 2 - 1, w // 2, w - 12, w - 1)]
    return [0, 1, 2, *powers, (1 << w // 2) - 1, (1 << w - 1) - 1, (1 << w - 1) + 1, (1 << w) - 2, (1 << w) - 1]


def distances(row: str, w: int) -> tuple[int, ...]:
    """By how much the operation shifts."""
    return (1, 7, w // 2 - 1, w // 2, w // 2 + 1, w - 12, w - 1) if row in SHIFTING else MASKING.get(row, (0,))


def rows(target: Target) -> Iterator[Row]:
    """What the target spells; every distance, its own moves and a sample of other permutations."""
    for op in target.ops:
        if op != "perm2":
            yield from (Row(op, k) for k in distances(op, target.word))
            yield from [Row(op, known=True)] if "f" in OPS[op].args else []
    if target.vector:
        rng, both = random.Random(target.name), range(2 * target.lanes)
        yield from (Row("perm2", lanes=tuple(rng.choices(both, k=target.lanes))) for _ in range(64))
        yield from (Row("perm2", lanes=lanes) for family in target.permutes.values() for lanes, _ in family.moves())


def function(name: str, row: Row, target: Target) -> str:
    """``void name(x, y)``: a vector a word; a flag comes as the word 0 or 1 and leaves as one, a mask in each lane."""
    b, kinds, w = Builder(), OPS[row.op].args, target.word
    low = {kind: -(1 << w - 1) if kind == "i" else 0 for kind in kinds}
    given = [
        b.input(f"x{i}", low[kind], low[kind] + (1 << w) - 1, "mask" if kind == "m" else "word")
        for i, kind in enumerate(kinds)
    ]
    one = b.input("one", 1, 2)  # no number to the builder, or it would fold
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


def source(target: Target) -> str:
    env = templates()
    preludes = list(dict.fromkeys([*target.front, *target.prelude.values()]))
    head = env.get_template("c/includes.j2").render(target=target, preludes=preludes)
    return head + "\n".join(function(f"row_{i}", row, target) for i, row in enumerate(rows(target)))


def double(number: float) -> int:
    """The bits of a double."""
    return int(np.float64(number).view(np.uint64))


def inputs(row: Row, lanes: int, rng: random.Random, w: int) -> list[list[int]]:
    """One vector an argument; b repeats some words of a, so that comparisons see equal ones."""

    def word(kind: str) -> int:
        if row.op in DOUBLES:
            return double(rng.choice([0.0, -0.0, 1.0, rng.gauss(0, 1), rng.gauss(0, 2.0**60), 3.0 * 2.0**51]))
        if row.op == "unreal":
            return double(rng.randint(1 - 2**51, 2**51 - 1) * 2.0**row.k)
        if row.op == "real":
            return rng.choice([0, 1, 2**52 - 1, rng.getrandbits(52)])
        if kind == "f":
            return 1 if row.known else rng.randrange(2)
        return rng.choice([rng.choice(edges(w)), rng.getrandbits(w), rng.randrange(9)])

    if row.op in MASK_OPS and row.op != "lift":
        return [[mask] * lanes for mask in masks(row, rng)]
    vectors = [[word(kind) for _ in range(lanes)] for kind in OPS[row.op].args]
    if row.op == "div":
        return [[max(a - 1, 0) for a in vectors[0]], vectors[1], [max(a, 1) for a in vectors[0]]]
    if OPS[row.op].args.startswith("ww"):
        vectors[1] = [a if rng.random() < 0.2 else b for a, b in zip(*vectors[:2], strict=True)]
    return vectors


def masks(row: Row, rng: random.Random) -> list[int]:
    """Masks that the operation takes: runs of ones as well as any bits."""
    drawn = [rng.choice([rng.getrandbits(MASK), (1 << rng.randint(0, MASK)) - (1 << rng.randint(0, 8))]) for _ in "ab"]
    a, b = (mask & (1 << MASK) - 1 for mask in drawn)
    if row.op == "spread":
        return [sum(1 << i for i in range(row.k, MASK + row.k, row.k) if a >> i - row.k & 1)]
    return [a & ~b, b] if row.op == "carries" else [a, b][: len(OPS[row.op].args)]


def expected(row: Row, vectors: list[list[int]], target: Target) -> list[list[int]]:
    """By result, what the operation means in every lane; integers (digits of a lane) come in two's complement."""
    if row.lanes:
        return [[(vectors[0] + vectors[1])[lane] for lane in row.lanes]]
    if row.op in ACROSS:
        return [ACROSS[row.op](row.k, *vectors)]
    width = target.digit if row.op in FUSED.values() else target.word
    columns = [[_signed(x, target.word) for x in vector] for vector in vectors] if "i" in OPS[row.op].args else vectors
    each = [OPS[row.op].meaning(width, row.k, *args) for args in zip(*columns, strict=True)]
    return [[result % 2**target.word for result in column] for column in zip(*each, strict=True)]


def _signed(x: int, w: int) -> int:
    return x - (x >> w - 1 << w)


def wrong(target: Target, flags: list[str], includes: dict[str, str]) -> list[tuple[Row, list[list[int]]]]:
    """The rows that are not what they mean, with the inputs."""
    library = load(compile_shared(source(target), name="rows", flags=["-std=c99", *flags], includes=includes))
    rng, found, dtype = random.Random(target.name), [], np.dtype(f"u{target.word // 8}")
    for i, row in enumerate(rows(target)):
        for _ in range(COUNT):
            vectors = inputs(row, target.lanes, rng, target.word)
            x = np.array([*vectors, [1] * target.lanes], dtype=dtype)
            y = np.zeros((len(OPS[row.op].results), target.lanes), dtype=dtype)
            library[f"row_{i}"](ctypes.c_void_p(y.ctypes.data), ctypes.c_void_p(x.ctypes.data))
            if y.tolist() != expected(row, vectors, target):
                found.append((row, vectors))
    return found


@pytest.mark.parametrize("name", in_c())
def test_rows_on_this_processor(name: str) -> None:
    target = load_target(name)
    if missing := missing_features(target.features):
        pytest.skip(f"this processor has no {', '.join(missing)}")
    assert wrong(target, list(target.flags), {}) == []


STOOD_IN = [name for name in names() if load_target(name).standins and load_target(name).purpose == "kernels"]
"""Proposals have a battery of their own."""


@pytest.mark.parametrize("name", STOOD_IN)
def test_rows_on_stand_ins(name: str) -> None:
    target = load_target(name)
    header = (folder("templates") / "standins" / target.standins).read_text(encoding="utf-8")
    assert wrong(target, ["-DMOMAGEN_STANDINS"], {target.standins: header}) == []


def test_a_wrong_row_is_caught() -> None:
    """The battery itself: a signed comparison with its arguments exchanged."""
    target = load_target("c64")
    broken = replace(target, ops={**target.ops, "lt": Spelling(("(uint64_t)({b} < {a})",))})
    assert {row.op for row, _ in wrong(broken, [], {})} == {"lt"}
