"""The kinds of values, public numbers or data, that registers and slots of the stack frame hold at a point."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .listing import LOWEST, MEMORY, WORD, whole


class FrameAddress(NamedTuple):
    """An address in the stack frame.

    Attributes:
        base: 0, or the address of the instruction that aligned the stack pointer.
        offset: The number of bytes above the value of the stack pointer at the beginning of the function or
            after the alignment.
    """

    base: int
    offset: int


OPEN, ROWS, JOB = "open", "rows", "job"
"""Kinds of addresses. OPEN: the address of memory that is public as a whole, such as the plan of one modulus
or constants of the library. ROWS: the address of the plan of several moduli, which holds the addresses of
their plans. JOB: the address of the description of a call for a thread, which begins with the address of such
a plan."""
ARRAY = "array"
"""A kind: the address of an array of public numbers, or of addresses of data."""
ZERO = "zero"
"""A kind: the number zero, such as a null pointer. Jumps that test whether it is zero have a known outcome."""
LOADED = {OPEN: "public", ROWS: OPEN, JOB: ROWS, ARRAY: "public"}
"""The kind of a value that is loaded from an address, by the kind of the address."""
PUBLIC = "public"
"""A kind: a public number, or the address of memory that holds data."""
INSIDE = "inside"
"""A kind: an address that may be anywhere in the stack frame."""
Kind = str | FrameAddress | None
"""The kind of a value; None means data."""


def joined(a: Kind, b: Kind) -> Kind:
    """Return the kind of a value that is of one of two kinds, depending on the path."""
    return a if a == b else made(a, b)


def made(*kinds: Kind) -> Kind:
    """Return the kind of a value that is computed from values of these kinds."""
    if None in kinds:
        return None
    return INSIDE if any(kind == INSIDE or isinstance(kind, FrameAddress) for kind in kinds) else PUBLIC


def added(base: Kind, index: Kind) -> Kind:
    """Return the kind of an address to which an index is added."""
    return base if base in (ROWS, ARRAY) and index in (PUBLIC, ZERO) else made(base, index)


@dataclass
class Known:
    """The known values at a point of a function.

    Attributes:
        held: The kinds by register. The keys "carry" and "flags" have the kinds of the values that set the
            carry flag and all other flags.
        slots: The kinds of 8-byte slots of the stack frame by their addresses.
        lowest: The kinds of the lowest bytes of registers whose other bytes may be data.
    """

    held: dict[str, Kind] = field(default_factory=dict)
    slots: dict[FrameAddress, Kind] = field(default_factory=dict)
    lowest: dict[str, Kind] = field(default_factory=dict)

    def copy(self) -> Known:
        """Return a copy."""
        return Known(dict(self.held), dict(self.slots), dict(self.lowest))

    def join(self, other: Known) -> Known:
        """Return the known values at a point to which two paths lead."""
        names = self.lowest.keys() | other.lowest.keys()
        lowest = _joined(*({name: known.byte(name) for name in names} for known in (self, other)))
        return Known(_joined(self.held, other.held), _joined(self.slots, other.slots), lowest)

    def byte(self, name: str) -> Kind:
        """Return the kind of the lowest byte of a register."""
        kind = self.held.get(name) or self.lowest.get(name)
        return kind if kind == ZERO else made(kind)

    def value(self, operand: str) -> Kind:
        """Return the kind of an operand that is read."""
        if operand.startswith("$"):
            return ZERO if operand == "$0x0" else PUBLIC
        if operand.startswith("%") and ":" not in operand:
            name = whole(operand[1:])
            return self.byte(name) if LOWEST.fullmatch(operand) else self.held.get(name)
        where = self.address(operand)
        return self.slots.get(where) if isinstance(where, FrameAddress) else LOADED.get(where or "")

    def address(self, operand: str) -> Kind:
        """Return the kind of the address of a memory operand."""
        found = MEMORY.fullmatch(operand)
        if not found or not (found["base"] or found["index"]) or operand.startswith("%"):
            return None
        shift = int(found["shift"] or "0", 16)
        if not found["base"]:
            return made(self.held.get(whole(found["index"])))
        base = OPEN if found["base"] == "rip" else self.held.get(whole(found["base"]))
        return moved(base, shift) if not found["index"] else added(base, self.held.get(whole(found["index"])))

    def _in_frame(self, operand: str) -> bool:
        """Return whether the address of an operand is computed from an address in the frame."""
        found = MEMORY.fullmatch(operand)
        kinds = [self.held.get(whole(name)) for name in found.group("base", "index") if name] if found else []
        return any(kind == INSIDE or isinstance(kind, FrameAddress) for kind in kinds)

    def write(self, operand: str, kind: Kind, size: int) -> None:
        """Record that an operand gets a value of a kind.

        A write of 1 or 2 bytes to a register keeps the other bytes.

        Args:
            operand: The operand.
            kind: The kind of the value.
            size: The size of the operand in bytes.
        """
        if operand.startswith("%"):
            name = whole(operand[1:])
            self.hold(name, kind if size >= WORD // 2 else made(kind, self.held.get(name)))
            if kind is not None and LOWEST.fullmatch(operand):
                self.lowest[name] = kind
            return
        where = self.address(operand)
        if where == INSIDE or (where is None and self._in_frame(operand)):
            self.slots.clear()
        if isinstance(where, FrameAddress):
            self.slots = {at: held for at, held in self.slots.items() if not _overlap(at, where, size)}
            if kind and size >= WORD:
                self.slots[where] = kind

    def hold(self, name: str, kind: Kind) -> None:
        """Record the kind of the value of a register or of the flags."""
        self.held[name] = kind
        self.lowest.pop(name, None)

    def flag(self, *kinds: Kind) -> None:
        """Record that values of these kinds set all flags."""
        self.held["carry"] = self.held["flags"] = made(*kinds)


def moved(kind: Kind, by: int) -> Kind:
    """Return the kind of an address to which ``by`` bytes are added."""
    if isinstance(kind, FrameAddress):
        return FrameAddress(kind.base, kind.offset + by)
    return OPEN if kind == JOB and by else kind


def _joined(a: dict, b: dict) -> dict:  # type: ignore[type-arg]
    return {key: kind for key in a.keys() & b.keys() if (kind := joined(a[key], b[key])) is not None}


def _overlap(slot: FrameAddress, where: FrameAddress, size: int) -> bool:
    return slot.base == where.base and where.offset - WORD < slot.offset < where.offset + size


def known_at_entry(arguments: Sequence[str], plan: str, arrays: Collection[int] = ()) -> Known:
    """Return the known values at the beginning of a function.

    Args:
        arguments: The registers of the first arguments. Other arguments are on the stack.
        plan: The kind of the first argument. All others are public numbers, addresses of data, or addresses
            of arrays.
        arrays: The positions of arguments, from 1 on, that are addresses of arrays of public numbers or of
            addresses.
    """
    first, *others = arguments
    kinds: dict[str, Kind] = {name: ARRAY if at in arrays else PUBLIC for at, name in enumerate(others, 1)}
    behind = {FrameAddress(0, WORD * at): PUBLIC for at in range(1, WORD)}
    return Known({first: plan, **kinds, "sp": FrameAddress(0, 0)}, dict[FrameAddress, Kind](behind))
