"""Rewriting for digits with slack: any operation, and blocks of them, on inputs by redundant digits.

The seed of the run picks the sample; ``--tier all`` sweeps longer.
"""

from __future__ import annotations

import random

import pytest
from support.slack_problems import SIZES, Digits, by_digits, chain, drawn, edge, lowered, redundant, spread
from support.tiers import SEED

from momagen.errors import MomagenError
from momagen.ir import OPS, Block, BoundError, Builder, Value, const, join, refine, run
from momagen.rewrite import COMPOSITES, CONSTANTS, rewrite, table
from momagen.rewrite.digits.carries import Carries
from momagen.rewrite.digits.digits import bits_of, digits_of, number, says_enough
from momagen.rewrite.proof.cases import random_cases

WORDS = ["plus", "minus", "settle", "clear", "mul", "mullo", "mulhi", "select", "shl", "shr", "shrd", "low", "lt", "eq"]
SUMS = ["add", "addc", "addlo", "addclo", "sub", "sublo"]
RESIDUES = ("residue", "residue_lazy", "residue_over")
DERIVING = [op for op in COMPOSITES if OPS[op].fixed]
ANY = [op for op in COMPOSITES if "i" in OPS[op].args]
SIGNED = ("unsigned_residue", "signed_residue", "digits_sums", "digits_product", "digits_product_signed", "signed_sums")
LIMBS = ("sum_of_limbs", "sum_of_limbs_long", "shoup_limb")
OTHERS = (*ANY, *CONSTANTS, *DERIVING, *SIGNED, *LIMBS, "shoup_split", "fold_columns")
"""Operations on digits in doubles, on one word, with signs, of columns of whole words, modulo q with constants, and by
multiply-adds within a word, which have tests of their own."""
OPERATIONS = [*WORDS, *SUMS, *(op for op in COMPOSITES if op not in OTHERS)]
LAZY = {"mulhi_about", "shoup"}
"""Operations whose attribute says how deep a quotient is cut: at most as many halvings as there are digits."""
SMALL = Digits(8, 32)

every_size = pytest.mark.parametrize("size", SIZES, ids=str)


def case(op: str, size: Digits, count: int, rng: random.Random) -> tuple[int, tuple[int, ...]] | None:
    """An attribute and arguments that ``op`` takes on ``count`` digits."""
    word, width = size.word, size.word * count
    for k, args in random_cases(op, 1, width, rng, 20):
        if op in ("plus", "minus", "clear"):
            args = tuple(rng.choice([-1, 1]) * a for a in args)
        own = {"settle": rng.choice([word, size.lane - 4]), "mulhi_about": 1 << rng.randrange(count.bit_length()),
               "clear": rng.randrange(word)}
        k = own.get(op, k)
        if op in LAZY and (k & (k - 1) or k > count):
            continue
        if OPS[op].requires(width, k, *args):
            return k, args
    return None


def posed(op: str, size: Digits, count: int, k: int, args: tuple[int, ...], rng: random.Random) -> Block:
    """``op`` on inputs of intervals around ``args``, short ones and all there is."""
    b, full = Builder(), (1 << size.word * count) - 1
    made = []
    for i, (kind, a) in enumerate(zip(OPS[op].args, args, strict=True)):
        if kind == "f":
            made.append(b.input(f"x{i}", *rng.choice([(0, 1), (a, a)]), "flag"))
            continue
        lo, hi = (-2 * full, 2 * full) if kind == "i" else (0, full)
        near = rng.getrandbits(rng.randint(1, size.word * count))
        lo, hi = rng.choice([(a, a), (max(lo, a - near), min(hi, a + near)), (lo, hi)])
        made.append(b.input(f"x{i}", a, a) if lo == hi else redundant(rng, b, f"x{i}", lo, hi, size))
    for i, result in enumerate(b.emit(op, size.word * count, *made, k=k)):
        b.output(f"r{i}", result)
    return b.block


def check_operation(op: str, size: Digits, rng: random.Random) -> bool:
    count = rng.choice([1, 2, 2, 4, 8])
    found = case(op, size, count, rng)
    if found is None:
        return False
    k, args = found
    block, row = posed(op, size, count, k, args, rng), OPS[op]
    for low in lowered(block, size, rng.choice([1, 2, 8])):
        numbers = dict(zip((f"x{i}" for i in range(len(args))), args, strict=True))
        for _ in range(2):
            out = run(low, by_digits(rng, block, numbers))
            got = tuple(out[f"r{i}"] for i in range(len(row.results)))
            wanted = row.meaning(size.word * count, k, *args)
            right = row.agrees(size.word * count, k, args, got) if row.agrees else got == wanted
            assert right, (SEED, op, size, count, k, args, got, wanted)
    return True


@pytest.mark.sampled(2)
@every_size
@pytest.mark.parametrize("op", OPERATIONS)
def test_operation(op: str, size: Digits) -> None:
    rng = random.Random(f"{SEED} {op} {size}")
    assert sum(check_operation(op, size, rng) for _ in range(8)) > 2


def check_chain(size: Digits, rng: random.Random) -> None:
    block = chain(rng, size, rng.choice([1, 2, 2, 4]), 10)
    both = lowered(block, size, rng.choice([1, 2, 8]))
    for _ in range(3):
        numbers = drawn(rng, block)
        wanted = run(block, numbers)
        for low in both:
            assert run(low, by_digits(rng, block, numbers)) == wanted, (SEED, size)


@every_size
def test_blocks_of_operations(size: Digits) -> None:
    rng = random.Random(f"{SEED} chain {size}")
    for _ in range(10):
        check_chain(size, rng)


@every_size
def test_clearing_moves_the_bounds(size: Digits) -> None:
    """A number that is cleared can fall below its former lower bound."""
    word = size.word
    for lo, hi in ((-1, 0), (-1, (1 << word) + 3), (5, (3 << word) + 5), (-(1 << word) - 1, 1)):
        b = Builder()
        x = b.input("x", lo, hi) if word * 2 <= size.lane else redundant(random.Random(1), b, "x", lo, hi, size)
        b.output("r", b.one("clear", word * 2, x, k=word - 1))
        for low in lowered(b.block, size, 1):
            for value in (lo, hi):
                inputs = by_digits(random.Random(2), b.block, {"x": value})
                assert run(low, inputs) == {"r": value >> word - 1 << word - 1}


@every_size
def test_low_bits_of_a_signed_number_by_fewer_digits(size: Digits) -> None:
    """A signed number that is known modulo one digit has a sign in the digits above."""
    word, rng = size.word, random.Random(1)
    b, most = Builder(), 1 << word - 2
    digit = Value(-2 << word, (3 << word) - 1, "word", "x_0")
    b.block.inputs["x"] = x = Value(-most, most, "word", "x", (digit,), word, word)
    b.output("r", b.one("low", 2 * word, x, k=2 * word))
    for low in lowered(b.block, size, 1):
        for value in (-most, -1, 0, 1, most):
            for _ in range(8):
                assert run(low, {"x": spread(rng, x, value)}) == {"r": value % (1 << 2 * word)}


@pytest.mark.slow
@pytest.mark.parametrize("salt", range(6))
@every_size
def test_long_sweep(size: Digits, salt: int) -> None:
    rng = random.Random(f"{SEED} sweep {size} {salt}")
    for _ in range(60):
        check_chain(size, rng)
    for op in OPERATIONS:
        for _ in range(20):
            check_operation(op, size, rng)


@every_size
def test_folded_products(size: Digits) -> None:
    """c + v·y mod q from W_i = v·2^(word·(i + 1)) mod q, for y by any digits, and c a multiple of q, digit by digit."""
    rng, word = random.Random(f"{SEED} fold {size}"), size.word
    for _ in range(6):
        count = rng.choice([1, 2, 3, 5])
        held, room = word * count, max(2, word * count - word // 2)
        q = edge(rng, 1 << room - 2, (1 << room - 1) - 1) | 1
        b, top = Builder(), (1 << held - 2) - 1
        y = redundant(rng, b, "x", 0, top, size)
        modulus, v = b.input("q", 3, (1 << room) - 1), b.input("v", 0, (1 << room) - 2)
        half, full = rng.choice((0, 1, 3)), (1 << word) - 1
        parts = tuple(Value(-half * full, 0, "word", f"c_{i}") for i in range(count))
        c = Value(-half * ((1 << held) - 1), 0, "word", "c", parts, word) if half else const(0)
        b.block.inputs.update({"c": c} if half else {})
        b.output("t", b.one("fold", word, c, y, v, modulus, k=count))
        for low in lowered(b.block, size, 8):
            number, constant = edge(rng, 0, top), edge(rng, 0, q - 1)
            rows = [(constant << word * (i + 1)) % q for i in range(count)]
            folded = sum(row << held * i for i, row in enumerate(rows))
            inverse = -pow(q, -1, 1 << word) % (1 << word)
            first, low_first = -half * q, [-half * (q >> word * i & full) for i in range(count)]
            given = {"x": spread(rng, y, number), "q": q, "qn": inverse, "v": folded, "c": low_first[::-1]}
            (t,) = run(low, {name: given[name] for name in low.inputs}).values()
            assert (t - first - constant * number) % q == 0
            assert OPS["fold"].requires(word, count, first, number, constant, q)
            assert OPS["fold"].agrees(word, count, (first, number, constant, q), (t,))  # type: ignore[misc]


@pytest.mark.sampled(2)
@every_size
@pytest.mark.parametrize("op", RESIDUES)
def test_residues(op: str, size: Digits) -> None:
    """x mod q, or 2^k·(x/2^k mod q), from ⌊2^(cut + word)/q⌋ and -1/q modulo a digit."""
    rng, word = random.Random(f"{SEED} {op} {size}"), size.word
    for _ in range(6):
        count, over = rng.choice([2, 4, 8]), rng.randint(1, word // 3)
        bits = rng.randint(word, word * count - word // 2 - over)
        cut = rng.randint(max(0, bits + over - word + 2), bits - 2)
        b, width, least = Builder(), word * count, 2 << cut
        x = redundant(rng, b, "x", 0, min(1 << cut + word - 1, 1 << width) - 1, size)
        q, k = b.input("q", least, (1 << bits) - 1), over if op == "residue_over" else cut
        b.output("c", b.one(op, width, x, q, *[const(cut)] * (op == "residue_over"), k=k))
        for low in lowered(b.block, size, 8):
            modulus, number = edge(rng, least, (1 << bits) - 1) | 1, edge(rng, 0, x.hi)
            inverse = -pow(modulus, -1, 1 << word) % (1 << word)
            known = {"x": spread(rng, x, number), "q": modulus, "mu": (1 << cut + word) // modulus, "qn": inverse}
            c = run(low, {name: known[name] for name in low.inputs})["c"]
            wanted = number * pow(2, -over, modulus) % modulus << over if op == "residue_over" else number % modulus
            assert (c - wanted) % modulus == 0 and c < 2 * modulus if op == "residue_lazy" else c == wanted


# What went wrong once


def lower_one(b: Builder, size: Digits = SMALL) -> Block:
    return lowered(b.block, size, 8)[0]


def test_a_sum_of_one_digit_is_carried_before_it_is_a_factor() -> None:
    b = Builder()
    x, y = b.input("x", 0, 255), b.input("y", 0, 255)
    b.output("p", b.one("mullo", 16, b.one("plus", 16, x, y), x))
    assert run(lower_one(b), {"x": 200, "y": 100}) == {"p": 300 * 200}


def test_a_number_may_outgrow_its_digits() -> None:
    b = Builder()
    x, y = b.input("x", 0, 0xFFFF), b.input("y", 0, 0xFFFF)
    b.output("p", b.one("mulhi", 32, b.one("plus", 16, x, y), const(1 << 31)))
    assert run(lower_one(b), {"x": 0xFFFF, "y": 0xFFFF}) == {"p": 0xFFFF}


def test_each_half_of_a_product_is_right_alone() -> None:
    b = Builder()
    high, low = b.emit("mul", 16, b.input("x", 0, 0xFFFF), b.input("y", 0, 0xFFFF))
    b.block.outputs = {"high": high, "low": low}
    assert run(lower_one(b), {"x": 0xFFFF, "y": 0xFFFF}) == {"high": 0xFFFE, "low": 1}


def test_a_sum_gives_its_carry() -> None:
    b = Builder()
    carry, low = b.emit("add", 16, b.input("x", 0, 0xFFFF), b.input("y", 0, 0xFFFF))
    b.block.outputs = {"carry": carry, "low": low}
    assert run(lower_one(b), {"x": 0xFFFF, "y": 2}) == {"carry": 1, "low": 1}
    assert run(lower_one(b), {"x": 0xFFFF, "y": 0}) == {"carry": 0, "low": 0xFFFF}


def test_a_difference_of_short_numbers_wraps_at_its_own_width() -> None:
    b = Builder()
    borrow, rest = b.emit("sub", 32, b.input("x", 0, 255), b.input("y", 0, 255))
    b.block.outputs = {"borrow": borrow, "rest": rest}
    assert run(lower_one(b), {"x": 3, "y": 5}) == {"borrow": 1, "rest": (1 << 32) - 2}


def loose(lo: int, hi: int, count: int, ring: int = 0, name: str = "x") -> Value:
    digits = tuple(Value(-(1 << 20), 1 << 20, "word", f"{name}_{i}") for i in range(count))
    return Value(lo, hi, "word", name, digits, 8, ring)


def test_a_sum_with_what_is_known_modulo_less_keeps_its_upper_digits() -> None:
    b = Builder()
    b.block.inputs["x"] = x = loose(0, 255, 1, 8)
    b.output("s", b.one("addlo", 32, x, b.input("y", 0, (1 << 32) - 1)))
    assert run(lower_one(b), {"x": [256 + 7], "y": 0x01020304}) == {"s": 0x0102030B}


def test_a_selection_does_too() -> None:
    b = Builder()
    b.block.inputs["x"] = x = loose(0, 255, 1, 8)
    b.output("s", b.one("select", 32, b.input("f", 0, 1, "flag"), x, b.input("y", 0, (1 << 32) - 1)))
    assert run(lower_one(b), {"f": 1, "x": [-3 * 256 + 7], "y": 0}) == {"s": 7}
    assert run(lower_one(b), {"f": 0, "x": [7], "y": 0x01020304}) == {"s": 0x01020304}


@pytest.mark.parametrize("number", [-70000, -1, 0, 70000])
def test_numbers_below_zero(number: int) -> None:
    """By normal digits whose leading one has the sign; known modulo 2^ring, too."""
    b = Builder()
    x = b.input("x", -70000, 70000)
    b.block.inputs["y"] = y = loose(-70000, 70000, 3, 24, "y")
    for name, value in (("x", x), ("y", y)):
        b.output(f"sum_{name}", b.one("plus", 24, value, const(5)))
        b.output(f"normal_{name}", b.one("settle", 24, value, k=8))
    low = lower_one(b)
    assert all(d.lo >= 0 and d.hi < 256 for n in "xy" for d in digits_of(low.outputs[f"normal_{n}"], 8)[:-1])
    out = run(low, {"x": number, "y": spread(random.Random(number), y, number)})
    assert set(out.values()) == {number + 5, number}


def test_a_theorem_saves_the_carries() -> None:
    """A sum that its digits give modulo 2^16 alone: a range says which it is; without one it is made again."""
    b = Builder()
    b.block.inputs["x"] = x = loose(0, 0xFFFF, 2, 16)
    carries = Carries(b, 8, 32)
    total = carries.sum("plus", x, number([b.input(f"y{i}", 0, 255) for i in range(4)], 8), 32)
    assert not says_enough(total) and set(b.block.counts()) == {"plus"}
    assert carries.refined(total, 0, 999).ring == 16 and set(b.block.counts()) == {"plus"}
    assert carries.sure(total).ring == 32 and b.block.counts()["sar"] > 0


def test_a_number_may_be_joined_of_others() -> None:
    b = Builder()
    x, y = b.input("x", 0, 255), b.input("y", 0, 0xFFFF)
    total = b.one("addlo", 16, x, y)
    b.output("p", b.one("mullo", 32, join((x, total), 16), y))
    assert run(lower_one(b), {"x": 3, "y": 1000}) == {"p": ((3 << 16) + 1003) * 1000 % (1 << 32)}


# What is refused, and what is noticed


def test_a_product_of_numbers_below_zero_is_refused() -> None:
    b = Builder()
    x, y = b.input("x", 0, 255), b.input("y", 0, 255)
    b.output("p", b.one("mullo", 16, b.one("minus", 16, x, y), x))
    with pytest.raises(MomagenError, match=r"reduced-radix limbs: expected mullo of a number from 0 to 2\^16 - 1"):
        lower_one(b)


def test_a_lane_must_hold_a_sum() -> None:
    b = Builder()
    b.output("s", b.one("plus", 16, b.input("x", 0, 0xFFFF), b.input("y", 0, 0xFFFF)))
    assert run(lower_one(b, Digits(8, 10)), {"x": 0xFFFF, "y": 1}) == {"s": 0x10000}
    with pytest.raises(MomagenError, match="reduced-radix limbs: expected a sum within 9 bits, got "):
        lower_one(b, Digits(8, 9))


def test_sums_that_a_lane_cannot_hold_are_carried_first() -> None:
    b = Builder()
    total = b.input("x", 0, 0xFFFF)
    for _ in range(20):
        total = b.one("plus", 16, total, total)
    b.output("s", total)
    low = lower_one(b, Digits(8, 16))
    assert low.counts()["sar"] > 0
    assert run(low, {"x": 0xFFFF}) == {"s": 0xFFFF << 20}


def test_digits_of_another_size_are_refused() -> None:
    b = Builder()
    b.block.inputs["x"] = x = loose(0, 255, 2)
    b.output("y", b.one("plus", 16, x, x))
    with pytest.raises(MomagenError, match="x: expected limbs of 16 bits, got 8 bits"):
        lower_one(b, Digits(16, 32))


def test_an_operation_without_rule_or_row_is_refused() -> None:
    b = Builder()
    b.output("y", b.one("mulhalf", 16, b.input("x", 0, 0xFFFF), b.input("y", 0, 0xFFFF)))
    with pytest.raises(MomagenError, match="expected a rule or a target instruction for “mulhalf” at 16 bits"):
        rewrite(b.block, table(), SMALL.machine)


def test_a_number_outside_its_range_is_noticed() -> None:
    """At an input, at one of its digits, and where a theorem is wrong."""
    b = Builder()
    b.block.inputs["x"] = x = loose(0, 500, 2)
    y = b.one("plus", 16, x, const(1))
    b.output("y", refine(y, 0, 299))
    low = lower_one(b)
    assert run(low, {"x": [2, -300]}) == {"y": 213}
    for digits in ([2, -600], [1 << 21, -(1 << 29)], [1, 100]):
        with pytest.raises(BoundError):
            run(low, {"x": digits})


def test_bits_tell_numbers_apart() -> None:
    for bits in range(1, 6):
        for lo in range(-40, 40):
            for hi in range(lo, 40):
                apart = range(1 << bits) if lo >= 0 else range(-(1 << bits - 1), 1 << bits - 1)
                assert (bits_of(lo, hi) <= bits) == (lo in apart and hi in apart), (lo, hi, bits)
