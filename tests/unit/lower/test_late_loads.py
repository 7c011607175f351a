"""Loads right before the first instruction that reads them: same results, memory in order, fewer registers."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

import pytest

from momagen.emit import generate
from momagen.ir import Block, Builder, Value
from momagen.ir.interp import Registers
from momagen.kinds.modular.make_spec import make_spec
from momagen.lower.digits.late import late, whole
from momagen.lower.names import X as POINTER
from momagen.plan.planners.reduced_radix import limb_plan
from momagen.program import Load, Name, Run, Statement, Store

LANES, DIGITS, W = 4, 6, 64
FULL = (1 << W) - 1
X, Y, TW = (Name(name, POINTER.type) for name in ("x", "y", "tw"))
TWIDDLE = re.compile(r"\s+const __m\d+i ([uv]\d+_0) = .*\btw\b")
LOAD = re.compile(r"\s+const __m\d+i \w+ = _mm\d+_(set1_epi64x?|loadu_si\d+)\(")
PLACES = {"x": 0, "y": DIGITS * LANES, "tw": 2 * DIGITS * LANES}
"""Where the words of each pointer stand in one memory."""


class Case:
    """X = x + v·y and Y = x - v·y modulo 2^64, digit by digit, in place; v is the same in all lanes."""

    def __init__(self) -> None:
        b = Builder()
        x, y, v = ([b.input(f"{name}{i}", 0, FULL) for i in range(DIGITS)] for name in "xyv")
        sums, rests = list[Value](), list[Value]()
        for digit, factor, other in zip(y, v, x, strict=True):
            product = b.one("mullo", W, digit, factor)
            sums.append(b.one("addlo", W, other, product))
            rests.append(b.one("sublo", W, other, product))
        self.block: Block = whole(b.block.instrs)
        self.loads = [Load("v", v, TW, 0, 1, True), Load("x", x, X, 0, LANES), Load("y", y, Y, 0, LANES)]
        self.stores = [Store(sums, X, 0, LANES), Store(rests, Y, 0, LANES)]
        self.plain: list[Statement] = [*self.loads, Run(self.block), *self.stores]
        self.late = late(self.loads, self.block, self.stores)


def places(s: Load | Store) -> list[tuple[Value, list[int]]]:
    """Each register, and the words of memory that its lanes are."""
    assert isinstance(s.pointer, Name)
    start = PLACES[s.pointer.text] + s.offset
    broadcast = isinstance(s, Load) and s.broadcast
    return [
        (v, [start + at * s.step + lane * (not broadcast) for lane in range(LANES)]) for at, v in enumerate(s.values)
    ]


def run(statements: Sequence[Statement], memory: list[int]) -> list[int]:
    """Memory after ``statements``, which meet it in their order."""
    memory, registers = [*memory], Registers(LANES)
    for s in statements:
        if isinstance(s, Run):
            registers.run(s.block.instrs)
        assert isinstance(s, Load | Store | Run)
        for value, words in [] if isinstance(s, Run) else places(s):
            if isinstance(s, Load):
                registers.give(value, [memory[word] for word in words], s.name)
            else:
                for word, number in zip(words, registers.take(value), strict=True):
                    memory[word] = number
    return memory


def steps(statements: Sequence[Statement]) -> Iterator[tuple[list[Value], list[Value]]]:
    """The registers that each load, instruction and store reads and makes."""
    for s in statements:
        if isinstance(s, Run):
            yield from (([*i.args], [*i.results]) for i in s.block.instrs)
        elif isinstance(s, Load):
            yield [], [*s.values]
        elif isinstance(s, Store):
            yield [*s.values], []


def pressure(statements: Sequence[Statement]) -> int:
    """The most registers that wait at once."""
    live, most = set[int](), 0
    for reads, makes in reversed([*steps(statements)]):
        live = live - {id(v) for v in makes} | {id(v) for v in reads if not v.is_const}
        most = max(most, len(live))
    return most


def overtaken(statements: Sequence[Statement]) -> bool:
    """Whether a load comes behind a store to a word that it reads."""
    stored = set[int]()
    for s in statements:
        words = {word for _, each in places(s) for word in each} if isinstance(s, Load | Store) else set[int]()
        if isinstance(s, Load) and words & stored:
            return True
        stored |= words if isinstance(s, Store) else set()
    return False


def test_memory_is_the_same_afterwards() -> None:
    case, rng = Case(), random.Random(19)
    memory = [rng.getrandbits(W) for _ in range(2 * DIGITS * LANES + DIGITS)]
    found = run(case.late, memory)
    for digit in range(DIGITS):
        for lane in range(LANES):
            x, y = (memory[start + digit * LANES + lane] for start in (PLACES["x"], PLACES["y"]))
            product = y * memory[PLACES["tw"] + digit]
            assert found[digit * LANES + lane] == (x + product) % 2**W
            assert found[PLACES["y"] + digit * LANES + lane] == (x - product) % 2**W
    assert run(case.plain, memory) == found != memory


def test_no_store_goes_before_a_load_of_the_same_words() -> None:
    case = Case()
    assert not overtaken(case.late)
    moved = sorted(case.late, key=lambda s: isinstance(s, Load))  # what the check is to find
    assert overtaken(moved)


def test_what_nothing_reads_comes_before_the_stores_that_nothing_makes() -> None:
    b = Builder()
    x, y = b.input("x", 0, FULL), b.input("y", 0, FULL)
    found = late([Load("x", [x], X), Load("y", [y], Y)], Block(), [Store([y], X), Store([x], Y)])
    assert [type(s) for s in found] == [Load, Load, Store, Store]
    memory = [*range(4), *[0] * (DIGITS - 1) * LANES, *range(4, 8)]
    assert run(found, memory)[:4] == [4, 5, 6, 7] and run(found, memory)[PLACES["y"] :] == [0, 1, 2, 3]


def test_fewer_registers_wait() -> None:
    case = Case()
    assert pressure(case.late) <= 3 < 3 * DIGITS <= pressure(case.plain)


@pytest.mark.parametrize(("target", "bits", "is_late"), [
    ("avx2", 254, True), ("avx2", 60, False), ("avx512", 254, False), ("avx512", 753, True),
    ("avx512ifma", 124, False), ("avx512ifma", 254, True),
])  # fmt: skip
def test_who_loads_late(target: str, bits: int, is_late: bool) -> None:
    spec = make_spec("ntt", n=256, modulus_bits=bits, target=target)
    assert limb_plan(spec).again == is_late


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("target", ["avx512ifma", "avx2"])
def test_a_word_of_a_twiddle_is_loaded_right_before_its_first_use(target: str, inverse: bool) -> None:
    source = generate(make_spec("ntt", n=4096, modulus_bits=254, target=target, inverse=inverse)).source
    lines = source.split("\n")
    loads = [(at, found[1]) for at, line in enumerate(lines) if (found := TWIDDLE.match(line))]
    assert len(loads) > 50
    for at, name in loads:
        rest = (line for line in lines[at + 1 :] if not LOAD.match(line))
        assert re.search(rf"\b{name}\b", next(rest)), lines[at]


def test_without_the_key_none_does() -> None:
    spec = make_spec("ntt", n=256, modulus_bits=254, target="avx2", options={"constants": "registers"})
    assert not limb_plan(spec).again
