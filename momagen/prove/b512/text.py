"""Reading the text of a B512 program: directives that describe the memories, and instructions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from momagen.prove.checker import ProofError

FORMS = {
    "vload": ("v", "address"), "vstore": ("v", "address"), "vbroadcast": ("v", "address"),
    "sload": ("s", "number"), "mload": ("m", "number"), "aload": ("a", "number"),
    "vadd": ("v", "v", "v", "m"), "vsub": ("v", "v", "v", "m"), "vmul": ("v", "v", "v", "m"),
    "vsadd": ("v", "v", "s", "m"), "vssub": ("v", "v", "s", "m"), "vsmul": ("v", "v", "s", "m"),
    "bfly": ("v", "v", "v", "v", "v", "m"),
    "unpklo": ("v", "v", "v"), "unpkhi": ("v", "v", "v"), "pklo": ("v", "v", "v"), "pkhi": ("v", "v", "v"),
}  # fmt: skip
"""The operands of each instruction: registers of a file, a number, or an address register with an offset."""
MODES = {"contiguous": 0, "strided": 20, "skip": 8, "repeated": 8}
"""The address modes, each with its greatest value."""
REGISTERS, WORDS, ADDRESSES, INSTRUCTIONS = 64, 1 << 21, 1 << 20, 1 << 16
"""How many registers a file has, words the vector memory, values an address, and instructions the memory."""
OPERAND = re.compile(r"([vsam])(\d{1,3})|(\d{1,20})|a(\d{1,3})\[(\d{1,20})\]")


@dataclass(frozen=True)
class Line:
    """An instruction: its line in the text, its name, the numbers of its operands, and its address mode."""

    number: int
    name: str
    operands: tuple[int, ...]
    mode: str = "contiguous"
    step: int = 0


@dataclass
class ProgramText:
    """What a text says.

    Attributes:
        points: The number of points of the transforms.
        order: The order of the root of unity.
        towers: The number of moduli, which are the first words of the scalar memory.
        scalars: The operands that are single residues, which follow in the scalar memory.
        areas: The first word and the number of words of each named part of the vector memory.
        tables: Tables of powers of the root: the first word, the exponent of the first power, the summands of the
            exponents by the bits of the index, and whether all words are divided by the number of points.
        lines: The instructions.
    """

    points: int = 0
    order: int = 0
    towers: int = 1
    scalars: tuple[str, ...] = ()
    areas: dict[str, tuple[int, int]] = field(default_factory=dict)
    tables: list[tuple[int, int, tuple[int, ...], bool]] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)


def read(text: str) -> ProgramText:
    """Return what a text says.

    Raises:
        ProofError: A line is not understood; the error has its number.
    """
    found = ProgramText()
    for number, line in enumerate(text.splitlines(), 1):
        content = line.split("#")[0].strip()
        try:
            if content.startswith("."):
                _take(found, content.split())
            elif content:
                found.lines.append(_instruction(number, content))
        except ValueError:
            raise ProofError(f"line {number} is not understood: {content}") from None
    if len(found.lines) > INSTRUCTIONS:
        raise ProofError("the program is longer than the instruction memory")
    return found


def _take(found: ProgramText, words: list[str]) -> None:
    match words:
        case [".points" | ".order" | ".towers" as name, count]:
            setattr(found, name[1:], _number(count))
        case [".scalars", *names] if names and len(set(names)) == len(names) and not found.scalars:
            found.scalars = tuple(names)
        case [".area", name, begin, size] if name not in found.areas:
            found.areas[name] = _number(begin), _number(size)
        case [".table", "0", begin, first, *steps]:
            scaled = steps[-1:] == ["/n"]
            summands = tuple(_number(step) for step in steps[: len(steps) - scaled])
            found.tables.append((_number(begin), _number(first), summands, scaled))
        case _:
            raise ValueError


def _instruction(number: int, content: str) -> Line:
    name, _, rest = content.partition(" ")
    parts = [part.strip() for part in rest.split(",")]
    mode, step = "contiguous", 0
    form = FORMS.get(name)
    if form is None:
        raise ValueError
    if name in ("vload", "vstore") and len(parts) == len(form) + 1:
        mode, _, value = parts.pop().partition(" ")
        step = _number(value) if mode != "contiguous" else 0
        if step > MODES.get(mode, -1) or (mode == "repeated" and name == "vstore"):
            raise ValueError
    operands: list[int] = []
    for kind, part in zip(form, parts, strict=True):
        operands += _operand(kind, part)
    return Line(number, name, tuple(operands), mode, step)


def _operand(kind: str, part: str) -> list[int]:
    found = OPERAND.fullmatch(part)
    if found is None:
        raise ValueError
    letter, register, number, base, offset = found.groups()
    if kind == "address" and base is not None:
        numbers, limits = [int(base), int(offset)], [REGISTERS, ADDRESSES]
    elif kind == "number" and number is not None:
        numbers, limits = [int(number)], [ADDRESSES]
    elif kind == letter:
        numbers, limits = [int(register)], [REGISTERS]
    else:
        raise ValueError
    if any(n >= limit for n, limit in zip(numbers, limits, strict=True)):
        raise ValueError
    return numbers


def _number(text: str) -> int:
    if not re.fullmatch(r"\d{1,20}", text, re.ASCII):
        raise ValueError
    return int(text)
