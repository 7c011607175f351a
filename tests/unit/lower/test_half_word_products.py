"""Products of half words on arrays: what they mean stays, and halves are taken once."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from momagen.ir import Block, Builder, run
from momagen.lower.arrays.halves import with_halves
from momagen.targets import load_target


def products(word: int = 32) -> Block:
    """Of low halves of two words, of one that is no longer than that, of a number, and one half beside them."""
    b = Builder()
    x, y, short = (b.input(name, 0, (1 << bits) - 1) for name, bits in (("x", word), ("y", word), ("s", word // 2)))
    for at, pair in enumerate(((x, y), (x, short), (x, x), (b.one("low", word, y, k=word // 2), y))):
        b.output(f"z{at}", b.one("mulhalf", word, *pair))
    return b.block


@pytest.mark.parametrize(("target", "word"), [("jax_tpu", 32), ("jax_words64", 64)])
def test_they_mean_the_same_with_halves_taken_once(target: str, word: int) -> None:
    block, rng, half, top = products(word), Random(1), (1 << word // 2) - 1, (1 << word) - 1
    found = with_halves(block, load_target(target))
    assert Counter(instr.op for instr in found.instrs) == {"low": 2, "mullo": 4}
    for _ in range(50):
        x, y = (rng.choice((0, half, half + 1, top, rng.randrange(top))) for _ in range(2))
        inputs = {"x": x, "y": y, "s": rng.choice((0, half, rng.randrange(half)))}
        assert run(found, inputs) == run(block, inputs)


def test_a_machine_without_longer_products_keeps_them() -> None:
    block = products()
    assert with_halves(block, load_target("avx2")) is block
