"""The prover's meaning of PTX instructions is that of NVIDIA's manual, on words with edge cases."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import pytest

from momagen.prove.c.cuda.ptx import Register, run
from momagen.prove.checker import ProofError
from momagen.prove.facts import Facts, Path
from momagen.prove.polynomial import Polynomial
from momagen.prove.words import Value

W = 1 << 32
EDGES = [0, 1, 2, W // 2, W - 2, W - 1]

# NVIDIA, Parallel Thread Execution ISA, "Extended-Precision Integer Arithmetic Instructions":
#   add.cc: d = a + b, the carry-out is written to CC.CF.   addc: d = a + b + CC.CF.
#   sub.cc: d = a - b, the borrow-out is written to CC.CF.  subc: d = a - (b + CC.CF).
#   mad{c}.hi/lo: t = a * b; d = t<63..32> + c or t<31..0> + c, with carry-in and carry-out as for sums.
DEFINITIONS: dict[str, Callable[..., int]] = {
    "add": lambda a, b, c, carry: a + b + carry,
    "sub": lambda a, b, c, carry: a - (b + carry),
    "mad.lo": lambda a, b, c, carry: a * b % W + c + carry,
    "mad.hi": lambda a, b, c, carry: a * b // W + c + carry,
}
ADDED = "add.cc.u32 %1, %5, 0xffffffff;", "addc.u32 %1, 0, 0;"
FLAGS = {"add": ADDED, "mad": ADDED, "sub": ("sub.cc.u32 %1, 0, %5;", "subc.u32 %1, 0, 0; and.b32 %1, %1, 1;")}
"""The instructions that set the carry or borrow to operand 5, and that store it into operand 1."""
PAIR = "{ .reg .b64 a, b; mov.b64 a, {%2, %3}; mov.b64 b, {%4, %5}; SUM a, a, b; mov.b64 {%0, %1}, a; }"
OTHER = """
addc.u32 %0, %1, %2;
subc.u32 %0, %1, %2;
add.cc.u32 %0, %1, %2; subc.u32 %0, %1, %2;
add.u32 %0, %1, %2; addc.u32 %0, %1, %2;
add.cc.u64 a, a, b;
add.cc.u32 %0, %1
add.cc.u32 %0, %1, %2, %2;
madc.lo.u32 %0, %1, %2, %1;
mul.lo.u32 %0, %1, %2;
add.u32 %1, %1, %2;
add.u32 %0, %0, %2;
add.u32 %0, %1, 0x100000000;
add.u32 %0, %1, -1;
{ .reg .b64 a; add.u32 %0, %1, %2;
mov.b64 {%0, %0}, a;
{ .reg .b64 a, b; mov.b64 a, {%1, %2}; add.u64 a, a, b; }
add.u32 %0, %1, 010;
.reg .b64 a;
add.s32 %0, %1, %2;
""".strip().splitlines()


def _executed(template: str, outputs: int, inputs: list[int]) -> list[int]:
    """Return what a template stores, executed on constants."""
    facts = Facts(2, 3, Path())
    registers = [Register(32, None, True) for _ in range(outputs)]
    registers += [Register(32, facts.words.constant(number), False) for number in inputs]
    run(template, registers, facts.words)
    values = [register.value for register in registers[:outputs]]
    assert all(isinstance(value, Value) and value.is_constant for value in values)
    return [value.low for value in values if value is not None]


def _symbolic(template: str, outputs: int, inputs: list[int]) -> list[int]:
    """Return what a template stores, executed on variables whose numbers are put in afterwards."""
    facts = Facts(2, 3, Path())
    values = [facts.words.variable(f"input {i}", 0, W - 1) for i in range(len(inputs))]
    registers = [Register(32, None, True) for _ in range(outputs)] + [Register(32, value, False) for value in values]
    run(template, registers, facts.words)
    known = {0: 2, **{facts.words.number_of(value): number for value, number in zip(values, inputs, strict=True)}}

    def of(polynomial: Polynomial) -> int:
        total = 0
        for monomial, coefficient in polynomial.items():
            term = int(coefficient)
            for number in monomial:
                term *= known[number]
            total += term
        return total

    for operation in facts.words.operations:
        total = of(facts.words.dividend(operation))
        known[operation.low] = total % abs(operation.weight)
        known.setdefault(operation.high, (total - known[operation.low]) // operation.weight)
    stored = [register.value for register in registers[:outputs]]
    assert all(isinstance(value, Value) for value in stored)
    found = [(value, of(value.polynomial)) for value in stored if value is not None]
    assert all(value.low <= number <= value.high for value, number in found)
    return [number for _, number in found]


@pytest.mark.parametrize("name", ["add", "sub", "mad.lo", "mad.hi"])
@pytest.mark.parametrize("takes", [False, True])
def test_an_instruction_and_its_carry(name: str, takes: bool) -> None:
    kind, _, part = name.partition(".")
    rest = f".{part}" if part else ""
    operands = "%2, %3, %4" if kind == "mad" else "%2, %3"
    begin, keep = FLAGS[kind]
    own = f"{kind}c{rest}.cc.u32 %0, {operands};" if takes else f"{kind}{rest}.cc.u32 %0, {operands};"
    rng = random.Random(name)
    cases = [(*case, carry) for case in itertools.product(EDGES, repeat=2) for carry in (0, 1)]
    for a, b, carry in cases:
        c = rng.choice([*EDGES, rng.randrange(W)])
        total = DEFINITIONS[name](a, b, c, carry * takes)
        expected = [total % W, int(total < 0 or total >= W)]
        for execute in (_executed, _symbolic):
            assert execute(f"{begin if takes else ''} {own} {keep}", 2, [a, b, c, carry]) == expected


@pytest.mark.parametrize("name", ["add", "sub"])
@pytest.mark.parametrize("takes", [False, True])
def test_a_pair(name: str, takes: bool) -> None:
    """A 64-bit register is {low, high}; add.u64 and sub.u64 wrap modulo 2^64, and addc.u64 and subc.u64 take CC.CF."""
    sums = PAIR.replace("SUM", f"{name}{'c' * takes}.u64")
    begin = FLAGS[name][0].replace("%1", "%0").replace("%5", "%6") if takes else ""
    rng = random.Random(name)
    for a, b, carry in [(*case, carry) for case in itertools.product(EDGES, repeat=2) for carry in (0, 1)]:
        x, y = a + W * rng.choice(EDGES), rng.choice(EDGES) + W * b
        total = (x + y + carry * takes if name == "add" else x - y - carry * takes) % (1 << 64)
        for execute in (_executed, _symbolic):
            assert execute(f"{begin} {sums}", 2, [x % W, x // W, y % W, y // W, carry]) == [total % W, total // W]


def test_a_low_product_wraps() -> None:
    for a, b, c in itertools.product(EDGES, repeat=3):
        for execute in (_executed, _symbolic):
            assert execute("mad.lo.u32 %0, %1, %2, %3;", 1, [a, b, c]) == [(a * b + c) % W]


@pytest.mark.parametrize("template", OTHER)
def test_other_assembly_is_refused(template: str) -> None:
    with pytest.raises(ProofError):
        _executed(template, 1, [1, 2])
