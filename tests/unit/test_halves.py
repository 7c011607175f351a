"""Products of half words on arrays: what they mean stays, and halves are taken once."""

from __future__ import annotations

from collections import Counter
from random import Random

from momagen.ir import Block, Builder, run
from momagen.lower.arrays.halves import with_halves
from momagen.targets import load_target

HALF = 0xFFFF


def products() -> Block:
    """Of low halves of two words, of one that is no longer than that, of a number, and one half beside them."""
    b = Builder()
    x, y, short = (b.input(name, 0, top) for name, top in (("x", 0xFFFFFFFF), ("y", 0xFFFFFFFF), ("s", HALF)))
    for at, pair in enumerate(((x, y), (x, short), (x, x), (b.one("low", 32, y, k=16), y))):
        b.output(f"z{at}", b.one("mulhalf", 32, *pair))
    return b.block


def test_they_mean_the_same_with_halves_taken_once() -> None:
    block, rng = products(), Random(1)
    found = with_halves(block, load_target("jax_tpu"))
    assert Counter(instr.op for instr in found.instrs) == {"low": 2, "mullo": 4}
    for _ in range(50):
        x, y = (rng.choice((0, HALF, HALF + 1, 0xFFFFFFFF, rng.randrange(1 << 32))) for _ in range(2))
        inputs = {"x": x, "y": y, "s": rng.choice((0, HALF, rng.randrange(1 << 16)))}
        assert run(found, inputs) == run(block, inputs)


def test_a_machine_without_longer_products_keeps_them() -> None:
    block = products()
    assert with_halves(block, load_target("avx2")) is block
