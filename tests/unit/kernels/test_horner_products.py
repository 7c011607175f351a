"""Products on several digits in doubles: right at both ends of a width, on integers and on the doubles of a machine."""

from __future__ import annotations

import random
import struct
from fractions import Fraction

import pytest

from momagen.errors import MomagenError
from momagen.ir import OPS, Builder, const, leaves, run
from momagen.kernels.elementwise.codelet import Elementwise
from momagen.kernels.elementwise.double_products import HELD, LONGEST, digits, horner_product
from momagen.kernels.residues.arith import Arith
from momagen.rewrite import Machine, machine_block, rewrite, table
from momagen.rewrite.digits.exponents import bits as pattern


def machine(product: Elementwise) -> Machine:
    return Machine(product.word, lambda op, width: True, lane=54, digits="real")


def number(word: int) -> Fraction:
    return Fraction(struct.unpack("<d", struct.pack("<Q", word))[0])


@pytest.mark.parametrize("taken", [1, 8])
@pytest.mark.parametrize("bits", [51, 60, 64, 65, 93, 124, 188, 252, 381])
def test_products(bits: int, taken: int) -> None:
    made = horner_product(Arith(bits), taken, 48)
    assert made is not None
    block = rewrite(made.block, table(), machine(made))
    assert all(digit.lo >= -1 << HELD and digit.hi <= 1 << HELD for digit in leaves(block.outputs["t"]))
    low, rng = machine_block(block, made.unit), random.Random(bits)
    for q in ((1 << bits - 1) + 1, (1 << bits) - 1, rng.getrandbits(bits) | 1 | 1 << bits - 1):
        for x, y in ((taken * q - 1, taken * q - 1), (rng.randrange(taken * q), taken * q - 1), (1, q - 1)):
            plain = {"x": x, "y": y, "n": q}
            cut = {name: [v >> made.word * i & (1 << made.word) - 1 for i in range(made.size)]
                   for name, v in plain.items()} | {"mu": [(1 << bits + 52) // q]}  # fmt: skip
            found = run(block, {name: row[0] if name == "mu" else row[::-1] for name, row in cut.items()})["t"]
            assert (found - x * y) % q == 0 and -q < found < q
            known = {
                id(d): pattern(cut[name][at], made.unit(name, at))
                for name, value in low.inputs.items() for at, d in enumerate(reversed([*leaves(value)]))
            }  # fmt: skip
            for i in low.instrs:
                args = [a.lo if a.is_const else known[id(a)] for a in i.args]
                (known[id(i.results[0])],) = OPS[i.op].meaning(64, i.k, *args)
            unit = Fraction(2) ** made.unit("t", 0)
            assert sum(number(known[id(d)]) for d in leaves(low.outputs["t"])) == found * unit


def test_every_width_has_digits_and_normal_doubles() -> None:
    for bits in range(51, LONGEST + 1):
        count, word = digits(bits, 1, 48)
        made = horner_product(Arith(bits), 1, 48)
        assert made is not None and count * word >= bits and 32 <= word <= 48
        lowest, highest = made.unit("t", 0), made.unit("t", 2 * count) + 53
        assert lowest >= -1022 and highest <= 1023 and made.unit("mu", 0) + 52 >= -1022
    assert horner_product(Arith(LONGEST + 1), 1, 48) is None


def test_124_bits_take_85_operations() -> None:
    made = horner_product(Arith(124), 1, 48)
    assert made is not None and made.size == 3
    assert len(machine_block(rewrite(made.block, table(), machine(made)), made.unit).instrs) == 85


def test_digits_that_count_too_much_are_not_left_out() -> None:
    b = Builder()
    x = horner_product(Arith(124), 1, 48)
    assert x is not None
    value = x.block.inputs["x"]
    b.block.inputs["x"] = value
    b.output("h", b.one("about", x.word, value, const(0), k=x.word))
    with pytest.raises(MomagenError, match="limbs below"):
        rewrite(b.block, table(), machine(x))
