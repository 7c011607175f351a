"""The effects of calls: the registers that functions of the listing, and any other functions, may write.

Compilers know the former, too, and keep values in the other registers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .effects import effect
from .kinds import ARRAY, INSIDE, JOB, OPEN, PUBLIC, ROWS, ZERO, FrameAddress, Kind, Known
from .listing import Instruction

ARGUMENTS = ("di", "si", "d", "c", "r8", "r9")
"""The registers of the first arguments. Those of ``execute`` are a plan, pointers and a count."""
SAVED = ("b", "bp", "sp", "r12", "r13", "r14", "r15")
"""The registers whose values a function must restore before it returns."""
SCRATCH = {"a", "r10", "r11", "carry", "flags", *ARGUMENTS, *(f"v{at}" for at in range(32))}
"""The registers that functions outside the listing may change."""

WRITTEN = {
    **dict.fromkeys(("memcpy", "memmove", "memset"), ("di",)),
    **dict.fromkeys(("malloc", "calloc", "aligned_alloc", "free"), ()),
}
"""The arguments through which functions of the C library write to memory. Any other function may write
through all arguments."""


class Changed:
    """The registers that each function changes, including the changes by the functions that it calls."""

    def __init__(self, bodies: Mapping[str, Sequence[Instruction]]) -> None:
        self.bodies = bodies
        self._own: dict[str, set[str]] = {}

    def by(self, name: str) -> set[str]:
        """Return the registers that a function changes; for a function outside the listing, all that it may change."""
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
    """Return the known values at the beginning of a function that is called at a point.

    Args:
        known: The known values at the call.
        below: The number of bytes that the call pushes on the stack: 8 for the return address, 0 for a jump.
    """
    held = {name: kind for name in ARGUMENTS if (kind := _outside(known.held.get(name)))}
    top = known.held.get("sp")
    slots = {
        FrameAddress(0, at.offset - top.offset + below): _outside(kind) for at, kind in known.slots.items()
        if at.base == top.base and at.offset + below > top.offset
    } if isinstance(top, FrameAddress) else {}  # fmt: skip
    return Known({**held, "sp": FrameAddress(0, 0)}, slots)


def forget_written(known: Known, name: str) -> None:
    """Forget the slots of the stack frame if a function outside the listing may write to them.

    It may do so if an argument through which it writes may be an address in the frame. The number of bytes
    that it writes is unknown, so that all slots are forgotten. Such functions take no arguments on the stack.
    Addresses of the frame that an earlier call stored in memory are not followed.
    """
    passed = map(known.held.get, WRITTEN.get(name.partition("@")[0], ARGUMENTS))
    if any(kind == INSIDE or isinstance(kind, FrameAddress) for kind in passed):
        known.slots.clear()


def _outside(kind: Kind) -> Kind:
    """Return the kind of a value for a function that has another stack frame."""
    return kind if kind in (None, OPEN, ROWS, JOB, ARRAY, ZERO) else PUBLIC
