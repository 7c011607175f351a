"""What the compiler had no register for: stores to the stack frame, and loads that bring back what lies there."""

from __future__ import annotations

import re
from functools import cache

from .uops import accesses, kind, parse

PLACE = re.compile(r"-?(?:0x)?[0-9a-f]*\(%rsp\).*")
"""A place in the frame. What an index is added to is an array."""


@cache
def spills(text: str) -> tuple[str, ...]:
    """ "load", "store", both or neither: what an instruction, as objdump prints it, does with a place in the frame."""
    op, operands = parse(text)
    if not any(PLACE.fullmatch(operand) for operand in operands):
        return ()
    return tuple(accesses(op, [kind(operand) for operand in operands]))
