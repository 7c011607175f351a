"""Sums of products as multiply-adds: as many as there are products, in order, in chains, without needless masks."""

from __future__ import annotations

import random

import pytest
from support.slack_problems import demand_order

from momagen.ir import Block, Builder, Value, run
from momagen.rewrite import accumulate
from momagen.rewrite.engine.accumulate import FUSED

W = 8


def drawn(block: Block, rng: random.Random) -> dict[str, int]:
    return {name: rng.choice([v.lo, v.hi, rng.randint(v.lo, v.hi)]) for name, v in block.inputs.items()}


def same(block: Block, longest: int) -> Block:
    """The block with multiply-adds, which computes the same."""
    fused, rng = accumulate(block, W, longest), random.Random(len(block.instrs))
    demand_order(fused)
    assert not fused.counts().keys() & FUSED.keys()
    for _ in range(20):
        inputs = drawn(block, rng)
        assert run(fused, inputs) == run(block, inputs)
    return fused


def products(b: Builder, count: int) -> list[Value]:
    digits = [b.input(f"x{i}", 0, 255) for i in range(count + 1)]
    return [b.one("mulhi" if i % 3 else "mullo", W, digits[i], digits[i + 1]) for i in range(count)]


def total(b: Builder, terms: list[Value]) -> Value:
    result = terms[0]
    for term in terms[1:]:
        result = b.one("plus", W, result, term)
    return result


def depth(block: Block) -> int:
    """The longest chain of multiply-adds, each starting from the one before."""
    length: dict[int, int] = {}
    for instr in block.instrs:
        if instr.op in FUSED.values():
            (result,) = instr.results
            length[id(result)] = 1 + length.get(id(instr.args[0]), 0)
    return max(length.values(), default=0)


@pytest.mark.parametrize("longest", [1, 2, 5, 20])
@pytest.mark.parametrize("count, others", [(1, 0), (1, 2), (7, 0), (7, 3), (12, 1)])
def test_a_sum_of_products(count: int, others: int, longest: int) -> None:
    """One multiply-add a product, in chains of at most ``longest``; other terms begin chains or are added."""
    b = Builder()
    terms = [*products(b, count), *(b.input(f"y{i}", -1000, 1000) for i in range(others))]
    random.Random(count).shuffle(terms)
    b.output("s", total(b, terms))
    fused = same(b.block, longest)
    chains = -(-count // longest)
    assert fused.counts()["fmalo"] + fused.counts()["fmahi"] == count
    assert depth(fused) <= longest
    assert fused.counts()["plus"] <= max(chains, others) + min(chains, others) - 1


def test_a_product_read_twice_is_made_once() -> None:
    b = Builder()
    first, second = products(b, 2)
    b.output("s", b.one("plus", W, first, second))
    b.output("t", b.one("minus", W, first, second))
    fused = same(b.block, 8)
    assert fused.counts() == {"fmalo": 1, "fmahi": 1, "plus": 1, "minus": 1}


def test_a_sum_read_twice_is_made_once() -> None:
    b = Builder()
    p = products(b, 4)
    inner = total(b, p[:3])
    b.output("s", b.one("plus", W, inner, p[3]))
    b.output("t", inner)
    assert sum(same(b.block, 8).counts().values()) == 4


def test_a_product_alone_adds_to_nothing() -> None:
    b = Builder()
    for i, value in enumerate(products(b, 2)):
        b.output(f"p{i}", value)
    assert same(b.block, 8).counts() == {"fmalo": 1, "fmahi": 1}


def test_factors_need_no_mask() -> None:
    """A multiply-add reads the low bits of its factors alone; a mask that something else reads stays."""
    b = Builder()
    x, y = b.input("x", -5000, 5000), b.input("y", 0, 255)
    low = b.one("low", W, x, k=W)
    b.output("p", b.one("mullo", W, low, y))
    assert same(b.block, 8).counts() == {"fmalo": 1}
    b.output("low", low)
    assert same(b.block, 8).counts() == {"fmalo": 1, "low": 1}


def test_a_shorter_mask_stays() -> None:
    b = Builder()
    x, y = b.input("x", -5000, 5000), b.input("y", 0, 255)
    b.output("p", b.one("mullo", W, b.one("low", W, x, k=W - 1), y))
    assert same(b.block, 8).counts() == {"fmalo": 1, "low": 1}


def test_random_blocks() -> None:
    """Sums, differences and products of what came before."""
    for seed in range(60):
        rng, b = random.Random(seed), Builder()
        values = [b.input(f"x{i}", 0, 255) for i in range(3)] + [b.input("y", -300, 300)]
        for _ in range(25):
            op = rng.choice(["plus", "plus", "plus", "minus", "mullo", "mulhi", "low"])
            fit = [v for v in values if v.lo >= 0 and v.hi < 256] if op.startswith("mul") else values
            args = [rng.choice(fit) for _ in range(1 if op == "low" else 2)]
            values.append(b.one(op, W, *args, k=W if op == "low" else 0))
        b.block.outputs = {f"r{i}": v for i, v in enumerate(rng.sample(values, 4))}
        same(b.block, rng.choice([1, 3, 20]))
