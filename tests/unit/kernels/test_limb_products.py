"""Products on digits: right and in range for every modulus they serve, on integers and on the digits of a target."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from itertools import product as every

import gmpy2
import pytest
from support.slack_problems import Digits, lowered

from momagen.errors import MomagenError
from momagen.ir import OPS, Block, Builder, const, run
from momagen.ir.order.rows import by_rows, ranks
from momagen.kernels.elementwise.blas import KERNELS
from momagen.kernels.elementwise.codelet import Elementwise
from momagen.kernels.elementwise.products import product
from momagen.kernels.residues.arith import Arith
from momagen.lower import lower_digits
from momagen.rewrite import Trace, rewrite, table
from momagen.rewrite.engine.accumulate import LATENCY
from momagen.targets import load_target

WIDTHS = (16, 47, 48, 49, 50, 51, 52, 60, 64, 103, 104, 105, 106, 107, 124, 155, 157, 200, 252, 256, 320, 381)
IFMA = load_target("avx512ifma")
ASKED = ("product_truncated", "mulmod_truncated", "product_of_digits")


DEFINED: dict[str, Callable[[int, int, int], int]] = {
    "complement": lambda q, a, k: (1 << k) - q, "below": lambda q, a, k: ((1 << k) - 1) // q,
    "over": lambda q, a, k: (a << k) // q, "shifted": lambda q, a, k: q << k,
    "below_low": lambda q, a, k: ((1 << k) - 1) // q % (1 << (52 if k > 16 else 8)),
}  # fmt: skip
"""What the rules derive, on digits of 52 bits and of eight."""

PAIRED = ("vmul", "vmuladd")
"""The kernels with a product of two vectors."""
MULTIPLYING = (*PAIRED, "axpy", "scal")


def constants(block: Block, q: int, a: int) -> dict[str, int]:
    """All that lowering derives, by definition."""
    lower_digits(block, IFMA, trace := Trace())
    return {name: DEFINED[op](q, a, k) for name, (op, k, _) in trace.derived.items()}


def demand(
    made: Elementwise, block: Block, kind: str, q: int, a: int, vectors: dict[str, int], derived: dict[str, int]
) -> None:
    """t is 2^shift times something congruent and below m·q, without the addends that words add; the interpreter checks
    every interval."""
    given = {name: vectors[name] << shift for name, shift in made.vectors.items()}
    known = {"q": q, "a": a, **derived}
    t = run(block, given | {name: known[name] for name in block.inputs if name not in given})["t"]
    x, y = vectors["x"], vectors["y"]
    wanted = {**dict.fromkeys(PAIRED, x * y), "axpy": a * x + y * ("y" in made.vectors), "scal": a * x}[kind]
    z, rest = divmod(t, 1 << made.shift)
    assert rest == 0 and (z - wanted) % q == 0 and 0 <= z < made.m * q, (kind, q, a, vectors)


def top(made: Elementwise, name: str, q: int, taken: int) -> int:
    """Return the largest value of the vector ``name`` in the codelet, behind the reductions on words."""
    return made.wanted.get(name, taken) * q - 1


def moduli(made: Elementwise, kind: str, bits: int, rng: random.Random) -> list[int]:
    """From both ends of what is served, and between."""
    ends = [int(gmpy2.next_prime(1 << bits - 1)), (1 << bits - 1) + 1, (1 << bits) - 1, (1 << bits) - 3]
    short = [] if kind in PAIRED and not made.wanted else [3, (1 << bits // 2) + 1]
    return [*ends, *short, *(rng.getrandbits(bits) | 1 | 1 << bits - 1 for _ in range(4))]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("kind", MULTIPLYING)
def test_products(kind: str, bits: int) -> None:
    rng = random.Random(bits)
    for taken in (1, 2, 8):
        made = product(KERNELS[kind], Arith(bits), 52, taken)
        assert made.m <= max(2 + taken, Arith(bits).room)
        rows = ("x",) if bits > 256 else ()
        blocks = [made.block, lower_digits(made.block, IFMA, rows=rows)]
        for q in moduli(made, kind, bits, rng):
            tops = [top(made, name, q, taken) for name in "xy"]
            edges = [[0, 1, q - 1, most, rng.randrange(most)] for most in tops]
            for x, y in rng.sample([*every(*edges)], 4):
                for block in blocks:
                    a = rng.choice((0, 1, q - 1, rng.randrange(q)))
                    demand(made, block, kind, q, a, {"x": x, "y": y}, constants(made.block, q, a))


@pytest.mark.parametrize("kind", MULTIPLYING)
def test_operations_promise_what_products_ask_of_them(kind: str) -> None:
    """Of the largest operands, for the least and the largest modulus."""
    for bits in range(3, 1021, 23):
        for taken in (1, 2, 8):
            made = product(KERNELS[kind], Arith(bits), 52, taken)
            (asked,) = (i for i in made.block.instrs if i.op in ASKED)
            at = [value.name for value in asked.args].index("q")
            for q in (1 << bits - 1 if kind in PAIRED else 3, (1 << bits) - 1):
                most = {"q": q, "a": q - 1} | {v: top(made, v, q, taken) << s for v, s in made.vectors.items()}
                args = [most.get(value.name, value.hi) for value in asked.args]
                assert args[at] == q and OPS[asked.op].requires(asked.w, asked.k, *args), (bits, taken, q)


@pytest.mark.parametrize(("kind", "bits"), [("vmul", 6), ("vmul", 9), ("vmul", 14), ("axpy", 6), ("axpy", 11)])
def test_digits_of_eight_bits(kind: str, bits: int) -> None:
    """Where the errors of quotients are as large as they come, at every modulus of the width."""
    rng, size = random.Random(bits), Digits(8, 32)
    made = product(KERNELS[kind], Arith(bits, 32), size.word, 1)
    block = rewrite(made.block, table(), size.machine, trace := Trace())
    for q in range((1 << bits - 1) + 1, 1 << bits, 2)[: 1 << 11]:
        for x, y in ((q - 1, q - 1), (rng.randrange(q), rng.randrange(q)), (q - 1, rng.randrange(q))):
            a = rng.choice((q - 1, rng.randrange(q)))
            known = {name: DEFINED[op](q, a, k) for name, (op, k, _) in trace.derived.items()}
            demand(made, block, kind, q, a, {"x": x, "y": y}, known)


def test_how_many_multiply_adds() -> None:
    """The whole product, as much again to reduce it: 4k² where digits are full. On one digit, the two halves of a
    quotient of y take the place of the high half of the product: one more, but no shifts."""
    made = {bits: product(KERNELS["vmul"], Arith(bits), 52, 1).block for bits in (49, 60, 124, 252)}
    found = {bits: lower_digits(block, IFMA).counts() for bits, block in made.items()}
    assert {bits: c["fmalo"] + c["fmahi"] for bits, c in found.items()} == {49: 5, 60: 15, 124: 35, 252: 110}
    assert {bits: sum(c.values()) for bits, c in found.items()} == {49: 6, 60: 22, 124: 48, 252: 139}


@pytest.mark.parametrize(("bits", "taken", "fits"), [(50, 2, True), (50, 4, False), (49, 8, False), (51, 1, False)])
def test_an_addend_is_part_of_the_product_if_their_sum_fits_a_limb(bits: int, taken: int, fits: bool) -> None:
    made = product(KERNELS["axpy"], Arith(bits), 52, taken)
    assert made.m == 2 + taken * fits and ("y" in made.vectors) == fits


def test_what_is_left_below_is_less_than_its_carry() -> None:
    """``above`` drops digits as they are: at most their carry is lost."""
    size, rng = Digits(8, 32), random.Random(1)
    b = Builder()
    x, y = b.input("x", 0, 0xFFFFFF), b.input("y", 0, 0xFFFFFF)
    p = b.one("mullo", 64, x, y)
    b.output("h", b.one("above", 64, p, const(6), k=24))
    for low in lowered(b.block, size, 8):
        for _ in range(50):
            given = {"x": rng.getrandbits(24), "y": rng.getrandbits(24)}
            exact, (got,) = given["x"] * given["y"] >> 24, run(low, given).values()
            assert exact - 6 <= got <= exact
            assert OPS["above"].agrees(64, 24, (given["x"] * given["y"], 6), (got,))  # type: ignore[misc]


def test_more_than_the_doubt_is_not_left_below() -> None:
    """Three digits below 2^24 hold five halves of products and more."""
    b = Builder()
    p = b.one("mullo", 64, b.input("x", 0, 0xFFFFFF), b.input("y", 0, 0xFFFFFF))
    b.output("h", b.one("above", 64, p, const(1), k=24))
    with pytest.raises(MomagenError, match=r"expected limbs of less than 2·2\^24 below 2\^24, got "):
        lowered(b.block, Digits(8, 32), 8)


def test_long_products_go_by_rows() -> None:
    """Products by one digit of x stand together, but for a few, and no sum has parts."""
    block = lower_digits(product(KERNELS["scal"], Arith(1020), 52, 1).block, IFMA, rows=("x",))
    again, order = by_rows(block, LATENCY, ranks(block, ["x"])), ranks(block, ["x"])
    assert {*map(id, again.instrs)} == {*map(id, block.instrs)} and len(order) == 20
    fused = [i for i in block.instrs if i.op in LATENCY]
    rows = [order[id(a)] for i in fused for a in i.args[1:] if id(a) in order]
    assert len(rows) == 800 and sum(a != b for a, b in pairwise(rows)) < 40
    short = lower_digits(product(KERNELS["scal"], Arith(1020), 52, 1).block, replace(IFMA, longest=20))
    assert block.counts()["plus"] < 60 < short.counts()["plus"]
