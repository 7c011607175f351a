"""What calls change: the registers that functions of the listing write, as compilers know, too; else all that may."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .effects import effect
from .kinds import ARRAY, JOB, OPEN, PUBLIC, ROWS, ZERO, FrameAddress, Kind, Known
from .listing import Instruction

ARGUMENTS = ("di", "si", "d", "c", "r8", "r9")
"""The registers of the first arguments: of execute a plan, pointers and a count."""
SAVED = ("b", "bp", "sp", "r12", "r13", "r14", "r15")
"""Registers that hold what they held when a function gives back control."""
SCRATCH = {"a", "r10", "r11", "carry", "flags", *ARGUMENTS, *(f"v{at}" for at in range(32))}
"""Those that functions elsewhere may change."""


class Changed:
    """The registers that each function changes, with all that it calls."""

    def __init__(self, bodies: Mapping[str, Sequence[Instruction]]) -> None:
        self.bodies = bodies
        self._own: dict[str, set[str]] = {}

    def by(self, name: str) -> set[str]:
        """By one function, or by one that is elsewhere or unknown."""
        found, waiting = set[str](), [name]
        seen = set[str]()
        while waiting:
            if (each := waiting.pop()) not in self.bodies:
                return SCRATCH
            if each not in seen:
                seen.add(each)
                found |= self._written(each)
                waiting += [one.symbol for one in self.bodies[each] if one.calls or one.leaves(each)]
        return found

    def _written(self, name: str) -> set[str]:
        if name not in self._own:
            known = Known()
            for found in self.bodies[name]:
                effect(known, found)
            self._own[name] = {*known.held} - {*SAVED}
        return self._own[name]


def given(known: Known, below: int) -> Known:
    """What is known where a function begins that is called here; its return address is ``below`` the stack pointer."""
    held = {name: kind for name in ARGUMENTS if (kind := _outside(known.held.get(name)))}
    top = known.held.get("sp")
    slots = {
        FrameAddress(0, at.offset - top.offset + below): _outside(kind) for at, kind in known.slots.items()
        if at.base == top.base and at.offset + below > top.offset
    } if isinstance(top, FrameAddress) else {}  # fmt: skip
    return Known({**held, "sp": FrameAddress(0, 0)}, slots)


def _outside(kind: Kind) -> Kind:
    """The same kind for a function with another frame."""
    return kind if kind in (None, OPEN, ROWS, JOB, ARRAY, ZERO) else PUBLIC
