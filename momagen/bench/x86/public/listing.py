"""The instructions of a disassembler's listing for x86-64: their operands, registers under unique names, and sizes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

INSTRUCTION = re.compile(
    r"^\s*(?P<address>[0-9a-f]+):\s+(?:(?:bnd|notrack|lock|rep[nz]*|data16|cs)\s+)*(?P<op>[a-z][a-z0-9]*)\s*"
    r"(?P<operands>[^<#]*)(?:<(?P<symbol>[^>+]+))?"
)
PADDING = re.compile(r"\bnop[wl]?\b|\bxchg\s+%ax,%ax")
OPERAND = re.compile(r"(?:[^,(]|\([^)]*\))+")
NUMBERED = re.compile(r"r(?:8|9|1[0-5])")
LOWEST = re.compile(r"%(?:[abcd]l|[sd]il|[sb]pl|r(?:8|9|1[0-5])b)")
"""The lowest byte of a general register."""
VECTOR = re.compile(r"(?P<size>[xyz])mm(?P<number>\d+)")
MEMORY = re.compile(r"(?:%\w+:)?(?P<shift>-?0x[0-9a-f]+)?\((?:%(?P<base>\w+))?(?:,%(?P<index>\w+)(?:,\d)?)?\)")
SUFFIXES = {"b": 1, "w": 2, "l": 4, "q": 8}
WIDTHS = {"x": 16, "y": 32, "z": 64}
STATE = re.compile("v?(?:ld|st)mxcsr")
"""Loads and stores of the state of floating-point operations, which has four bytes."""
WORD = 8
"""The size of a general-purpose register in bytes."""


@dataclass(frozen=True)
class Instruction:
    """An instruction in a listing.

    Attributes:
        address: The address.
        op: The mnemonic.
        operands: The operands as written, destination last.
        symbol: The function that a jump or a call names, or "".
    """

    address: int
    op: str
    operands: tuple[str, ...]
    symbol: str = ""

    @property
    def target(self) -> int:
        """The target of a jump to a fixed address, or -1."""
        return int(self.operands[0], 16) if self.operands and re.fullmatch("[0-9a-f]+", self.operands[0]) else -1

    @property
    def jumps(self) -> bool:
        """Whether it is a jump."""
        return self.op.startswith("j")

    @property
    def is_conditional(self) -> bool:
        """Whether it is a conditional jump."""
        return self.jumps and not self.op.startswith("jmp")

    @property
    def calls(self) -> bool:
        """Whether it is a call."""
        return self.op.startswith("call")

    def leaves(self, function: str) -> bool:
        """Return whether it jumps from this function to another one."""
        return self.jumps and self.symbol not in ("", function)

    @property
    def size(self) -> int:
        """The largest number of bytes that it may move."""
        found = [bytes_of(operand[1:]) for operand in self.operands if operand.startswith("%")]
        return found[-1] if found else 4 if STATE.fullmatch(self.op) else SUFFIXES.get(self.op[-1], WIDTHS["z"])


def instructions(lines: Sequence[str]) -> list[Instruction]:
    """Return the instructions in the lines of a function, without padding."""
    rows = [row for line in lines if not PADDING.search(line) and (row := INSTRUCTION.match(line))]
    return [Instruction(int(r["address"], 16), r["op"], split(r["operands"]), r["symbol"] or "") for r in rows]


def split(operands: str) -> tuple[str, ...]:
    """Return the operands: "$1,(%rax,%rbx),%ecx" has three."""
    return tuple(found.group().strip() for found in OPERAND.finditer(operands.strip()))


def signed(number: str) -> int:
    """Return the value of a 64-bit hexadecimal number, which listings print with or without a sign."""
    found = int(number, 16)
    return found - (1 << 64) if found >> 63 else found


def whole(name: str) -> str:
    """Return one name for all parts of a register.

    The name is "a" for eax, ax, al and rax, "r8" for r8d, and "v1" for ymm1 and zmm1.
    """
    if numbered := NUMBERED.match(name):
        return numbered.group()
    if vector := VECTOR.match(name):
        return f"v{vector['number']}"
    short = re.fullmatch(r"[re]?(?P<letters>[abcd]x|[sd]i|[sb]p)|(?P<byte>[abcd][lh]|(?:[sd]i|[sb]p)l)", name)
    letters = short and (short["letters"] or short["byte"])
    return letters.rstrip("xlh") if letters else name


def bytes_of(name: str) -> int:
    """Return the size of a register in bytes by the name of its part, such as 4 for eax and r8d."""
    if vector := VECTOR.match(name):
        return WIDTHS[vector["size"]]
    if NUMBERED.match(name):
        return {"d": 4, "w": 2, "b": 1}.get(name[-1], WORD)
    return WORD if name[0] == "r" else 4 if name[0] == "e" else 2 if name[-1] in "xip" else 1
