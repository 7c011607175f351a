"""The spills of a kernel: stores of registers to the stack frame, and loads that bring their values back."""

from __future__ import annotations

import re
from functools import cache

from .uops import accesses, kind, parse

PLACE = re.compile(r"-?(?:0x)?[0-9a-f]*\(%rsp\).*")
"""The regular expression of a slot in the frame. An operand with an index register is an element of an array."""


@cache
def spills(text: str) -> tuple[str, ...]:
    """Return the accesses of an instruction to slots in the frame: "load", "store", both or neither.

    Args:
        text: The instruction as objdump prints it.
    """
    op, operands = parse(text)
    if not any(PLACE.fullmatch(operand) for operand in operands):
        return ()
    return tuple(accesses(op, [kind(operand) for operand in operands]))
