"""Conditional jumps that depend on a loop index alone (x86-64): what they compare is computed without a load.

A kernel loads its data inside the loop that works on it. So a condition is followed back through the loop, to where
each register that it reads was set: only sums, shifts and copies of registers and constants make an index; a
load, a carry, a vector register or an instruction unknown here makes data. Of loads one is an index too: of a register
that was counted and spilled in front of the loop, and that nothing in the loop writes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

INSTRUCTION = re.compile(r"^\s*(?P<address>[0-9a-f]+):\s+(?P<op>[a-z][a-z0-9]*)\s*(?P<operands>[^<#]*)")
PADDING = re.compile(r"\bnop[wl]?\b|\bxchg\s+%ax,%ax")
OPERAND = re.compile(r"(?:[^,(]|\([^)]*\))+")
REGISTER = re.compile(r"%(?P<name>[a-z0-9]+)")
NUMBERED = re.compile(r"r(?:8|9|1[0-5])")
COPIES = re.compile(r"(?:mov(?:abs)?|movz|movs|mov[zs]?[bwl][wlq])[bwlq]?$")
SUMS = re.compile(r"(?:add|sub|and|or|xor|shl|shr|sar|sal|imul|inc|dec|neg|not)[bwlq]?$")
COMPARISONS = re.compile(r"(?:cmp|test)[bwlq]?$")
SPILLED = re.compile(r"-?0x[0-9a-f]+\(%rsp\)")
"""A place in the stack frame, as long as nothing moves the stack pointer:"""
PLAIN = re.compile(r"mov[bwlq]?$")
MOVING = re.compile(r"push|pop|call|leave|enter")
FLAGLESS = re.compile(
    r"mov|lea|nop|v(?!u?comis|p?test)|kmov|prefetch|not|push|pop|cmov|set|j|endbr|mulx|[sr][ah][lr]x|rorx"
)
"""Instructions that leave the flags as they are."""


@dataclass(frozen=True)
class Instruction:
    """A line of a listing: operands as written, destination last."""

    address: int
    op: str
    operands: tuple[str, ...]

    @property
    def in_memory(self) -> bool:
        """Whether it reads or writes memory."""
        return any("(" in operand for operand in self.operands) and not self.op.startswith("lea")


def instructions(lines: Sequence[str]) -> list[Instruction]:
    """What the lines of a function say."""
    rows = [row for line in lines if not PADDING.search(line) and (row := INSTRUCTION.match(line))]
    return [Instruction(int(row["address"], 16), row["op"], split(row["operands"])) for row in rows]


def split(operands: str) -> tuple[str, ...]:
    """ "$1,(%rax,%rbx),%ecx" → its three parts."""
    return tuple(found.group().strip() for found in OPERAND.finditer(operands.strip()))


def registers(operand: str) -> set[str]:
    """The general registers in an operand, each by one name; others by their own."""
    return {whole(found["name"]) for found in REGISTER.finditer(operand)}


def whole(name: str) -> str:
    """One name for all parts of a register: eax, ax, al and rax are "a", r8d is "r8"."""
    if numbered := NUMBERED.match(name):
        return numbered.group()
    short = re.fullmatch(r"[re]?(?P<letters>[abcd]x|[sd]i|[sb]p)|(?P<byte>[abcd][lh]|(?:[sd]i|[sb]p)l)", name)
    letters = short and (short["letters"] or short["byte"])
    return letters.rstrip("xlh") if letters else name


def by_index(loop: Sequence[Instruction], address: int, ahead: Sequence[Instruction] = ()) -> bool:
    """Whether the jump at ``address`` in ``loop`` decides on an index; ``ahead``: what stands in front of the loop."""
    at = next((i for i, found in enumerate(loop) if found.address == address), None)
    if at is None:
        return False
    before = [*reversed(loop[:at]), *reversed(loop[at:])]  # once around
    setter = next((i for i, found in enumerate(before) if not FLAGLESS.match(found.op)), None)
    if setter is None:
        return False
    condition = before[setter]
    if not (COMPARISONS.match(condition.op) or SUMS.match(condition.op)):
        return False
    slots = {operand for operand in condition.operands if "(" in operand}
    if condition.in_memory and not all(spilled_index(slot, loop, ahead) for slot in slots):
        return False
    wanted = set().union(*map(registers, set(condition.operands) - slots))
    return bool(wanted or slots) and counted(wanted, before[setter:])


def spilled_index(slot: str, loop: Sequence[Instruction], ahead: Sequence[Instruction]) -> bool:
    """Whether a place in the frame holds an index that was stored last in front of a loop, which leaves it alone."""
    if not SPILLED.fullmatch(slot) or any(moves_stack(found) or writes(found, slot) for found in loop):
        return False
    before = list(reversed(ahead))
    store = next((i for i, found in enumerate(before) if moves_stack(found) or writes(found, slot)), None)
    if store is None or not COPIES.match(before[store].op) or moves_stack(before[store]):
        return False
    return counted(registers(before[store].operands[0]), before[store + 1 :])


def moves_stack(found: Instruction) -> bool:
    """Whether an instruction changes the stack pointer, so that places in the frame get other names."""
    return bool(MOVING.match(found.op)) or (bool(found.operands) and found.operands[-1] == "%rsp")


def writes(found: Instruction, slot: str) -> bool:
    """Whether an instruction may write to a place in the frame: all do but moves of one register to another place."""
    target = found.operands[-1] if found.operands else ""
    if "(%rsp" not in target or COMPARISONS.match(found.op):
        return False
    return target == slot or not PLAIN.match(found.op) or not SPILLED.fullmatch(target)


def counted(wanted: set[str], before: Sequence[Instruction]) -> bool:
    """Whether instructions, latest first, make what is in ``wanted`` of registers and constants alone."""
    for found in before:
        if COMPARISONS.match(found.op) or not found.operands:
            continue
        *sources, target = found.operands
        if "(" in target or not (written := registers(target)) & wanted:
            continue
        copied = COPIES.match(found.op) or found.op.startswith("lea")
        if found.in_memory or not (copied or SUMS.match(found.op)):
            return False
        wanted = (wanted - written if copied else wanted) | set().union(*map(registers, sources))
    return True
