"""Problems for digits with slack: machines, inputs by redundant digits, and random blocks of wide operations."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from momagen.ir import Block, Builder, Value, leaves
from momagen.rewrite import Machine, accumulate, rewrite, table
from momagen.rewrite.digits.digits import bits_of

LINEAR = (
    "plus", "minus", "sar", "sal", "clear", "negative", "bit", "low", "select", "word", "shr", "and", "or", "not", "eq",
)  # fmt: skip
Inputs = dict[str, int | list[int]]


@dataclass(frozen=True)
class Digits:
    """Digits of ``word`` bits in lanes of ``lane`` bits."""

    word: int
    lane: int

    @property
    def legal(self) -> frozenset[str]:
        return frozenset((*LINEAR, "mullo", "mulhi"))

    @property
    def machine(self) -> Machine:
        legal = self.legal
        return Machine(
            self.word, lambda op, w: w == self.word and op in legal, {"carry": "unsigned"}, self.lane, digits="slack"
        )

    def __str__(self) -> str:
        return f"{self.word}/{self.lane}"


SIZES = [Digits(8, 32), Digits(16, 32), Digits(28, 64), Digits(52, 64)]


def edge(rng: random.Random, lo: int, hi: int) -> int:
    """An end of [lo, hi], a number near one, or any."""
    near = min(hi - lo, rng.getrandbits(rng.randint(1, max(1, (hi - lo).bit_length()))))
    return rng.choice([lo, hi, lo + near, hi - near, rng.randint(lo, hi), rng.randint(lo, hi)])


def redundant(rng: random.Random, b: Builder, name: str, lo: int, hi: int, size: Digits) -> Value:
    """A new input in [lo, hi] by digits up to some 2^word beyond 0 … 2^word - 1, exactly or modulo a power of two."""
    word = size.word
    slack = rng.choice([0, 1, edge(rng, 1, (1 << size.lane - word - 5) - 1)])
    count = -(-bits_of(lo, hi) // word) or 1
    ring = count * word * (rng.random() < 0.4)
    count += rng.choice([0, 0, 0, 1]) * (not ring)
    digits = [Value(-(slack << word), (slack + 1 << word) - 1, "word", f"{name}_{i}") for i in range(count)]
    if not ring:
        above, more = word * (count - 1), (slack + 2 * (slack >> word) + 2) * (count > 1)
        digits[0] = Value((lo >> above) - more, (hi >> above) + more, "word", f"{name}_0")
    value = Value(lo, hi, "word", name, tuple(digits), word, ring)
    b.block.inputs[name] = value
    return value


def spread(rng: random.Random, value: Value, number: int) -> int | list[int]:
    """The digits of ``number``, high part first, anywhere in their declared intervals."""
    if not value.digits:
        return number
    w, found = value.weight, list[int]()
    for digit in reversed(value.digits[1:]):
        d = number & (1 << w) - 1
        found.append(d + (edge(rng, -((d - digit.lo) >> w), (digit.hi - d) >> w) << w))
        number = number - found[-1] >> w
    top = value.digits[0]
    if value.ring:
        number &= (1 << w) - 1
        number += edge(rng, -((number - top.lo) >> w), (top.hi - number) >> w) << w
    return [number, *reversed(found)]


def lowered(block: Block, size: Digits, longest: int) -> tuple[Block, Block]:
    """The block on digits, without and with multiply-adds in chains of at most ``longest``."""
    plain = rewrite(block, table(), size.machine)
    fused = accumulate(plain, size.word, longest)
    for found, more in ((plain, frozenset[str]()), (fused, frozenset({"fmalo", "fmahi"}))):
        demand_order(found)
        assert {i.w for i in found.instrs} <= {size.word}
        assert set(found.counts()) <= size.legal | more
        half = 1 << size.lane - 1
        assert all(-half <= r.lo <= r.hi < half for i in found.instrs for r in i.results)
    assert not fused.counts()["mullo"] + fused.counts()["mulhi"]
    return plain, fused


def demand_order(block: Block) -> None:
    """Every argument and output is an input, a constant, or the result of an instruction before."""
    known = {id(leaf) for value in block.inputs.values() for leaf in leaves(value)}

    def read(values: Sequence[Value]) -> None:
        assert all(leaf.is_const or id(leaf) in known for value in values for leaf in leaves(value))

    for instr in block.instrs:
        assert not any(a.digits for a in instr.args), instr
        read(instr.args)
        known |= {id(r) for r in instr.results}
    read(list(block.outputs.values()))


KINDS = {
    "wide": ("plus", "minus", "settle", "select"),
    "words": ("mul", "mullo", "mulhi", "csub", "addlo", "sublo", "add", "sub", "lt", "addclo", "shl", "shr", "low"),
}
"""Operations on integers of any sign, and on words."""


def chain(rng: random.Random, size: Digits, count: int, length: int) -> Block:
    """A block of ``length`` operations on ``count`` digits, all its values outputs."""
    b, width = Builder(), size.word * count
    full = (1 << width) - 1
    pool = [redundant(rng, b, f"x{i}", *ends, size) for i, ends in enumerate(_ranges(rng, full))]
    flags = [b.input("f", 0, 1, "flag")]
    for _ in range(length):
        op = rng.choice(KINDS["words" if rng.random() < 0.7 else "wide"])
        fit = [v for v in pool if op in KINDS["wide"] or (v.lo >= 0 and v.hi <= full)]
        args = [rng.choice(fit), rng.choice(fit)]
        args = args[:1] if op in ("settle", "shl", "shr", "low") else args
        args = [*args, rng.choice(flags)] if op == "addclo" else [rng.choice(flags), *args] if op == "select" else args
        for value in b.emit(op, width, *args, k=_distance(rng, op, size, width)):
            if value.kind == "flag":
                flags.append(value)
            elif bits_of(value.lo, value.hi) < 3 * width:
                pool.append(value)
    b.block.outputs = {f"r{i}": v for i, v in enumerate([*pool, *flags])}
    return b.block


def _ranges(rng: random.Random, full: int) -> list[tuple[int, int]]:
    """From 0 up, of either sign, and short ones far from 0."""
    near = edge(rng, 0, full - 1)
    signed = -edge(rng, 1, full), edge(rng, 1, full)
    return [(0, full), (0, edge(rng, 1, full)), (near, edge(rng, near + 1, full)), signed]


def _distance(rng: random.Random, op: str, size: Digits, width: int) -> int:
    if op == "settle":
        return rng.choice([size.word, size.lane - 4, size.lane - 1])
    anywhere = rng.choice([size.word * rng.randint(0, width // size.word), rng.randint(0, width + 2)])
    return anywhere if op in ("shl", "shr", "low") else 0


def drawn(rng: random.Random, block: Block) -> dict[str, int]:
    return {name: edge(rng, value.lo, value.hi) for name, value in block.inputs.items()}


def by_digits(rng: random.Random, block: Block, numbers: dict[str, int]) -> Inputs:
    return {name: spread(rng, value, numbers[name]) for name, value in block.inputs.items()}
