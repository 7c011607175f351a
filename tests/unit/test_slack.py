"""Rewriting for digits with slack: any operation, and blocks of them, on inputs by redundant digits.

``MOMAGEN_SEED`` picks the sample (the day does where it is unset); ``-m slow`` sweeps longer.
"""

from __future__ import annotations

import os
import random
from datetime import date

import pytest
from slack_problems import SIZES, by_digits, chain, drawn, lowered, redundant

from momagen.ir import OPS, Block, Builder, run
from momagen.rewrite import COMPOSITES
from momagen.rewrite.cases import random_cases

SEED = int(os.environ.get("MOMAGEN_SEED", date.today().toordinal()))
WORDS = ["plus", "minus", "settle", "mul", "mullo", "mulhi", "select", "shl", "shr", "shrd", "low", "lt", "eq"]
SUMS = ["add", "addc", "addlo", "addclo", "sub", "sublo"]
OPERATIONS = [*WORDS, *SUMS, *COMPOSITES]
LAZY = {"mulhi_about", "shoup", "shoup_free", "ct", "gs", "ct_free", "gs_free"}
"""Operations whose attribute says how deep a quotient is cut: at most as many halvings as there are digits."""


def case(op: str, word: int, count: int, lane: int, rng: random.Random) -> tuple[int, tuple[int, ...]] | None:
    """An attribute and arguments that ``op`` takes on ``count`` digits."""
    width = word * count
    for k, args in random_cases(op, 1, width, rng, 20):
        if op in ("plus", "minus"):
            args = tuple(rng.choice([-1, 1]) * a for a in args)
        k = {"settle": rng.choice([word, lane - 4]), "mulhi_about": 1 << rng.randrange(count.bit_length())}.get(op, k)
        if op in LAZY and (k & (k - 1) or k > count):
            continue
        if op == "residue":
            x, q, _ = args
            k = rng.randint(max(0, q.bit_length() - word), max(0, q.bit_length() - 2))
            args = x, q, (1 << k + word) // q
        if OPS[op].requires(width, k, *args) and (op != "residue" or args[0] >> k + word - 1 == 0):
            return k, args
    return None


def posed(op: str, word: int, lane: int, count: int, k: int, args: tuple[int, ...], rng: random.Random) -> Block:
    """``op`` on inputs of intervals around ``args``, short ones and all there is."""
    b, full = Builder(), (1 << word * count) - 1
    made = []
    for i, (kind, a) in enumerate(zip(OPS[op].args, args, strict=True)):
        if kind == "f":
            made.append(b.input(f"x{i}", *rng.choice([(0, 1), (a, a)]), "flag"))
            continue
        lo, hi = (-2 * full, 2 * full) if kind == "i" else (0, full)
        near = rng.getrandbits(rng.randint(0, word * count))
        lo, hi = rng.choice([(a, a), (max(lo, a - near), min(hi, a + near)), (lo, hi)])
        made.append(b.input(f"x{i}", a, a) if lo == hi else redundant(rng, b, f"x{i}", lo, hi, word, lane))
    for i, result in enumerate(b.emit(op, word * count, *made, k=k)):
        b.output(f"r{i}", result)
    return b.block


def check_operation(op: str, word: int, lane: int, rng: random.Random) -> bool:
    count = rng.choice([1, 2, 2, 4, 8])
    found = case(op, word, count, lane, rng)
    if found is None:
        return False
    k, args = found
    block, row = posed(op, word, lane, count, k, args, rng), OPS[op]
    for low in lowered(block, word, lane, rng.choice([1, 2, 3])):
        numbers = dict(zip((f"x{i}" for i in range(len(args))), args, strict=True))
        for _ in range(2):
            out = run(low, by_digits(rng, block, numbers))
            got = tuple(out[f"r{i}"] for i in range(len(row.results)))
            wanted = row.meaning(word * count, k, *args)
            right = row.agrees(word * count, k, args, got) if row.agrees else got == wanted
            assert right, (SEED, op, word, count, k, args, got, wanted)
    return True


@pytest.mark.parametrize("word, lane", SIZES)
@pytest.mark.parametrize("op", OPERATIONS)
def test_operation(op: str, word: int, lane: int) -> None:
    rng = random.Random(f"{SEED} {op} {word}")
    assert sum(check_operation(op, word, lane, rng) for _ in range(10)) > 3


def check_chain(word: int, lane: int, rng: random.Random) -> None:
    block = chain(rng, word, lane, rng.choice([1, 2, 2, 4]), 10)
    both = lowered(block, word, lane, rng.choice([1, 2, 3]))
    for _ in range(3):
        numbers = drawn(rng, block)
        wanted = run(block, numbers)
        for low in both:
            assert run(low, by_digits(rng, block, numbers)) == wanted, (SEED, word)


@pytest.mark.parametrize("word, lane", SIZES)
def test_blocks_of_operations(word: int, lane: int) -> None:
    rng = random.Random(f"{SEED} chain {word}")
    for _ in range(12):
        check_chain(word, lane, rng)


@pytest.mark.slow
@pytest.mark.parametrize("salt", range(8))
@pytest.mark.parametrize("word, lane", SIZES)
def test_long_sweep(word: int, lane: int, salt: int) -> None:
    rng = random.Random(f"{SEED} sweep {word} {salt}")
    for _ in range(60):
        check_chain(word, lane, rng)
    for op in OPERATIONS:
        for _ in range(20):
            check_operation(op, word, lane, rng)
