"""Corrections and choices: which are gathered, and that each one's statement does what it says, by every compiler."""

from __future__ import annotations

import ctypes
import random
from itertools import product

import pytest

from momagen.emit import generate
from momagen.ir import Builder, Instr, Value
from momagen.kinds.modular.make_spec import make_spec
from momagen.lower.body.carry_chains import gather
from momagen.lower.body.corrections import HELD, MultiWord
from momagen.runtime import Compiler, compile_shared, list_compilers, load
from momagen.targets import load_target
from momagen.targets.target import ALWAYS
from momagen.templates import templates

GOLDILOCKS = 2**64 - 2**32 + 1
PAIRS = [(op, n) for op in ("select", "reduce", "carried", "restore") for n in (1, 2, 3, 4)]


def expected(op: str, n: int, carry: int, a: int, b: int, q: int) -> int:
    """The definition; ``carry`` chooses."""
    if op == "select":
        return a if carry else b
    if op == "restore":
        return (a - b + q * (a < b)) % (1 << 64 * n)
    a += (carry << 64 * n) * (op == "carried")
    return (a - b if a >= b else a) % (1 << 64 * n)


def wrapper(op: str, n: int) -> str:
    """An exported function z = op(carry, a, b, q) on arrays."""
    letters = "abq" if op == "restore" else "ab"
    words = [", ".join([f"z + {i}", *(f"{x}[{i}]" for x in letters)]) for i in range(n)]
    call = ", ".join(["carry"] * (op in ("carried", "select")) + words)
    return (
        f"void do_{op}{n}(uint64_t *z, unsigned char carry, const uint64_t *a, const uint64_t *b, const uint64_t *q)\n"
        f"{{ (void)carry; (void)q; mg_{op}{n}({call}); }}\n"
    )


@pytest.mark.compiles
@pytest.mark.parametrize("undone", ["", "#undef __x86_64__"], ids=["assembly", "plain"])
@pytest.mark.parametrize("compiler", list_compilers(), ids=lambda compiler: str(compiler.command[0]))
def test_every_statement_does_what_it_says(compiler: Compiler, undone: str) -> None:
    texts = [load_target("c").prelude[name] for name in ALWAYS]
    chains = templates().get_template("c/chains.h.j2").render(chains=PAIRS, held=HELD)
    source = "\n".join(["#include <stdint.h>", undone, *texts, chains, *(wrapper(*pair) for pair in PAIRS)])
    library = load(compile_shared(source, name="corrections", flags=["-std=c99"], compiler=compiler))
    rng = random.Random(1)
    for op, n in PAIRS:
        top = (1 << 64 * n) - 1
        edges = [0, 1, top, top - 1, 1 << 63, *(rng.randrange(top) for _ in range(4))]
        for carry, a, b in product((0, 1), edges, edges):
            q = rng.randrange(top)
            got, *given = ((ctypes.c_uint64 * n)(*(x >> 64 * i & 2**64 - 1 for i in range(n))) for x in (0, a, b, q))
            library[f"do_{op}{n}"](got, ctypes.c_ubyte(carry), *given)
            found = sum(word << 64 * i for i, word in enumerate(got))
            assert found == expected(op, n, carry, a, b, q), (op, n, carry, a, b, q)


def subtraction(b: Builder, x: list[Value], y: list[Value]) -> tuple[Value, list[Value]]:
    """The borrow and the words of x - y."""
    flag, low = b.emit("sub", 64, x[0], y[0])
    words = [low]
    for i in range(1, len(x)):
        flag, word = b.emit("subb", 64, x[i], y[i], flag)
        words.append(word)
    return flag, words


def inputs(b: Builder, name: str, count: int) -> list[Value]:
    return [b.input(f"{name}{i}", 0, 2**64 - 1) for i in range(count)]


def reduced(also: str = "", n: int = 2) -> Builder:
    """z = x - y or x, by the borrow; ``also`` something else reads it, or the difference."""
    b = Builder()
    x, y = inputs(b, "x", n), inputs(b, "y", n)
    flag, words = subtraction(b, x, y)
    for i in range(n):
        b.output(f"z{i}", b.one("select", 64, flag, x[i], words[i]))
    if also:
        b.output("also", {"flag": flag, "difference": words[0]}[also])
    return b


def gathered(b: Builder) -> list[str]:
    return [node.op for node in gather(b.block, 4) if node.op in ("reduce", "carried", "restore")]


@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_choice_by_a_borrow_is_gathered(n: int) -> None:
    assert gathered(reduced(n=n)) == ["reduce"]
    assert len(gather(reduced(n=n).block, 4)) == 1


def test_more_words_than_a_statement_takes_are_not() -> None:
    assert gathered(reduced(n=5)) == []


@pytest.mark.parametrize(("n", "groups"), [(1, []), (2, [2]), (5, [4]), (6, [4, 2]), (12, [4, 4, 4])])
def test_choices_by_one_flag_are_gathered(n: int, groups: list[int]) -> None:
    """Here the flag that another output reads, too; what is left over stands alone."""
    found = gather(reduced("flag", n).block, 4)
    assert [len(node.words) for node in found if isinstance(node, MultiWord) and node.op == "select"] == groups
    assert sum(isinstance(node, Instr) and node.op == "select" for node in found) == n - sum(groups)


def test_a_choice_that_another_stands_on_is_not_gathered_with_it() -> None:
    b = Builder()
    x, y = inputs(b, "x", 2), inputs(b, "y", 1)
    flag, _ = b.emit("sub", 64, x[0], y[0])
    first = b.one("select", 64, flag, x[0], x[1])
    b.output("z", b.one("select", 64, flag, b.one("addlo", 64, first, x[1]), y[0]))
    b.output("first", first)
    b.output("flag", flag)
    order = [node.op for node in gather(b.block, 4)]
    assert order == ["sub", "select", "addlo", "select"]


@pytest.mark.parametrize("also", ["flag", "difference"])
def test_what_something_else_reads_is_not(also: str) -> None:
    assert gathered(reduced(also)) == []


def test_what_reads_a_correction_stands_behind_it() -> None:
    b = Builder()
    x, y = inputs(b, "x", 1), inputs(b, "y", 1)
    flag, (difference,) = subtraction(b, x, y)
    product = b.one("mullo", 64, x[0], y[0])
    first = b.one("select", 64, flag, x[0], difference)
    b.output("z", b.one("addlo", 64, first, product))
    order = [node.op for node in gather(b.block, 4)]
    assert sorted(order) == ["addlo", "mullo", "reduce"] and order[-1] == "addlo"


@pytest.mark.parametrize("kind", ["ntt", "vmul", "axpy"])
def test_moduli_that_fill_their_words_leave_no_choice_to_the_compiler(kind: str) -> None:
    spec = make_spec(kind, n=8 if kind == "ntt" else 0, modulus=GOLDILOCKS)
    body = generate(spec).source.partition("#define WORDS")[2]
    assert "mg_restore1(" in body and "mg_select(" not in body
    loops = "".join(part.partition("\n}\n")[0] for part in body.split("MG_NOINLINE")[1:])
    assert ("mg_carried1(" in loops) == (kind != "vmul")
