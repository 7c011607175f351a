"""Long products column by column: right for all operands, called where factors are long, and few values at once."""

from __future__ import annotations

import random
import re

import pytest
from support.tiers import SEED

from momagen.emit import generate
from momagen.ir import Block, Builder, const, dead_code, run
from momagen.kernels.elementwise.blas import KERNELS, elementwise
from momagen.kernels.residues.arith import Arith
from momagen.kinds.modular.make_spec import make_spec
from momagen.lower import procedures
from momagen.rewrite.engine.columns import PRODUCTS, product_by_columns
from momagen.targets import load_target


def block_of(op: str, word: int, length: int, fixed: dict[str, int]) -> Block:
    """The product of two numbers by words, some of which are constants."""
    b, top = Builder(), (1 << word) - 1
    names = [f"{letter}{at}" for letter in "ab" for at in range(length)]
    values = {name: const(fixed[name]) if name in fixed else b.input(name, 0, top) for name in names}
    x, y = ([values[f"{letter}{at}"] for at in range(length)] for letter in "ab")
    for at, value in enumerate(product_by_columns(b, word, op, x, y)[: length * (1 + (op == "mul"))]):
        b.output(f"c{at}", value)
    return dead_code(b.block)


@pytest.mark.parametrize("op", PRODUCTS)
@pytest.mark.parametrize("word", [5, 8, 64])
def test_against_the_definition(op: str, word: int) -> None:
    rng, top = random.Random(f"{SEED} {op} {word}"), (1 << word) - 1
    for length in (1, 2, 3, 5, 16):
        for constants in (0, length // 2):
            names = [f"{letter}{at}" for letter in "ab" for at in range(length)]
            fixed = {name: rng.choice((0, 1, top, rng.randint(0, top))) for name in rng.sample(names, constants)}
            block = block_of(op, word, length, fixed)
            for draw in (lambda: top, lambda: 0, *[lambda: rng.choice((0, 1, top, rng.randint(0, top)))] * 6):
                words = {name: fixed.get(name, draw()) for name in names}
                x, y = (sum(words[f"{letter}{at}"] << word * at for at in range(length)) for letter in "ab")
                product = x * y >> word * length * (op == "mulhi")
                found = run(block, {name: words[name] for name in block.inputs})
                assert [found[f"c{at}"] for at in range(length)] == [product >> word * at & top for at in range(length)]


@pytest.mark.parametrize(("bits", "called"), [(508, 0), (956, 0), (1020, 3), (1980, 3)])
def test_long_products_are_called_on_c(bits: int, called: int) -> None:
    made = procedures(load_target("c"))
    made.lower(elementwise(KERNELS["vmul"], Arith(bits)).block)
    assert [procedure.op for procedure in made.made] == ["mullo", "mul", "mul"][:called]


def test_words_are_stored_as_soon_as_they_are_made() -> None:
    """The first column is stored before the last is begun, and factors stay in memory."""
    source = generate(make_spec("vmul", modulus_bits=1020, target="c")).source
    bodies = re.findall(r"void mul_\d\(.*?\n}\n", source, re.DOTALL)
    body = max(bodies, key=lambda text: text.count(" c["))
    lines = body.split("\n")
    stores = [at for at, line in enumerate(lines) if re.match(r"\s+c\[\d+\] = ", line)]
    assert len(stores) == 32 and stores[0] < 10 and "a[15] * b[15]" in "".join(lines[stores[-3] :])
    assert not re.search(r"= [ab]\[\d+\];", body)
