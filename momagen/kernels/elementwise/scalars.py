"""Scalar codelets on one residue each: what a plan computes its tables with, and what finishes a vector's tail."""

from __future__ import annotations

import re
from functools import lru_cache

from momagen.ir import Block, Builder
from momagen.kernels.residues.arith import Arith


@lru_cache(maxsize=64)
def scalar(text: str, arith: Arith) -> Block:
    """z by one operation, such as addmod(a, b, q): a, b < q; A, B and others are whatever the words hold."""
    op, *operands = re.findall(r"\w+", text)
    b, tops = Builder(), {"q": arith.top, "a": arith.top - 1, "b": arith.top - 1}
    args = [b.input(each.lower(), 0, tops.get(each, (1 << arith.held) - 1)) for each in operands]
    b.output("z", b.one(op, arith.width, *args, k=arith.held))
    return b.block
