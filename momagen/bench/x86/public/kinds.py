"""What registers and places of the stack frame hold at a point of a function, as far as that is public."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .listing import MEMORY, WORD, whole


class FrameAddress(NamedTuple):
    """An address in the stack frame: ``offset`` bytes above where the stack pointer was when the function began, or
    when the instruction ``base`` had aligned it."""

    base: int
    offset: int


OPEN, ROWS, JOB = "open", "rows", "job"
"""Kinds: the address of memory in which all is public, a plan's of one modulus or the library's constants; of a plan of
several moduli, which has the addresses of theirs; and of what threads are told of a call, which begins with that of
such a plan."""
ARRAY = "array"
"""A kind: the address of an array of public numbers, or of addresses of data."""
ZERO = "zero"
"""A kind: the number zero, such as a null pointer; a jump that asks whether it is zero is decided."""
LOADED = {OPEN: "public", ROWS: OPEN, JOB: ROWS, ARRAY: "public"}
"""The kind of what is loaded from there."""
PUBLIC = "public"
"""A kind: a public number, or the address of memory that holds data."""
INSIDE = "inside"
"""A kind: an address that may be anywhere in the stack frame."""
Kind = str | FrameAddress | None
"""None: data."""


def joined(a: Kind, b: Kind) -> Kind:
    """The kind of what is of either kind."""
    return a if a == b else made(a, b)


def made(*kinds: Kind) -> Kind:
    """The kind of what is computed from numbers of these kinds."""
    if None in kinds:
        return None
    return INSIDE if any(kind == INSIDE or isinstance(kind, FrameAddress) for kind in kinds) else PUBLIC


def added(base: Kind, index: Kind) -> Kind:
    """The kind of an address so many elements further on."""
    return base if base in (ROWS, ARRAY) and index in (PUBLIC, ZERO) else made(base, index)


@dataclass
class Known:
    """What is known at one point.

    Attributes:
        held: kinds by register, and those of what the flags were set by: "carry", and "flags" of all others.
        slots: kinds of 8 bytes of the frame by their address.
    """

    held: dict[str, Kind] = field(default_factory=dict)
    slots: dict[FrameAddress, Kind] = field(default_factory=dict)

    def copy(self) -> Known:
        return Known(dict(self.held), dict(self.slots))

    def join(self, other: Known) -> Known:
        """What is known where one may come from both."""
        return Known(_joined(self.held, other.held), _joined(self.slots, other.slots))

    def value(self, operand: str) -> Kind:
        """The kind of an operand that is read."""
        if operand.startswith("$"):
            return ZERO if operand == "$0x0" else PUBLIC
        if operand.startswith("%") and ":" not in operand:
            return self.held.get(whole(operand[1:]))
        where = self.address(operand)
        return self.slots.get(where) if isinstance(where, FrameAddress) else LOADED.get(where or "")

    def address(self, operand: str) -> Kind:
        """The kind of the address that an operand in memory has."""
        found = MEMORY.fullmatch(operand)
        if not found or not (found["base"] or found["index"]) or operand.startswith("%"):
            return None
        shift = int(found["shift"] or "0", 16)
        if not found["base"]:
            return made(self.held.get(whole(found["index"])))
        base = OPEN if found["base"] == "rip" else self.held.get(whole(found["base"]))
        return moved(base, shift) if not found["index"] else added(base, self.held.get(whole(found["index"])))

    def _in_frame(self, operand: str) -> bool:
        """Whether the address of an operand begins in the frame, wherever it leads."""
        found = MEMORY.fullmatch(operand)
        kinds = [self.held.get(whole(name)) for name in found.group("base", "index") if name] if found else []
        return any(kind == INSIDE or isinstance(kind, FrameAddress) for kind in kinds)

    def write(self, operand: str, kind: Kind, size: int) -> None:
        """An operand becomes of that kind; short parts of a register leave the rest of it."""
        if operand.startswith("%"):
            name = whole(operand[1:])
            self.hold(name, kind if size >= WORD // 2 else made(kind, self.held.get(name)))
            return
        where = self.address(operand)
        if where == INSIDE or (where is None and self._in_frame(operand)):
            self.slots.clear()
        if isinstance(where, FrameAddress):
            self.slots = {at: held for at, held in self.slots.items() if not _overlap(at, where, size)}
            if kind and size >= WORD:
                self.slots[where] = kind

    def hold(self, name: str, kind: Kind) -> None:
        """A register, or flags, become of that kind."""
        self.held[name] = kind

    def flag(self, *kinds: Kind) -> None:
        """All flags are set by numbers of these kinds."""
        self.held["carry"] = self.held["flags"] = made(*kinds)


def moved(kind: Kind, by: int) -> Kind:
    """The kind of an address so many bytes further on."""
    if isinstance(kind, FrameAddress):
        return FrameAddress(kind.base, kind.offset + by)
    return OPEN if kind == JOB and by else kind


def _joined(a: dict, b: dict) -> dict:  # type: ignore[type-arg]
    return {key: kind for key in a.keys() & b.keys() if (kind := joined(a[key], b[key])) is not None}


def _overlap(slot: FrameAddress, where: FrameAddress, size: int) -> bool:
    return slot.base == where.base and where.offset - WORD < slot.offset < where.offset + size


def known_at_entry(arguments: Sequence[str], plan: str, arrays: Collection[int] = ()) -> Known:
    """Return what is known at the beginning of a function.

    Args:
        arguments: the registers of the first arguments. Others are on the stack.
        plan: the kind of the first argument. All others are public numbers and addresses of data, or of such arrays.
        arrays: the positions of arguments, from 1 on, that are addresses of arrays of public numbers or of addresses.
    """
    first, *others = arguments
    kinds: dict[str, Kind] = {name: ARRAY if at in arrays else PUBLIC for at, name in enumerate(others, 1)}
    behind = {FrameAddress(0, WORD * at): PUBLIC for at in range(1, WORD)}
    return Known({first: plan, **kinds, "sp": FrameAddress(0, 0)}, dict[FrameAddress, Kind](behind))
