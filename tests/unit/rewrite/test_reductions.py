"""Products modulo q become products of integers, with constants that rules derive of the twiddle and the modulus."""

from __future__ import annotations

import random

import gmpy2
import pytest

from momagen.errors import MomagenError
from momagen.ir import Block, Builder, run
from momagen.rewrite import Machine, Trace, parse_rule, reduce_products, table, table_columns
from momagen.rewrite.rules.operations import REDUCED

BITS = (31, 60, 61, 124, 253, 255, 381, 753)
WORDS = (32, 64)


def machine(word: int) -> Machine:
    """One that has all but products modulo q."""
    return Machine(word, lambda op, width: op not in REDUCED)


def product(op: str, bits: int, width: int, k: int) -> Block:
    b, top = Builder(), (1 << bits) - 1
    y, v, q = b.input("y", 0, top - 1), b.input("v1", 0, top - 1), b.input("q", 3, top)
    b.output("t", b.one(op, width, y, v, q, k=k))
    return b.block


@pytest.mark.parametrize(("bits", "word"), [(bits, word) for bits in BITS for word in WORDS if bits % word])
def test_a_product_by_shoup_asks_for_the_quotient_of_its_factor(bits: int, word: int) -> None:
    held = -(-bits // word) * word
    width = word << (held // word - 1).bit_length()
    block = reduce_products(product("mulmod", bits, width, 1), table(), machine(word))
    assert [*block.inputs] == ["y", "v1", "u1", "q"] and not any(i.op in REDUCED for i in block.instrs)
    rng = random.Random(bits)
    for _ in range(20):
        q = int(gmpy2.next_prime(rng.getrandbits(bits - 1) | 1 << bits - 1)) if bits > 40 else (1 << bits) - 1
        q = q if q < 1 << bits else (1 << bits) - 1
        y, v = rng.randrange(q), rng.choice([0, 1, q - 1, rng.randrange(q)])
        found = run(block, {"y": y, "v1": v, "u1": (v << held) // q, "q": q})["t"]
        assert found % q == y * v % q and found < 2 * q


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("bits", BITS)
def test_a_product_by_montgomery_asks_for_the_factor_scaled(bits: int, word: int) -> None:
    held = -(-bits // word) * word
    width = word << (held // word - 1).bit_length()
    block, trace = product("mulmod_full", bits, width, held), Trace()
    block = reduce_products(block, table(), machine(word), trace)
    assert [*block.inputs] == ["y", "v1", "q", "qi"] and trace.rules_applied == {"multiply_by_montgomery": 1}
    rng = random.Random(bits)
    for _ in range(20):
        q = rng.getrandbits(bits) | 3
        y, v = rng.randrange(q), rng.choice([0, 1, q - 1, rng.randrange(q)])
        inverse = int(gmpy2.invert(q, 1 << held))
        assert run(block, {"y": y, "v1": (v << held) % q, "q": q, "qi": inverse})["t"] == y * v % q


def test_tables_hold_what_the_rules_read() -> None:
    assert table_columns("mulmod") == ("", "over") and table_columns("mulmod_full") == ("scaled",)


def test_a_block_without_modular_operations_stays_itself() -> None:
    b = Builder()
    b.output("c", b.one("addlo", 64, b.input("a", 0, 9), b.input("b", 0, 9)))
    assert reduce_products(b.block, table(), machine(64)) is b.block


def test_a_factor_that_two_products_share_has_one_quotient() -> None:
    b, top = Builder(), (1 << 60) - 1
    x, y, v, q = b.input("x", 0, top), b.input("y", 0, top), b.input("v1", 0, top - 1), b.input("q", 3, top)
    for name, value in (("s", x), ("t", y)):
        b.output(name, b.one("mulmod", 64, value, v, q, k=1))
    assert [*reduce_products(b.block, table(), machine(64)).inputs] == ["x", "y", "v1", "u1", "q"]


@pytest.mark.parametrize(("derive", "said"), [
    ("u = over{h}(y, q)", "mine.toml, rule mine, derive: expected only arguments known before the data (q, v), got y"),
    ("u = over{h}(v, q)\ns = over{h}(t, u)",
     "mine.toml, rule mine, derive: expected only arguments known before the data (q, u, v), got t"),
    ("u = v", "mine.toml, rule mine, derive: expected one operation for each constant"),
])  # fmt: skip
def test_constants_do_not_read_data(derive: str, said: str) -> None:
    row = {"name": "mine", "from": "t = mulmod{k}(y, v, q)", "derive": derive, "to": "t = shoup{k}(y, v, u, q)"}
    with pytest.raises(MomagenError) as error:
        parse_rule({**row, "why": "a test"}, "mine.toml")
    assert str(error.value).startswith(said)


def test_operations_without_fixed_arguments_derive_nothing() -> None:
    row = {"name": "mine", "from": "c = (a + b) mod q", "derive": "u = over{k}(a, q)", "to": "c = a", "why": "a test"}
    with pytest.raises(MomagenError, match=r"arguments known before the data \(there are none\), got a, q"):
        parse_rule(row, "mine.toml")
