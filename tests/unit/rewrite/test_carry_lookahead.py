"""Numbers across lanes: every operation, on digits of any size, is what it is on whole numbers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest

from momagen.emit import generate
from momagen.ir import OPS, Block, Builder, run_lanes
from momagen.kernels.elementwise.blas import KERNELS, elementwise
from momagen.kernels.residues.arith import Arith
from momagen.kinds.modular.make_spec import make_spec
from momagen.rewrite import LaneGroup, can_look_ahead, look_ahead, registers, table
from momagen.rewrite.lanes import carry_lookahead as lookahead
from momagen.rewrite.lanes.carry_lookahead import ACROSS
from momagen.rewrite.rules.table import RuleTable

Shape = tuple[int, int, int]
SHAPES: list[Shape] = [(1, 2, 2), (2, 2, 2), (2, 3, 2), (1, 3, 4), (2, 4, 4), (3, 2, 4), (2, 6, 4), (2, 5, 8)]
SHAPES += [(3, 16, 8)]
"""Bits of a word, words of a number, lanes."""
PLAIN, MODULAR, COMPARISONS = ("addlo", "sublo", "csub"), ("addmod", "submod"), ("lt", "le", "eq")


def codelet(op: str, held: int, tops: list[int]) -> Block:
    """z = op(a, b, …) on numbers up to ``tops``; of a comparison, a where it holds, otherwise b."""
    b = Builder()
    args = [b.input(name, 0, top) for name, top in zip("abcd", tops, strict=False)]
    made = b.one(op, held, *args)
    b.output("z", b.one("select", held, made, *args[:2]) if made.kind == "flag" else made)
    return b.block


def meaning(op: str, held: int, args: tuple[int, ...]) -> int:
    (value,) = OPS[op].meaning(held, 0, *args)
    return args[not value] if op in COMPARISONS else value


def laid(values: list[int], word: int, words: int, lanes: int) -> list[list[int]]:
    """Registers that hold ``values`` as memory does."""
    flat = [v >> word * i & (1 << word) - 1 for v in values for i in range(words)]
    return [flat[i : i + lanes] for i in range(0, len(flat), lanes)]


def demand(group: LaneGroup, op: str, shape: Shape, given: list[list[int]]) -> None:
    """The right results for one group of numbers, ``given`` by argument."""
    word, words, lanes = shape
    rows = {
        f"{name}{j}": row
        for name, values in zip(group.inputs, given, strict=True)
        for j, row in enumerate(laid(values, *shape))
    }
    found = run_lanes(group.block, rows, lanes)
    wanted = [meaning(op, word * words, args) for args in zip(*given, strict=True)]
    assert [found[f"z{j}"] for j in range(registers(words, lanes))] == laid(wanted, *shape), (op, given)


def rough(rng: random.Random, word: int, words: int, top: int) -> int:
    """A number up to ``top`` whose words are mostly all ones or all zeros: what carries run through."""
    full = (1 << word) - 1
    value = 0
    for _ in range(words):
        value = value << word | rng.choice([0, 0, full, full, rng.randint(0, full)])
    return value if value <= top else rng.randint(0, top)


def drawn(op: str, shape: Shape, rng: random.Random, tops: list[int], q: int) -> list[list[int]]:
    """A group; in half of the numbers b is a or next to it."""
    word, words, lanes = shape
    given = []
    for _ in range(registers(words, lanes) * lanes // words):
        a, b = (rough(rng, word, words, top) for top in tops[:2])
        near = min(max(0, a + rng.randint(-1, 1)), tops[1])
        given.append((a, rng.choice([b, near])) + (q,) * (op in MODULAR))
    return [list(column) for column in zip(*given, strict=True)]


def ranges(op: str, held: int, rng: random.Random) -> Iterator[tuple[list[int], int]]:
    """Tops of the arguments, and q: numbers that fill their words, and some that do not."""
    full = (1 << held) - 1
    for top in (full, full >> 1, max(2, rng.randint(2, full))):
        yield ([top - 1, top - 1, top] if op in MODULAR else [top, top]), top


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("op", PLAIN + MODULAR + COMPARISONS)
def test_an_operation_on_a_group(op: str, shape: Shape) -> None:
    word, words, lanes = shape
    rng = random.Random(f"{op} {shape}")
    for tops, q in ranges(op, word * words, rng):
        group = look_ahead(codelet(op, word * words, tops), word, words, lanes)
        for _ in range(40):
            demand(group, op, shape, drawn(op, shape, rng, tops, q))


@pytest.mark.parametrize("op", PLAIN + COMPARISONS)
def test_all_small_numbers(op: str) -> None:
    """Two numbers of two words of two bits side by side: every pair of numbers beside every other with a carry."""
    group, full = look_ahead(codelet(op, 4, [15, 15]), 2, 2, 4), range(16)
    for a, b, (c, d) in product(full, full, [(0, 0), (15, 15), (0, 15), (15, 1), (3, 4)]):
        demand(group, op, (2, 2, 4), [[a, c], [b, d]])
        demand(group, op, (2, 2, 4), [[c, a], [d, b]])


def test_a_carry_that_is_not_passed_on_is_caught() -> None:
    """The tests themselves: without lanes that pass carries on, 1 + 255 is 0 in the low words only."""
    group = look_ahead(codelet("addlo", 8, [127, 127]), 2, 4, 4)
    for instr in group.block.instrs:
        if instr.op == "eq":
            object.__setattr__(instr, "op", "lt")
    with pytest.raises(AssertionError):
        demand(group, "addlo", (2, 4, 4), [[1], [127]])


def test_sums_of_all_kernels_can_stand_across_lanes() -> None:
    found = {kind for kind in KERNELS if can_look_ahead(elementwise(KERNELS[kind], Arith(380)).block, 64, 6, 8)}
    assert found == {"vadd", "vsub", "vadds", "vsubs", "vneg", "cmpadd", "cmpsub", "reduce"}


def test_a_group_ends_with_a_number_and_fits_a_mask() -> None:
    assert [registers(words, 8) for words in (3, 4, 5, 6, 8, 12, 16)] == [3, 1, 5, 3, 1, 3, 2]
    block = elementwise(KERNELS["vadd"], Arith(60)).block
    fits = [words for words in range(1, 33) if can_look_ahead(block, 64, words, 8)]
    assert fits == [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32]


INSIDE = {"add", "sub", "reduce"}
"""Operations with a carry, which those modulo q are made of."""


def any_codelet(op: str) -> Block:
    return codelet(op, 8, [200] * len(OPS[op].args))


def test_every_operation_that_a_rule_takes_is_tried() -> None:
    ruled = {rule.op for rule in table() if rule.choice == ACROSS}
    assert ruled == {*PLAIN, *COMPARISONS, "submod", "shl", *INSIDE}
    assert all(can_look_ahead(any_codelet(op), 4, 2, 4) for op in {*ruled, "addmod"} - INSIDE)


@pytest.mark.parametrize("op", ["mullo", "mulhi", "montgomery"])
def test_products_stay_out_of_groups(op: str) -> None:
    assert not can_look_ahead(any_codelet(op), 4, 2, 4)


@pytest.mark.parametrize("name, kept", [("at_most_across", "lt"), ("subtract_modulo_across", "addmod")])
def test_without_a_rule_an_operation_stays_out(name: str, kept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    left = [rule for rule in table() if rule.name != name]
    (op,) = {rule.op for rule in table() if rule.name == name}
    monkeypatch.setattr(lookahead, "table", lambda: RuleTable([rule for rule in left if rule.op != op]))
    assert can_look_ahead(any_codelet(kept), 4, 2, 4)
    assert not can_look_ahead(any_codelet(op), 4, 2, 4)


@pytest.mark.parametrize("bits", [320, 508, 1020])
def test_the_loop_is_what_the_note_says(bits: int) -> None:
    """Also where one residue fills the lanes, and the loop goes one residue at a time."""
    source = generate(make_spec("vadd", bits=bits, target="avx512"))
    assert any("share one register" in note for note in source.notes)
    loops = source.source.split("static MG_NOINLINE MG_SIMD void by_")[1:]
    assert loops and "_mm512_" in loops[0]
