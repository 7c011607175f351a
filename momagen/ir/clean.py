"""The clean-up passes: dead code, and narrowing an operation to the results that are used."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from .block import Block, Instr, leaves
from .ops import OPS
from .value import Value


def _words(values: Iterable[Value]) -> set[int]:
    return {id(leaf) for value in values for leaf in leaves(value)}


Narrow = Callable[[Instr, set[int]], Instr]
"""What is left of an instruction when only those words, by their id, are read."""


def _read(value: Value, live: set[int]) -> bool:
    return any(id(leaf) in live and not leaf.is_const for leaf in leaves(value))


def _narrow(has: Callable[[str, int], bool], instr: Instr, live: set[int]) -> Instr:
    """``[hi, lo] = a·b`` whose high part nobody reads is ``lo = a·b``."""
    used = [i for i, r in enumerate(instr.results) if _read(r, live)]
    alone = OPS[instr.op].only.get(used[0]) if len(used) == 1 and instr.procedure is None else None
    if alone is None or not has(alone, instr.w):
        return instr
    return Instr(alone, instr.w, instr.args, (instr.results[used[0]],), instr.k, instr.lanes)


def dead_code(block: Block, has: Callable[[str, int], bool] = lambda op, w: False) -> Block:
    """Return ``block`` without instructions that no output needs, each narrowed to the results that are read.

    Args:
        has: says whether an operation may replace a wider one. By default none may: a block that is lowered must
            not get operations that its target lacks.
    """
    return sweep(block, partial(_narrow, has))


def sweep(block: Block, narrow: Narrow) -> Block:
    """``block`` without instructions that no output needs, from its end to its beginning, each narrowed."""
    live = _words(block.outputs.values())
    kept: list[Instr] = []
    for instr in reversed(block.instrs):
        if any(_read(r, live) for r in instr.results):
            kept.append(narrow(instr, live))
            live |= _words(kept[-1].args)
    return Block(block.inputs, kept[::-1], block.outputs)
