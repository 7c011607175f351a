"""Scalar codelets on one residue each: what a plan computes its tables with, and what finishes a vector's tail.

All are z = f(a, b) with q and 1/q modulo R (R = 2^held) at hand, or ⌊R²/q⌋ = [m1, m0] where q may be even. No division
is needed anywhere: a quotient ⌊v·R/q⌋ is exact once its remainder is known, (v·R - r)/q with r = v·R mod q, so it is
-r·(1/q) modulo R; or it is ⌊v·⌊R²/q⌋/R⌋, or one more.
"""

from __future__ import annotations

import re
from functools import lru_cache

from momagen.ir import Block, Builder
from momagen.kernels.residues.arith import Arith

SCALARS = {
    "mont": "montgomery(a, b, q, qi)",  # a·b/R mod q
    "add": "addmod(a, b, q)",
    "sub": "submod(a, b, q)",
    "quot": "minus_product(a, qi)",  # ⌊v·R/q⌋ from its remainder a = v·R mod q
    "newton": "newton(A, q)",  # 1/q, to twice as many bits
    "over": "over_by_reciprocal(a, q, m0, m1)",  # ⌊a·R/q⌋
    "rest": "minus_product(A, q)",  # v·R mod q from its quotient a
    "divide_word": "div(a, B, q)",  # ⌊(a·2^w + b)/q⌋ for one word, where a machine divides two of them by one
}
"""Each as one operation: a, b < q, and A, B may be anything that words hold."""


@lru_cache(maxsize=64)
def scalar(name: str, arith: Arith) -> Block:
    """The codelet ``name`` of ``SCALARS``."""
    op, *operands = re.findall(r"\w+", SCALARS[name])
    b, tops = Builder(), {"q": arith.top, "a": arith.top - 1, "b": arith.top - 1}
    args = [b.input(each.lower(), 0, tops.get(each, (1 << arith.held) - 1)) for each in operands]
    b.output("z", b.one(op, arith.width, *args, k=arith.held))
    return b.block
