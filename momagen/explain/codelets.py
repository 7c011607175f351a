"""The codelets of a kernel after lowering, with the interval of every value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

from momagen.emit.python.expressions import text
from momagen.ir import Block, Instr, Value, words
from momagen.ir.real import DOUBLE_OPS, double
from momagen.program import Call, Expr, Function, Program
from momagen.program import statements as st
from momagen.program.device import DeviceProgram, RowsProgram
from momagen.targets import Target

from .naming import Symbol, Token
from .notation import Writer, number

PATTERNS = frozenset(DOUBLE_OPS) - {"unreal"}
"""Operations whose results are bit patterns of doubles; their intervals are not printed."""
DIGIT_PRODUCTS = ("fmalo", "fmahi")
"""Operations that multiply limbs instead of words."""
SMALL = 1 << 10
"""The absolute value below which the bounds of an interval are printed exactly."""


@dataclass(frozen=True)
class CodeletLine:
    """A load, an operation or a store.

    Attributes:
        text: The line.
        interval: The interval that contains its result; "" if none is printed.
    """

    text: str
    interval: str = ""


@dataclass(frozen=True)
class ShownCodelet:
    """A function of the generated code with its lines.

    Attributes:
        name: The name of the function.
        doc: Its documentation.
        lines: Its lines.
        operations: The number of operations in its codelets, by name.
    """

    name: str
    doc: str
    lines: Sequence[CodeletLine]
    operations: Mapping[str, int]


def codelets(program: Program | DeviceProgram | RowsProgram, target: Target) -> list[ShownCodelet]:
    """Return the codelets of the functions that a call of the kernel reaches, in source order."""
    left = [program.run] if isinstance(program, Program) else [launch.kernel for launch in program.run]
    reached = {*left}
    while left:
        more = set(_called(program.functions[left.pop()])) & program.functions.keys() - reached
        reached |= more
        left += more
    shown = (_shown(function, target) for name, function in program.functions.items() if name in reached)
    return [codelet for codelet in shown if codelet.operations]


def blocks_shown(blocks: Mapping[str, Block], target: Target) -> Iterator[ShownCodelet]:
    """Yield blocks of operations on words as functions of their inputs."""
    for name, block in blocks.items():
        lines = _Lines(target)
        for key, value in block.inputs.items():
            for at, word in enumerate(words(value, target.word, -(-value.hi.bit_length() // target.word))):
                lines.names.new(word, f"{key}{at}")
        yield ShownCodelet(name, "", [*lines.of(st.Run(block))], dict(lines.operations))


def _called(part: object) -> Iterator[str]:
    """Yield the names of the functions that ``part`` calls."""
    if isinstance(part, Call):
        yield part.name
    if isinstance(part, Function | st.Statement | Expr):
        yield from _called(list(vars(part).values()))
    elif isinstance(part, list | tuple):
        for each in part:
            yield from _called(each)


def _shown(function: Function, target: Target) -> ShownCodelet:
    lines = _Lines(target)
    found = [line for statement in function.body for line in lines.of(statement)]
    return ShownCodelet(function.name, function.doc, found, dict(lines.operations))


class _Names(Writer):
    """A writer for operations on registers, each of which has one name."""

    def __init__(self) -> None:
        self.names: dict[int, Symbol] = {}  # type: ignore[assignment]
        self.fresh, self._constant = count(1), number_of

    def new(self, value: Value, name: str = "") -> Symbol:
        """Return a new name for ``value``, which the writer uses from now on."""
        self.names[id(value)] = found = Symbol(name or f"t{next(self.fresh)}")
        return found

    def line(self, op: str, width: int, args: Sequence[Value], k: int, results: Sequence[Value]) -> tuple[Token, ...]:
        """Return a line as :meth:`Writer.line` does, with constants of doubles in the form m · 2^e."""
        self._constant = pattern if op in DOUBLE_OPS and op != "real" else number_of
        return super().line(op, width, args, k, results)

    def _digits(self, value: Value) -> list[Token]:
        return [self._constant(value) if value.is_const else self.names.get(id(value), "_")]


class _Lines:
    """The lines of one function, and the operations in them."""

    def __init__(self, target: Target) -> None:
        self.target, self.names, self.operations = target, _Names(), Counter[str]()

    def of(self, s: st.Statement) -> Iterator[CodeletLine]:
        match s:
            case st.Each() | st.While() | st.Scope():
                yield from self._each(s.body)
            case st.If():
                yield from self._each([*s.then, *s.otherwise])
            case st.Woven():
                yield from self._each([one for part in s.parts for one in part])
            case st.Load():
                names = [self.names.new(v, f"{s.name or 'm'}{w}") for w, v in enumerate(s.values) if not v.is_const]
                if names:
                    yield CodeletLine(f"{', '.join(map(str, names))} = load {text(s.pointer)}", interval(s.values[0]))
            case st.LoadHalves():
                name = self.names.new(s.value, s.name)
                yield CodeletLine(f"{name} = load halves of {text(s.low)}, {text(s.high)}", interval(s.value))
            case st.Run():
                yield from map(self._instr, s.block.instrs)
            case st.Store():
                yield CodeletLine(f"store {text(s.pointer)} = {', '.join(self._name(value) for value in s.values)}")
            case st.StoreHalves():
                yield CodeletLine(f"store halves {text(s.low)}, {text(s.high)} = {self._name(s.value)}")

    def _each(self, body: st.Body) -> Iterator[CodeletLine]:
        for statement in body:
            yield from self.of(statement)

    def _name(self, value: Value) -> str:
        return str(self.names._digits(value)[0])

    def _instr(self, instr: Instr) -> CodeletLine:
        self.operations[instr.op] += 1
        args = ", ".join(map(self._name, instr.args))
        names = [self.names.new(value) for value in instr.results]
        if instr.procedure or instr.lanes:
            what = instr.procedure.name if instr.procedure else f"lanes {' '.join(map(str, instr.lanes))} of "
            line = f"{', '.join(map(str, names))} = {what}({args})"
        else:
            width = self.target.digit if instr.op in DIGIT_PRODUCTS else self.target.word
            line = "".join(map(str, self.names.line(instr.op, width, instr.args, instr.k, instr.results)))
        return CodeletLine(line, "" if instr.op in PATTERNS else interval(instr.results[-1]))


def number_of(value: Value) -> str:
    """Return a constant as text."""
    return number(value.lo)


def pattern(value: Value) -> str:
    """Return the double with this bit pattern in the form m · 2^e."""
    exact = Fraction(double(value.lo))
    if not exact:
        return "0"
    twos = (exact.numerator & -exact.numerator).bit_length() - exact.denominator.bit_length()
    return f"{exact / Fraction(2) ** twos} · 2^{twos}" if twos else str(exact)


def interval(value: Value) -> str:
    """Return the interval of ``value``, with exact bounds if they are small and otherwise with powers of two."""
    if value.kind != "word":
        return ""
    if value.lo > -SMALL and value.hi < SMALL:
        return f"[{value.lo}, {value.hi}]"
    low = f"-2^{(-value.lo - 1).bit_length()}" if value.lo < 0 else "0"
    return f"[{low}, 2^{max(value.hi, 0).bit_length()})"
