"""Carry chains against the definition: scalar functions and element-wise codelets on 32-bit words, interpreted."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest
from support.oracle import element
from test_blas_codelets import demand, edges, made, primes

from momagen.errors import MomagenError
from momagen.ir import Block, Builder, Instr, Value, const, dead_code, run
from momagen.kernels.elementwise.blas import montgomery_product
from momagen.kernels.elementwise.scalars import scalar
from momagen.kernels.residues.arith import SPECIAL, Arith
from momagen.kernels.residues.reductions import REDUCTIONS, REQUESTED
from momagen.kinds.modular.lists import ANY_MODULUS
from momagen.lower import lower, reduced
from momagen.program.notation import texts
from momagen.rewrite.chains.expand import NORMALISE, expanded
from momagen.targets import load_target

CUDA = load_target("cuda")
WIDTHS = (30, 31, 32, 33, 60, 64, 97, 124, 128, 252, 254, 256, 381, 384, 753)
"""One word and many, words that q fills, and a q whose leading word is the number 1."""
SCALARS = {name: row["scalar"] for name, row in texts().items() if "scalar" in row and "div(" not in row["scalar"]}


def chains(block: Block, **options: str) -> Block:
    return lower(reduced(block, CUDA), CUDA, choices=tuple(options.items()))


def arith_of(bits: int, scheme: str = "") -> Arith:
    return Arith(bits, CUDA.word, scheme, chains=True)


def scalar_meaning(name: str, q: int, r: int, a: int, b: int) -> int:
    """What a scalar function gives for its operands, modulo R where it is no residue."""
    found = {
        **dict.fromkeys(("mont", "mont_any"), a * b * pow(r, -1, q)), "add": a + b, "sub": a - b,
        "quot": -a * pow(q, -1, r), "rest": -a * q,
        "newton": a * (2 - a * q), "over": a * r // q,
        "high_product": a * b >> (32 << ((r.bit_length() - 1) // 32 - 1).bit_length()),  # of a width that halves
    }[name]  # fmt: skip
    return found % (q if name in ("mont", "mont_any", "add", "sub") else r)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("name", SCALARS)
def test_scalar_functions(name: str, bits: int) -> None:
    arith, rng = arith_of(bits), random.Random(bits)
    block, r = chains(scalar(SCALARS[name], arith)), 1 << arith.held
    for q in primes(bits):
        top = r if "A" in SCALARS[name] else q
        for a, b in rng.sample([*product(edges(q, top, rng), edges(q, q, rng))], 12):
            given = {"a": a, "b": b, "q": q, "qi": pow(q, -1, r), "m0": r * r // q % r, "m1": r * r // q // r}
            z = run(block, {key: given[key] for key in block.inputs})["z"]
            assert z == scalar_meaning(name, q, r, a, b), (name, q, a, b)


def cases() -> Iterator[tuple[str, str, str, int, int]]:
    """Every kernel by every reduction, also of vectors that are not fully reduced: kind, scheme, product, factors."""
    for kind in ANY_MODULUS:
        for m_in, m_out in ((1, 1), (4, 1), (1, 2)):
            if kind in ("axpy", "scal", "reduce"):
                schemes = ("", *(scheme for scheme in REQUESTED if scheme not in ("approximate", SPECIAL)))
                yield from ((kind, scheme, "barrett", m_in, m_out) for scheme in schemes)
            else:
                yield kind, "", "barrett", m_in, m_out
            if kind == "vmul":
                yield kind, "", "montgomery", m_in, m_out


@pytest.mark.sampled(3)
@pytest.mark.parametrize("bits", WIDTHS)
def test_elements(bits: int) -> None:
    for kind, scheme, way, m_in, m_out in cases():
        arith, rng, need = arith_of(bits, scheme), random.Random(bits), REDUCTIONS[scheme].room if scheme else 1
        if arith.room < max(m_in, m_out, need) or (kind == "cmpadd" and m_in * m_out > 1):
            continue
        codelet, ranges = made(kind, arith, way, m_in=m_in * (kind != "cmpadd"), m_out=m_out * (kind != "cmpadd"))
        block = chains(codelet.block)
        for q in primes(bits)[bits % 2 :]:
            tops = {name: edges(q, ranges.top(m, q), rng) for name, m in ranges.operands.items()}
            for row in ([rng.choice(top) for top in tops.values()] for _ in range(5)):
                given = dict(zip(tops, row, strict=True))
                wanted = element(kind, q, r=1 << arith.held, **given)
                demand(block, arith, q, given, wanted, codelet.m, (kind, scheme, way), True)


@pytest.mark.parametrize("bits", WIDTHS)
def test_montgomery_product_between_transforms(bits: int) -> None:
    arith, rng = arith_of(bits), random.Random(bits)
    for m_in, m_out in {(1, 1), (min(arith.room, 4), min(arith.room, 2))}:
        block = chains(montgomery_product(arith, m_in, m_out).block)
        for q in primes(bits):
            for x, y in rng.sample([*product(edges(q, m_in * q, rng), repeat=2)], 6):
                demand(block, arith, q, {"x": x, "y": y}, x * y * pow(2, -arith.held, q), m_out)


@pytest.mark.parametrize("way", ["karatsuba", "karatsuba_words"])
@pytest.mark.parametrize("bits", [124, 254, 381])
def test_other_products_of_words(bits: int, way: str) -> None:
    arith, rng = arith_of(bits), random.Random(bits)
    codelet, ranges = made("vmul", arith, "barrett")
    block = chains(codelet.block, multiply=way)
    for q in primes(bits):
        for x, y in rng.sample([*product(edges(q, q, rng), repeat=2)], 12):
            demand(block, arith, q, {"x": x, "y": y}, x * y % q, ranges.output, way)


def test_products_are_subtracted_from_words_and_from_products() -> None:
    """c - a·b and a·b - c·d modulo 2^96: columns of both signs in one number, and a constant among them."""
    b, rng, most = Builder(), random.Random(7), (1 << 96) - 1
    x, y, z, u = (b.input(name, 0, most) for name in "xyzu")
    first, second = b.one("mullo", 96, x, y), b.one("mullo", 96, z, u)
    b.output("p", b.one("low", 96, b.one("sublo", 96, z, first), k=96))
    b.output("d", b.one("low", 96, b.one("sublo", 96, first, second), k=96))
    b.output("n", b.one("low", 96, b.one("sublo", 96, const((1 << 64) + 5), second), k=96))
    block = chains(b.block)
    for _ in range(50):
        x1, y1, z1, u1 = (rng.choice([0, 1, most, rng.randrange(most)]) for _ in range(4))
        found = run(block, {"x": x1, "y": y1, "z": z1, "u": u1})
        wanted = {"p": z1 - x1 * y1, "d": x1 * y1 - z1 * u1, "n": (1 << 64) + 5 - z1 * u1}
        assert found == {name: value & most for name, value in wanted.items()}


def test_a_constant_word_shares_the_chain_of_a_subtraction() -> None:
    """q of 97 bits has the leading word 1; x - q borrows once, and the borrow says x < q."""
    arith = arith_of(97)
    block, q = chains(made("reduce", arith, m_in=2, m_out=1)[0].block), (1 << 96) + 61
    assert block.counts()["subb"] + block.counts()["sub"] == arith.words
    for x in (0, q - 1, q, q + 1, 2 * q - 1):
        assert run(block, {"x": x, "q": q})["z"] == x % q


def sum_of(count: int) -> tuple[Builder, Value]:
    """The word of a sum of so many words, as the output z; and what says whether the sum leaves it."""
    b, most = Builder(), (1 << 32) - 1
    first, *rest = (b.input(f"x{i}", 0, most) for i in range(count))
    total = first
    for each in rest:
        total = b.one("plus", 32, total, each)
    flag, word = Value(0, 1, "flag"), Value(0, most)
    b.block.instrs.append(Instr(NORMALISE, 32, (total,), (flag, word)))
    b.output("z", word)
    return b, flag


def written_out(b: Builder) -> Block:
    return dead_code(expanded(b.block, 32, CUDA.legal))


def test_the_carry_of_one_sum_is_read() -> None:
    b, flag = sum_of(2)
    b.output("carry", b.one("word", 32, flag))
    assert run(written_out(b), {"x0": (1 << 32) - 1, "x1": 5}) == {"z": 4, "carry": 1}


@pytest.mark.parametrize("reader", ["word", "output carry"])
def test_the_carry_of_several_sums_is_refused_where_something_reads_it(reader: str) -> None:
    b, flag = sum_of(3)
    read = b.one("word", 32, flag)
    given = {f"x{i}": (1 << 32) - 1 for i in range(3)}
    assert run(written_out(b), given)["z"] == (1 << 32) - 3, "what no output needs may read it"
    b.output("carry", read if reader == "word" else flag)
    with pytest.raises(MomagenError) as error:
        written_out(b)
    wanted = f"carry chains: expected a carry of one sum, got {reader}, which reads a carry of several sums"
    assert str(error.value) == wanted
