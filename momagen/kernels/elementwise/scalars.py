"""Codelets on single residues, with which plans compute tables and which process the last elements of vectors."""

from __future__ import annotations

import re
from functools import lru_cache

from momagen.ir import Block, Builder
from momagen.kernels.residues.arith import Arith


@lru_cache(maxsize=64)
def scalar(text: str, arith: Arith) -> Block:
    """Return the codelet that computes z by one operation, such as addmod(a, b, q).

    The operands a and b are below q. A, B and all others are numbers that the words hold.
    """
    op, *operands = re.findall(r"\w+", text)
    b, tops = Builder(), {"q": arith.top, "a": arith.top - 1, "b": arith.top - 1}
    args = [b.input(each.lower(), 0, tops.get(each, (1 << arith.held) - 1)) for each in operands]
    b.output("z", b.one(op, arith.width, *args, k=arith.held))
    return b.block
