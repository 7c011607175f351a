"""Constants of BLAS kernels: what a plan keeps of q, and what comes with the numbers of a call."""

from __future__ import annotations

from momagen.lower.names import C, Q, written
from momagen.lower.setup.division import step, write_barrett_constant, write_divide
from momagen.lower.setup.scalars import A, write_scalars
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Field, Function, Name, Type
from momagen.program.expressions import Operand

from .choice import LoopChoice
from .digit_constants import ElementDigits
from .shifts import write_shifts

D, FIELD, OVER, SHIFT = (Name(name, Type.INPUT) for name in ("d", "field", "over_q", "shift"))
"""What a plan keeps beside c, constants in words."""
NEEDS = {
    "qi": ("newton",), "square": ("newton",), "mu": ("barrett",), "u1": ("divide",), "u0": ("over", "divide")
}  # fmt: skip
DIGIT_NEEDS = {"mu": ("barrett",), "u": ("over", "rest", "divide")}
"""What constants are computed with: scalar functions, and divisions, which only a plan's making needs."""
MEANINGS = {"q": "q", "qi": "1/q mod R", "square": "R^2 mod q", "mu": "Barrett's quotient", "u1": "floor(R / q)"}
"""The constants that q alone decides, for people."""
ALSO = {"newton": ("add",), "barrett": ("divide",)}
"""What these need in turn."""


def needs(choice: LoopChoice) -> set[str]:
    """The functions that constants are computed with."""
    found = {name for constant in choice.at for name in NEEDS.get(constant, ())}
    if choice.digits:
        found |= {name for constant in choice.digits.at for name in DIGIT_NEEDS.get(constant, ())}
    if "v0" in choice.at and "u0" not in choice.at:
        found |= {"newton", "mont"}
    return found | {more for name in found for more in ALSO.get(name, ())}


def kept(writer: ProgramWriter, choice: LoopChoice) -> list[Field]:
    """What a plan keeps."""
    used, three, loop = needs(choice), 3 * writer.arith.words, choice.digits
    found = [Field(C.text, choice.fixed, doc=", ".join(MEANINGS[name] for name in choice.at if name in MEANINGS))]
    if loop:
        found.append(Field(D.text, loop.fixed, doc=f"q, and in digits of {loop.inner.word} bits what loops need of it"))
    if "newton" in used:
        found.append(Field(FIELD.text, three, doc="q, 1/q mod R, R^2 mod q"))
    if "over" in used:
        found.append(Field(OVER.text, three, doc="q, floor(R^2 / q)"))
    if choice.shifts:
        found.append(Field(SHIFT.text, 1, doc=f"by how many bits q is shorter than {writer.arith.bits}"))
    return found


def names(writer: ProgramWriter, choice: LoopChoice) -> list[Name]:
    """The same as functions read it."""
    return [Name(field.name, Type.INPUT) for field in kept(writer, choice)]


def write_setup(writer: ProgramWriter, choice: LoopChoice) -> str:
    """The function setup(kept …, q), and all that it calls."""
    _write_called(writer, choice)
    count, held = writer.arith.words, writer.arith.held
    f = Function("setup", (*map(written, names(writer, choice)), Q), "Makes a plan.")
    s: Operand = 0
    if choice.shifts:
        s = f.let("s", writer.call("short_by", Q))
        f.set(written(SHIFT)[0], s)
        f.do(writer.call("shift_up", written(C), Q, 1, s))
    else:
        f.copy(written(C), Q, count)
    if "newton" in needs(choice):
        one = f.array("one", count)
        f.do(writer.call("core_init", written(FIELD), one, written(FIELD) + 2 * count, Q))
    if "over" in needs(choice):
        f.copy(written(OVER), Q, count)
        f.do(writer.call("divide", written(OVER) + count, 2 * count, 2 * held, Q))
    for name, at in choice.at.items():
        _fixed(writer, f, name, written(C) + at, choice.one.constants[name], s)
    if choice.digits:
        ElementDigits(writer, choice.digits).fixed(f, written(D), C, s)
    return writer.put(f)


def _write_called(writer: ProgramWriter, choice: LoopChoice) -> None:
    used = needs(choice)
    write_scalars(writer, used | ({step(writer)} if "divide" in used else set()))
    if "divide" in used:
        write_divide(writer)
    if "barrett" in used:
        write_barrett_constant(writer)
    if choice.digits:
        ElementDigits(writer, choice.digits).write()
    if choice.shifts:
        write_shifts(writer)


def _fixed(writer: ProgramWriter, f: Function, name: str, to: Expr, size: int, s: Operand) -> None:
    """Append what makes the constant ``name``, of ``size`` words, where q alone decides it, which is ``s`` bits too
    short."""
    count, arith = writer.arith.words, writer.arith
    match name:
        case "qi":
            f.copy(to, FIELD + count, count)
        case "square":
            f.copy(to, FIELD + 2 * count, count)
        case "u1":
            f.do(writer.call("divide", to, size, arith.held, Q))
        case "mu":
            f.do(writer.call("barrett_constant", to, size, 2 * arith.bits + 3 - s, Q))


def words_of_call(writer: ProgramWriter, f: Function, choice: LoopChoice) -> Expr:
    """Append what makes the constants in words of a call; where they stand."""
    if not choice.one.given:
        return C
    count, numbers = writer.arith.words, f.array("numbers", sum(choice.one.constants.values()))
    f.copy(numbers, C, choice.fixed)
    for name in choice.one.given:
        to = numbers + choice.at[name]
        if name == "u0":
            f.do(writer.call("over", to, A, A, OVER))
        elif name == "v0" and "u0" not in choice.at:
            f.do(writer.call("mont", to, A, FIELD + 2 * count, FIELD))
        else:
            f.copy(to, A if name == "v0" else Name(name, Type.INPUT), count)
    return numbers


def digits_of_call(writer: ProgramWriter, f: Function, choice: LoopChoice) -> Expr:
    """The same of those in digits."""
    assert choice.digits
    if "a" not in choice.digits.at:
        return D
    digits = f.array("in_digits", choice.digits.count)
    f.copy(digits, D, choice.digits.fixed)
    ElementDigits(writer, choice.digits).given(f, digits, OVER)
    return digits
