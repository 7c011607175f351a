"""The meaning of the inline assembly in generated helpers: sums and differences with carry, and conditional moves.

The table states Intel's definition of each instruction in AT&T order (source, destination). An operand that an
instruction changes although another instruction still needs an input that the compiler may have put into the same
register must be marked with ``&``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from momagen.prove.checker import ProofError

if TYPE_CHECKING:
    from collections.abc import Callable

    from momagen.prove.words import Value, Words

BITS = 64


@dataclass
class Operand:
    """An operand of an assembly statement.

    Attributes:
        constraint: Its constraint, such as ``+&r``.
        value: The value that the operand holds now.
        bits: The bits of its C type.
    """

    constraint: str
    value: Value | None
    bits: int

    @property
    def is_output(self) -> bool:
        """Whether the statement may change it."""
        return self.constraint[0] in "+="


@dataclass
class _Flags:
    carry: Value | None = None
    is_zero: Callable[[], Value] | None = None


ASSEMBLY = "__asm__"


def is_empty_assembly(arguments: list[Any]) -> bool:
    """Return whether assembly contains no instruction, and no output that it would have to set.

    Args:
        arguments: The template, colons, constraints and operands, as the reader of the source writes them.
    """
    texts = [argument.value[1:-1] for argument in arguments if isinstance(argument, c_ast.Constant)]
    return not texts[0].strip() and not any("=" in text for text in texts[1:])


def run(template: str, operands: dict[str, Operand], words: Words) -> Value | None:
    """Execute a template on its operands, which change, and return the carry flag.

    Raises:
        ProofError: An instruction is not known, or an operand lacks the mark ``&``.
    """
    flags = _Flags()
    lines = [line.split("#")[0].strip() for line in re.split(r"[\n;]", template)]
    instructions = [line for line in lines if line]
    _check_early(instructions, operands)
    for line in instructions:
        name, _, rest = line.partition(" ")
        source, _, destination = (text.strip() for text in rest.rpartition(","))
        _step(name, source, destination, operands, flags, words)
    return flags.carry


def _difference(a: Value, b: Value, borrow: Value, width: int, words: Words) -> tuple[Value, Value]:
    """Return the borrow and the word of ``a - b - borrow``, of which one of the last two may be 0."""
    if b.is_constant and b.low == 0:
        b, borrow = borrow, b
    return words.difference(a, b, borrow, width, "subtract")


def _named(text: str) -> str | None:
    found = re.fullmatch(r"%k?\[(\w+)\]", text)
    return found.group(1) if found else None


def _check_early(instructions: list[str], operands: dict[str, Operand]) -> None:
    """Check that no operand is written before the last read of an input, unless it is marked as early."""
    last_read = max(
        (
            i
            for i, line in enumerate(instructions)
            for name in re.findall(r"%k?\[(\w+)\]", line)
            if name in operands and not operands[name].is_output
        ),
        default=-1,
    )
    for i, line in enumerate(instructions):
        written = _named(line.rpartition(",")[2].strip())
        if written in operands and line.split()[0] != "testb":
            operand = operands[written]
            if not operand.is_output:
                raise ProofError(f"assembly changes the input {written}")
            if i < last_read and "&" not in operand.constraint:
                raise ProofError(f"assembly changes {written} before it has read all inputs")


def _step(
    name: str, source: str, destination: str, operands: dict[str, Operand], flags: _Flags, words: Words
) -> None:
    def value(text: str) -> Value:
        operand = _named(text)
        if text.startswith("$"):
            number = int(text[1:], 0)
            if not 0 <= number < 1 << 31:
                raise ProofError(f"the constant {text} is extended by its sign")
            return words.constant(number)
        if operand is None or operand not in operands or operands[operand].value is None:
            raise ProofError(f"assembly reads {text}, which has no value")
        found: Value = operands[operand].value  # type: ignore[assignment]
        return found

    def set_(new: Value) -> None:
        operands[str(_named(destination))].value = new

    def carry() -> Value:
        if flags.carry is None:
            raise ProofError(f"{name} uses the carry flag, which is not set")
        return flags.carry

    names = re.findall(r"%k?\[(\w+)\]", f"{source},{destination}")
    used = [operands[found] for found in names if found in operands]
    width = 8 if name.endswith("b") else {"cmovnzw": 16, "cmovnzl": 32}.get(name, BITS)
    if any(operand.bits != width for operand in used):
        raise ProofError(f"an operand of {name} has another width")
    none = words.constant(0)
    if name in ("addq", "adcq"):
        terms = [value(destination), value(source)] + ([carry()] if name == "adcq" else [])
        flags.carry, new = words.sum(terms, BITS, name)
        set_(new)
    elif name in ("subq", "sbbq", "sbbb"):
        borrow = none if name == "subq" else carry()
        flags.carry, new = _difference(value(destination), value(source), borrow, width, words)
        set_(new)
    elif name == "movl" and source.startswith("$") and destination.startswith("%k"):
        set_(value(source))
    elif name == "leaq" and len(parts := source.strip("()").split(",")) == 2:
        set_(words.sum([value(part) for part in parts], BITS, name)[1])
    elif name == "cmovcq":
        set_(words.select(carry(), value(source), value(destination), name))
    elif name == "testb" and source == destination:
        tested = value(source)
        flags.carry, flags.is_zero = none, lambda: tested
    elif name in ("cmovnzq", "cmovnzl", "cmovnzw") and flags.is_zero is not None:
        set_(words.select(flags.is_zero(), value(source), value(destination), name))
    else:
        raise ProofError(f"the instruction {name} is not supported")
    if name != "testb" and not name.startswith(("cmov", "mov", "lea")):
        flags.is_zero = None
