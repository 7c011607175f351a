"""The clean-up passes: dead code, and narrowing an operation to the results that are used."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .block import Block, Instr, leaves
from .ops import OPS
from .value import Value


def _words(values: Iterable[Value]) -> set[int]:
    return {id(leaf) for value in values for leaf in leaves(value)}


def _narrow(instr: Instr, live: set[int], has: Callable[[str, int], bool]) -> Instr:
    """``[hi, lo] = a·b`` whose high part nobody reads is ``lo = a·b``."""
    used = [i for i, r in enumerate(instr.results) if id(r) in live and not r.is_const]
    alone = OPS[instr.op].only.get(used[0]) if len(used) == 1 else None
    if alone is None or not has(alone, instr.w):
        return instr
    return Instr(alone, instr.w, instr.args, (instr.results[used[0]],), instr.k, instr.lanes)


def dead_code(block: Block, has: Callable[[str, int], bool] = lambda op, w: True) -> Block:
    """``block`` without instructions that no output needs, each narrowed to the results that are read.

    ``has`` says which operations there are to narrow to.
    """
    live = _words(block.outputs.values())
    kept: list[Instr] = []
    for instr in reversed(block.instrs):
        if any(id(r) in live and not r.is_const for r in instr.results):
            kept.append(_narrow(instr, live, has))
            live |= _words(instr.args)
    return Block(block.inputs, kept[::-1], block.outputs)
