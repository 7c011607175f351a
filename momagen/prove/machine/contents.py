"""The contents of registers and memory: numbers, pointers, and contents that the program may only move.

The address of a pointer is the address of its block plus its offset in bytes. An offset counts modulo 2^64, as
addresses do, so it may be any integer of its residue class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from momagen.prove.c.memory import Block, Number, Pointer
from momagen.prove.c.types import WORD
from momagen.prove.checker import ProofError
from momagen.prove.words import Value, Words

HERE: frozenset[Any] = frozenset()
"""The key of the only element of a block for one register."""


@dataclass(frozen=True)
class Entry:
    """The content of a register when the function was called."""

    register: str


@dataclass(frozen=True)
class Return:
    """A return address: the address of an instruction, or None for the unknown address in the caller."""

    address: int | None


@dataclass(frozen=True, eq=False)
class Partial:
    """A number of which only the low bits are known."""

    value: Value
    bits: int


ONLY_MOVED = Pointer, Entry, Return, Partial
"""The contents that no operation on vectors takes."""


class MachineWord(Block):
    """A register or a word of the stack, whose content is unknown at first.

    Attributes:
        use: How it was first used since the current loop began: "read", "written", or empty if it was not used.
    """

    def __init__(self, name: str, words: Words) -> None:
        super().__init__(name, WORD, words.constant(1), is_array=False)
        self.use = ""


def held_by(register: MachineWord) -> Any:
    """Return the content of a register: a value, bits, a pointer, or a content that can only be moved.

    Raises:
        ProofError: The content is not known.
    """
    register.use = register.use or "read"
    found = register.cells.get(HERE)
    if found is None:
        raise ProofError(f"{register.name} is read where its content is not known")
    return found.value if isinstance(found, Number) else found


def hold(register: MachineWord, content: Any) -> None:
    """Store a content in a register."""
    register.use = register.use or "written"
    register.cells[HERE] = content if isinstance(content, ONLY_MOVED) else Number(WORD, content)


def move(source: MachineWord, goal: MachineWord) -> None:
    """Copy the content of a register to another register."""
    held_by(source)
    goal.use = goal.use or "written"
    goal.cells[HERE] = source.cells[HERE]


def as_value(content: Any) -> Value:
    """Return a content that must be a number.

    Raises:
        ProofError: The content is no number.
    """
    if not isinstance(content, Value):
        raise ProofError("something else than a number is computed with")
    return content
