"""Numbers across lanes: every operation, on every kind of digits, is what it is on whole numbers."""

from __future__ import annotations

import random
from itertools import product

import pytest

from momagen.ir import OPS, Builder, Value, run_lanes
from momagen.kernels.arith import Arith
from momagen.kernels.blas import KERNELS, elementwise
from momagen.kernels.frame import Choices
from momagen.rewrite.lookahead import Lookahead, can_look_ahead, look_ahead, registers

SHAPES = [(1, 2, 2), (2, 2, 2), (2, 3, 2), (1, 3, 4), (2, 4, 4), (3, 2, 4), (2, 6, 4), (2, 5, 8), (4, 16, 8)]
"""Bits of a word, words of a number, lanes."""
WORD_OPS = ("addlo", "sublo", "csub", "addmod", "submod", "lt", "le", "eq")
print(Lookahead, can_look_ahead, KERNELS, elementwise, Choices, Arith)


def numbers(rng: random.Random, word: int, words: int, top: int, count: int) -> list[int]:
    """Numbers up to ``top`` whose words are mostly all ones, all zeros, or one off those: what carries run through."""
    full = (1 << word) - 1
    found: list[int] = []
    while len(found) < count:
        digits = [rng.choice([0, 0, full, full, 1 % (full + 1), full - 1, rng.randint(0, full)]) for _ in range(words)]
        value = sum(d << word * i for i, d in enumerate(digits))
        found.append(value if value <= top else rng.randint(0, top))
    return found


def laid(values: list[int], word: int, words: int, lanes: int) -> list[list[int]]:
    """Registers that hold ``values`` as memory does."""
    flat = [v >> word * i & (1 << word) - 1 for v in values for i in range(words)]
    return [flat[i : i + lanes] for i in range(0, len(flat), lanes)]


def codelet(op: str, word: int, words: int, tops: tuple[int, ...]) -> Builder:
    """z = op(a, b, …) at the numbers' width; of a comparison, a where it holds, else b."""
    b, held = Builder(), word * words
    args = [b.input(name, 0, top) for name, top in zip("abc", tops, strict=False)]
    made = b.one(op, held, *args)
    b.output("z", b.one("select", held, made, *args[:2]) if made.kind == "flag" else made)
    return b


def check(b: Builder, op: str, word: int, words: int, lanes: int, given: list[list[int]]) -> None:
    group = look_ahead(b.block, word, words, lanes)
    rows = {
        f"{name}{j}": row
        for name, values in zip(b.block.inputs, given, strict=True)
        for j, row in enumerate(laid(values, word, words, lanes))
    }  # fmt: skip
    found = run_lanes(group.block, rows, lanes)
    held = word * words
    wanted = []
    for args in zip(*given, strict=True):
        (value,) = OPS[op].meaning(held, 0, *args)
        wanted.append((args[0] if value else args[1]) if OPS[op].results == "f" else value)
    got = [found[f"z{j}"] for j in range(registers(words, lanes))]
    assert got == laid(wanted, word, words, lanes), (op, given)


def cases(op: str, word: int, words: int, rng: random.Random, count: int) -> tuple[tuple[int, ...], list[list[int]]]:
    """Tops of the arguments and numbers below them, q in every element the same."""
    full = (1 << word * words) - 1
    q = rng.choice([full, full >> 1, rng.randint(2, max(2, full))]) or 1
    q = max(q, 1)
    a, b = (numbers(rng, word, words, full, count) for _ in "ab")
    if rng.random() < 0.5:
        b = [rng.choice([x, min(full, x + 1), max(0, x - 1), y]) for x, y in zip(a, b, strict=True)]
    if op in ("addmod", "submod"):
        q = max(q, 2)
        return (q - 1, q - 1, full), [[x % q for x in a], [y % q for y in b], [q] * count]
    return (full, full), [a, b]


@pytest.mark.parametrize("op", WORD_OPS)
@pytest.mark.parametrize(("word", "words", "lanes"), SHAPES, ids=str)
def test_an_operation(op: str, word: int, words: int, lanes: int) -> None:
    rng, count = random.Random(f"{op} {word} {words} {lanes}"), registers(words, lanes) * lanes // words
    for _ in range(300):
        tops, given = cases(op, word, words, rng, count)
        check(codelet(op, word, words, tops), op, word, words, lanes, given)
