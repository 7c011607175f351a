"""Products that stay whole: right on any machine and at any width, shared, counted in full, and no dearer than printed.

The seed of the run picks the sample.
"""

from __future__ import annotations

import random
import re

import pytest
from support.engine_problems import PROBLEMS, block_of, draw
from support.tiers import SEED
from test_engine import MACHINES, machine

from momagen.emit.c.words import Printer, call_lines
from momagen.ir import Block, Builder, Instr, Procedure, Value, const, dead_code, run
from momagen.kernels.butterflies.codelets import codelet
from momagen.kernels.residues.arith import Arith
from momagen.lower import lower, procedures
from momagen.rewrite import Procedures, Trace, table
from momagen.targets import load_target

WIDE = (600, 956, 1024)
"""Moduli for which a machine without whole products calls; a width of many words, of few, and of odd ones."""


def calls(block: Block) -> list[Procedure]:
    return [instr.procedure for instr in block.instrs if instr.procedure is not None]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("word", [8, 52])
@pytest.mark.parametrize("op", PROBLEMS)
def test_calls_do_what_is_asked(op: str, word: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any operation, from 1 to 16 words, on machines that multiply half words and on others, against gmpy2."""
    rng = random.Random(f"{SEED} {op} {word}")
    for longest in (60, 250):
        monkeypatch.setattr("momagen.rewrite.engine.procedures.LONGEST", longest)
        bits, name = rng.randint(word, 16 * word), rng.choice(list(MACHINES))
        problem, context = PROBLEMS[op](rng, bits, word), (SEED, op, bits, word, name)
        low = Procedures(table(), machine(word, name)).lower(problem.block)
        assert {i.op for i in low.instrs if i.procedure is None} <= MACHINES[name], context
        for _ in range(3):
            inputs = problem.draw()
            given = inputs | problem.derived(inputs)
            assert problem.right(inputs, run(low, {name: given[name] for name in low.inputs})), (context, inputs)


@pytest.mark.thorough
@pytest.mark.sampled(2)
@pytest.mark.parametrize("bits", WIDE)
@pytest.mark.parametrize("back", [False, True], ids=["forward", "inverse"])
def test_a_codelet_with_calls_agrees_with_the_one_without(bits: int, back: bool) -> None:
    agree(bits, 2, back)


@pytest.mark.thorough
@pytest.mark.parametrize("back", [False, True], ids=["forward", "inverse"])
def test_several_butterflies_together_call_their_products(back: bool) -> None:
    """Of 252 bits one product is short, but the thirty-six of radix 8 are not."""
    agree(252, 8, back)
    made = procedures(load_target("c64"))
    assert not calls(made.lower(codelet(Arith(252), 4, 1, last=True).block))


def agree(bits: int, radix: int, back: bool) -> None:
    """The codelet with calls counts what the one without does, and gives what it gives."""
    arith, rng, target = Arith(bits), random.Random(f"{SEED} {bits}"), load_target("c64")
    built = codelet(arith, radix, 1, last=True, scale=back, back=back)
    called, printed = procedures(target).lower(built.block), lower(built.block, target)
    assert calls(called) and not calls(printed)
    assert called.counts().total() <= 1.03 * printed.counts().total()  # a call counts all that its procedure holds
    for _ in range(2):
        q = draw(rng, (1 << bits - 1) + 1, (1 << bits) - 1) | 1
        inputs = {"q": q, "qi": pow(q, -1, 1 << arith.held)}
        for name in printed.inputs:
            number = draw(rng, 0, q - 1)
            inputs |= {name: number} if name[0] in "xv" else {}
            inputs |= {f"u{name[1:]}": (number << arith.held) // q} if name[0] == "v" else {}
        inputs = {name: inputs[name] for name in printed.inputs}
        assert run(called, inputs) == run(printed, inputs)


@pytest.mark.parametrize("target", ["c", "c64", "avx512"])
@pytest.mark.parametrize("bits", [380, 512])
def test_up_to_512_bits_nothing_is_called(bits: int, target: str) -> None:
    made, built = procedures(load_target(target)), codelet(Arith(bits), 2, 1, last=False)
    assert made.lower(built.block).counts() == lower(built.block, load_target(target)).counts()
    assert not made.made


def test_codelets_share_procedures_and_every_rule_fires_once_for_all() -> None:
    made, trace = procedures(load_target("c64")), Trace()
    first = made.lower(codelet(Arith(1020), 2, 1, last=False).block, trace)
    before = (len(made.made), trace.rules_applied["word_product_high"])
    second = made.lower(codelet(Arith(1020), 2, 1, last=False, back=True).block, trace)
    assert set(map(id, calls(first))) == set(map(id, calls(second))) == set(map(id, made.made))
    assert (len(made.made), trace.rules_applied["word_product_high"]) == before
    assert len({procedure.name for procedure in made.made}) == len(made.made) < len(calls(first))


@pytest.mark.parametrize("op, count", [("mullo", 5), ("mul", 5), ("mulhi", 10)])
def test_a_procedure_costs_the_words_that_matter(op: str, count: int) -> None:
    """x·2^384·y modulo 2^704 (or the high half's lowest 704 bits), x and y of ten words: zeros and words unread are no
    part of it."""
    b, top = Builder(), (1 << 640) - 1
    x, y = b.input("x", 0, top), b.input("y", 0, top)
    product = b.emit(op, 1024, b.one("shl", 1024, x, k=384), y)[-1]
    b.output("r", b.one("low", 1024, product, k=704))
    (procedure,) = calls(procedures(load_target("c64")).lower(b.block))
    assert [sum(name[0] == letter for name in procedure.block.inputs) for letter in "ab"] == [count, count]
    assert len(procedure.block.outputs) <= 11


def test_constant_words_are_multiplied_as_constants() -> None:
    """A modulus that is baked in: of the 16 words of 2^1020 - 2^512 + 1, seven are 0 and one is 1."""
    q, top, made = (1 << 1020) - (1 << 512) + 1, (1 << 1024) - 1, procedures(load_target("c64"))
    b = Builder()
    b.output("r", b.one("mullo", 1024, b.input("x", 0, top), const(q)))
    baked = made.lower(b.block)
    assert {len({name[0] for name in procedure.block.inputs}) for procedure in made.made} == {1}
    assert baked.counts().total() < made.lower(block_of("mullo", 1024, {"x": top, "y": top})).counts().total() / 2
    assert run(baked, {"x": top - 2})["r"] == (top - 2) * q % (top + 1)


def test_dead_code_goes_up_to_the_call() -> None:
    """A call stays while one of its words is read, with all that it takes; and goes when none is."""
    full = (1 << 64) - 1
    inside, b = Builder(), Builder()
    a0, b0 = inside.input("a0", 0, full), inside.input("b0", 0, full)
    for name, value in zip(("c1", "c0"), inside.emit("mul", 64, a0, b0), strict=True):
        inside.output(name, value)
    procedure = Procedure("mul_0", "mul", 64, inside.block)
    x, results = b.input("x", 0, full), (Value(0, full), Value(0, full))
    sums = [b.one("addlo", 64, x, const(one)) for one in (1, 2)]
    b.block.instrs.append(Instr("mul", 64, tuple(sums), results, procedure=procedure))
    b.output("r", results[1])
    assert [i.op for i in dead_code(b.block).instrs] == ["addlo", "addlo", "mul"]
    assert b.block.counts() == {"addlo": 2, "mul": 1}
    assert run(b.block, {"x": 5}) == {"r": 6 * 7}
    b.block.outputs = {"r": sums[1]}
    assert [i.op for i in dead_code(b.block).instrs] == ["addlo"]


def test_an_argument_that_stands_in_memory_is_not_copied() -> None:
    """Words 3, 4, … from a pointer are the argument there; anything else is stored first."""
    made = procedures(load_target("c64"))
    block = made.lower(block_of("mullo", 1024, {"x": (1 << 1024) - 1, "y": (1 << 1024) - 1}))
    call = next(i for i in block.instrs if i.procedure is not None)
    names = {letter: [v for name, v in zip(call.procedure.block.inputs, call.args, strict=True) if name[0] == letter]
             for letter in "ab"}  # fmt: skip
    printer = Printer(load_target("c64"), {id(v): f"v{i}" for i, v in enumerate(call.args)}, set())
    printer.memory = {id(v): ("p", 3 + i) for i, v in enumerate(names["b"])}
    lines = [line.strip() for line in call_lines(printer, call, call.procedure)]
    assert [line for line in lines if re.fullmatch(rf"{call.procedure.name}\(t\d+, t\d+, p \+ 3\);", line)]
    assert sum(line.endswith(("= v0;", "= v7;")) for line in lines) == 2
    assert not [line for line in lines if line.endswith("= v8;")]
