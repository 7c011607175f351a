"""The IR: the table of operations is sound, the builder cleans as it appends, the interpreter watches every value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement, product

import pytest

from momagen.ir import (
    DOUBLE_OPS,
    OPS,
    Block,
    BoundError,
    Builder,
    Instr,
    Op,
    Value,
    const,
    dead_code,
    join,
    leaves,
    refine,
    run,
)
from momagen.ir.block import words
from momagen.ir.interp import run_lanes
from momagen.ir.ops import fits
from momagen.ir.simplify import IDENTITIES
from momagen.ir.value import Interval
from momagen.rewrite import COMPOSITES, CONSTANTS

OTHER = (*COMPOSITES, *CONSTANTS, *DOUBLE_OPS, "signed", "perm2", "about", "div")
CORE = [op for op in OPS.values() if op.name not in OTHER]


NEEDY = ("fmadown", "spread")
"""Operations whose arguments must fit the distance."""


def numbers(kind: str, w: int) -> list[int]:
    """What may stand where the table has this letter: every flag, every word, and integers on both sides of them."""
    if kind == "i":
        return [-(1 << w) - 2, -1, 0, 1 << w - 1, (1 << w) - 1, 1 << w, (2 << w) + 1]
    return list(range(2 if kind == "f" else 1 << w))


def arguments(op: Op, w: int) -> Iterator[tuple[int, ...]]:
    return product(*(numbers(kind, w) for kind in op.args))


def distances(op: Op, w: int) -> list[int]:
    """Of operations word by word, the bits of a word."""
    if op.name.startswith("each_") and op.name != "each_if":
        return [k for k in range(1, w + 1) if w % k == 0]
    by_distance = op.name == "each_if" or (re.search(r"(?<![a-z])k(?![a-z])", op.notation) and op.name not in NEEDY)
    return list(range(2 * w + 2 if by_distance else 1))


def boxes(op: Op, w: int) -> Iterator[tuple[Interval, ...]]:
    """Every sub-interval of every argument."""
    return product(*(combinations_with_replacement(numbers(kind, w), 2) for kind in op.args))


def inside(kind: str, w: int, interval: Interval) -> list[int]:
    return [n for n in numbers(kind, w) if interval[0] <= n <= interval[1]]


def named(ops: list[Op]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("op", ops, ids=lambda op: op.name)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("w", [2, 3])
@named(CORE)
def test_bounds_hold_every_result(op: Op, w: int) -> None:
    """Every operation, every distance, every sub-interval of every argument."""
    for k in distances(op, w):
        results = {args: op.meaning(w, k, *args) for args in arguments(op, w)}
        for box in boxes(op, w):
            bounds = op.bounds(w, k, *box)
            for args in product(*(inside(kind, w, part) for kind, part in zip(op.args, box, strict=True))):
                assert all(lo <= r <= hi for r, (lo, hi) in zip(results[args], bounds, strict=True)), (k, box, args)


@pytest.mark.parametrize("w", [2, 3, 4])
@named([op for op in CORE if not op.agrees])
def test_bounds_of_numbers_are_the_results(op: Op, w: int) -> None:
    for k in distances(op, w):
        for args in arguments(op, w):
            points = op.bounds(w, k, *((a, a) for a in args))
            assert points == tuple((r, r) for r in op.meaning(w, k, *args)), (k, args)


@named(CORE)
def test_results_are_of_the_kind_that_the_table_says(op: Op) -> None:
    """And integers are said only of what may be neither a word nor a flag."""
    w, seen = 4, set[tuple[str, bool]]()
    for k in distances(op, w):
        for args in arguments(op, w):
            results = op.meaning(w, k, *args)
            assert all(fits(kind, w, r) for r, kind in zip(results, op.results, strict=True)), (k, args)
            seen |= {(kind, fits("w", w, r)) for r, kind in zip(results, op.results, strict=True)}
    assert "i" not in op.results or ("i", False) in seen


def test_a_quotient_of_two_words_by_a_larger_one_is_a_word() -> None:
    op, w = OPS["div"], 3
    for a, b, c in arguments(op, w):
        assert op.requires(w, 0, a, b, c) == (a < c)
        if a < c:
            (found,) = op.meaning(w, 0, a, b, c)
            assert 0 <= (8 * a + b) - found * c < c and fits("w", w, found)
            assert op.bounds(w, 0, (a, a), (b, b), (c, c)) == ((found, found),)
    assert op.bounds(w, 0, (0, 1), (0, 7), (2, 7)) == ((0, 7),)


@named([op for op in OPS.values() if op.only])
def test_an_operation_alone_is_that_result(op: Op) -> None:
    w = 3
    for i, name in op.only.items():
        alone = OPS[name]
        assert (alone.args, alone.results, alone.commutes) == (op.args, op.results[i], op.commutes)
        for args in arguments(op, w):
            assert alone.meaning(w, 0, *args) == op.meaning(w, 0, *args)[i : i + 1]
        for box in boxes(op, w):
            assert alone.bounds(w, 0, *box) == op.bounds(w, 0, *box)[i : i + 1]


@named([op for op in CORE if op.commutes])
def test_commuting_arguments_may_change_places(op: Op) -> None:
    for a, b, *rest in arguments(op, 4):
        assert op.meaning(4, 0, a, b, *rest) == op.meaning(4, 0, b, a, *rest)


def argument_makers(kind: str, w: int) -> list[Callable[[Builder, str], Value]]:
    """What an identity may meet: an input, the numbers 0, 1, 2^w - 1, the word of a flag, a negated flag."""
    constants = [lambda b, name, n=n: const(n, "flag" if kind == "f" else "word") for n in {0, 1, (1 << w) - 1}]
    if kind == "f":
        return [lambda b, name: b.input(name, 0, 1, "flag"),
                lambda b, name: b.one("not", w, b.input(name, 0, 1, "flag")), *constants[:2]]  # fmt: skip
    lo, hi = (-(1 << w), 2 << w) if kind == "i" else (0, (1 << w) - 1)
    return [lambda b, name: b.input(name, lo, hi),
            lambda b, name: b.one("word", w, b.input(name, 0, 1, "flag")), *constants]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("has_all", [False, True])
@named(CORE)
def test_identities_keep_the_meaning(op: Op, has_all: bool) -> None:
    """Whatever the builder simplifies to computes what the operation means, on every input."""
    w = 2
    for k in distances(op, w):
        for makers in product(*(argument_makers(kind, w) for kind in op.args)):
            for same in (False, True) if len(op.args) > 1 and op.args[0] == op.args[1] else (False,):
                check_built(op, w, k, makers, same, has_all)


def check_built(op: Op, w: int, k: int, makers: tuple[Callable[[Builder, str], Value], ...], same: bool,
                has_all: bool) -> None:  # fmt: skip
    builder = Builder(lambda name: has_all)
    args = [make(builder, f"x{i}") for i, make in enumerate(makers)]
    args[1:2] = args[:1] if same else args[1:2]
    for i, result in enumerate(builder.emit(op.name, w, *args, k=k)):
        builder.output(f"r{i}", result)
    for i, arg in enumerate(args):
        builder.output(f"a{i}", arg)
    whole, names = builder.block, list(builder.block.inputs)
    given = dead_code(Block(whole.inputs, whole.instrs, {f"a{i}": arg for i, arg in enumerate(args)}))
    for values in product(*(range(v.lo, v.hi + 1) for v in whole.inputs.values())):
        out = run(given, dict(zip(names, values, strict=True)))
        if not op.requires(w, k, *(out[f"a{i}"] for i in range(len(args)))):
            continue
        out = run(whole, dict(zip(names, values, strict=True)))
        wanted = op.meaning(w, k, *(out[f"a{i}"] for i in range(len(args))))
        assert tuple(out[f"r{i}"] for i in range(len(op.results))) == wanted, (k, args, values)


def test_every_identity_is_of_an_operation() -> None:
    assert set(IDENTITIES) <= set(OPS)


def test_constants_fold() -> None:
    b = Builder()
    high, low = b.emit("mul", 8, const(200), const(100))
    assert (high.lo, low.lo) == divmod(20000, 256) and not b.block.instrs
    (carry, total) = b.emit("add", 8, const(200), const(100))
    assert (carry, total) == (const(1, "flag"), const(44)) and not b.block.instrs


def test_dead_carries_are_constants() -> None:
    b = Builder()
    x, y = b.input("x", 0, 100), b.input("y", 0, 155)
    carry, total = b.emit("add", 8, x, y)
    assert carry is const(0, "flag") and total.interval == (0, 255)
    borrow, rest = b.emit("sub", 8, total, const(0))
    assert (borrow, rest) == (const(0, "flag"), total)
    assert [i.op for i in b.block.instrs] == ["add"]


def test_a_result_of_one_number_needs_no_instruction() -> None:
    b = Builder()
    x = b.input("x", 3, 5)
    assert b.one("lt", 8, x, const(9)) is const(1, "flag")
    assert b.one("shr", 8, x, k=3) is const(0)
    assert b.one("shl", 8, x, k=8) is const(0)
    assert not b.block.instrs


def test_an_input_of_one_number_is_that_number() -> None:
    b = Builder()
    assert b.input("x", 7, 7) is const(7)
    assert run(b.block, {"x": 7}) == {}


def test_equal_expressions_are_shared() -> None:
    b = Builder()
    x, y = b.input("x", 0, 255), b.input("y", 0, 255)
    assert b.emit("add", 8, x, y) == b.emit("add", 8, y, x)
    assert b.emit("sub", 8, x, y) != b.emit("sub", 8, y, x)
    assert b.emit("shr", 8, x, k=1) != b.emit("shr", 8, x, k=2)
    assert b.emit("addlo", 8, x, y) != b.emit("addlo", 16, x, y)
    assert len(b.block.instrs) == 7


def test_sharing_does_not_outlive_a_value() -> None:
    """A value that is gone may leave its address to another: the two must not be taken for one."""
    b = Builder()
    for _ in range(100):
        assert b.one("le", 8, Value(0, 5), const(10)) is const(1, "flag")
        assert not b.one("le", 8, Value(0, 50), const(10)).is_const


def test_an_input_outside_its_range_is_caught() -> None:
    b = Builder()
    b.output("x", b.input("x", 2, 9))
    assert run(b.block, {"x": 9}) == {"x": 9}
    with pytest.raises(BoundError, match=r"x = 0xa lies outside \[0x2, 0x9\]"):
        run(b.block, {"x": 10})


@pytest.mark.parametrize(("op", "a", "b"), [("shrv", 1, 8), ("shlv", 1, 9)])
def test_operations_have_the_arguments_for_which_they_are_defined(op: str, a: int, b: int) -> None:
    """Processors and C define shifts by a variable number of bits only below the length of a word."""
    builder = Builder()
    x, y = builder.input("x", 0, 255), builder.input("y", 0, 255)
    builder.output("z", builder.one(op, 8, x, y))
    with pytest.raises(BoundError, match=rf"{op}@8.* is undefined for these arguments"):
        run(builder.block, {"x": a, "y": b})


def test_a_wrong_bound_is_caught() -> None:
    """A theorem that does not hold shows when the block runs."""
    b = Builder()
    x = b.input("x", 0, 255)
    y = b.one("shr", 8, x, k=1)
    b.output("y", refine(y, 0, 99))
    assert run(b.block, {"x": 199}) == {"y": 99}
    with pytest.raises(BoundError, match=r"shr@8\('0xc8',\) = 0x64 lies outside \[0x0, 0x63\]"):
        run(b.block, {"x": 200})


def test_a_wrong_bound_on_a_joined_value_is_caught() -> None:
    b = Builder()
    x, y = b.input("x", 0, 15), b.input("y", 0, 15)
    b.output("z", refine(join((x, y), 4), 0, 0x57))
    assert x.interval == (0, 5)
    assert run(b.block, {"x": 5, "y": 7}) == {"z": 0x57}
    with pytest.raises(BoundError, match=r"a joined value 0x58 lies outside \[0x0, 0x57\]"):
        run(b.block, {"x": 5, "y": 8})


def redundant(lo: int, hi: int, ring: int) -> Block:
    """x in [lo, hi], by two digits of weight 2^4 within ±40, exactly or modulo 2^ring."""
    b, digits = Builder(), tuple(Value(-40, 40, "word", name) for name in ("x1", "x0"))
    b.block.inputs["x"] = value = Value(lo, hi, "word", "x", digits, 4, ring)
    b.output("x", value)
    b.output("low", digits[1])
    return b.block


def test_an_input_may_come_digit_by_digit() -> None:
    assert run(redundant(0, 255, 0), {"x": [3, -7]}) == {"x": 41, "low": -7}
    assert run(redundant(0, 255, 0), {"x": 41}) == {"x": 41, "low": 9}
    for digits, message in (([41, 0], "a limb of x = 0x29"), ([1, -17], "a joined value -0x1 lies outside")):
        with pytest.raises(BoundError, match=message):
            run(redundant(0, 255, 0), {"x": digits})


def test_digits_may_give_a_value_modulo_a_power_of_two() -> None:
    """The interval says which of the numbers that are congruent modulo 2^ring it is."""
    assert run(redundant(0, 255, 8), {"x": [-1, -17]})["x"] == 256 - 33
    assert run(redundant(-100, 100, 8), {"x": [20, 17]})["x"] == 337 - 256
    assert run(redundant(-100, 100, 8), {"x": -3}) == {"x": -3, "low": 13}
    with pytest.raises(BoundError, match="a joined value 0x96 lies outside"):
        run(redundant(-100, 100, 8), {"x": [9, 6]})


def test_what_holds_modulo_a_power_of_two_says_nothing_of_a_digit() -> None:
    (value,) = redundant(0, 255, 8).inputs.values()
    assert refine(value, 0, 20) is value and value.interval == (0, 20)
    assert value.digits[0].interval == (-40, 40)


def test_a_redundant_number_bounds_its_top_digit_by_what_the_others_may_be() -> None:
    """x1·16 + x0 in [20, 90] with x0 in [-40, 40]: x1 from ⌈-20/16⌉ to ⌊130/16⌋."""
    (value,) = redundant(0, 255, 0).inputs.values()
    assert refine(value, 20, 90).digits[0].interval == (-1, 8)


def test_a_word_that_does_not_fit_is_caught() -> None:
    b = Builder()
    x, y = b.input("x", 0, 255), b.input("y", 0, 255)
    b.output("z", b.one("mulhi", 8, b.one("plus", 8, x, y), x))
    assert run(b.block, {"x": 100, "y": 100}) == {"z": 200 * 100 >> 8}
    with pytest.raises(BoundError, match=r"mulhi@8\('0x12c', '0x96'\) has an argument that is out of range"):
        run(b.block, {"x": 150, "y": 150})


def test_dead_code_goes_and_operations_narrow() -> None:
    b = Builder()
    x, y = b.input("x", 0, 255), b.input("y", 0, 255)
    b.emit("mul", 8, y, y)
    high, low = b.emit("mul", 8, x, y)
    borrow, _ = b.emit("sub", 8, x, y)
    _, total = b.emit("add", 8, low, x)
    b.output("s", total)
    b.output("less", borrow)
    assert [i.op for i in dead_code(b.block, _any).instrs] == ["mullo", "lt", "addlo"]
    b.output("high", high)
    assert [i.op for i in dead_code(b.block, _any).instrs] == ["mul", "lt", "addlo"]
    for numbers in product((0, 1, 99, 255), repeat=2):
        inputs = dict(zip("xy", numbers, strict=True))
        assert run(dead_code(b.block, _any), inputs) == run(b.block, inputs)


def _any(op: str, width: int) -> bool:
    """A machine that has every operation."""
    return True


def test_narrowing_keeps_to_the_operations_there_are() -> None:
    b = Builder()
    x, y = b.input("x", 0, 255), b.input("y", 0, 255)
    b.output("high", b.emit("mul", 8, x, y)[0])
    b.output("less", b.emit("sub", 8, x, y)[0])
    assert [i.op for i in dead_code(b.block, lambda op, w: op != "mulhi").instrs] == ["mul", "lt"]
    assert [i.op for i in dead_code(b.block).instrs] == ["mul", "sub"], "nobody says what the machine has"


def test_a_wide_value_gives_its_bounds_to_its_top_digit() -> None:
    digits = tuple(Value(0, (1 << 52) - 1) for _ in range(4))
    number = refine(join(digits, 52), 0, (1 << 130) - 1)
    assert len(number.digits) == 3 and number.digits[0].hi == (1 << 130 - 104) - 1
    assert list(leaves(number)) == list(digits[1:])


def test_join_drops_leading_zeros_and_knows_constants() -> None:
    x = Value(0, 255)
    assert join((const(0), x), 8) is x
    assert join((const(1), const(2)), 8) is const(0x102)
    assert join((x, const(2)), 8).interval == (2, 0xFF02)


def test_words_are_low_first() -> None:
    a, b, c = (Value(0, 255, name=n) for n in "abc")
    number = join((a, join((b, c), 8)), 16)
    assert words(number, 8, 4) == [c, b, a, const(0)]
    assert words(const(0x30201), 8, 4) == [const(1), const(2), const(3), const(0)]


def test_lanes_run_side_by_side() -> None:
    b = Builder()
    x, y = b.input("x", 0, 255), b.input("y", 0, 255)
    total = b.one("addlo", 8, x, y)
    (mixed,) = b.emit("perm2", 8, x, total, lanes=(1, 3, 0, 2))
    b.output("mixed", mixed)
    assert run_lanes(b.block, {"x": [1, 2, 3, 4], "y": [10, 20, 30, 250]}, 4) == {"mixed": [2, 4, 1, 3]}
    with pytest.raises(BoundError, match="x = 0x100 lies outside"):
        run_lanes(b.block, {"x": [1, 2, 3, 256], "y": [0] * 4}, 4)


def test_a_block_counts_its_operations() -> None:
    x = Value(0, 255, name="x")
    block = Block({"x": x}, [Instr("shr", 8, (x,), (Value(0, 127),), 1), Instr("word", 16, (x,), (Value(0, 1),))], {})
    assert block.counts() == {"shr": 1, "word": 1} and block.width == 16
    assert Block().width == 0
