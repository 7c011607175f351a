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
    if not value.digits:
        return id(value) in live and value.lo != value.hi
    return any(id(leaf) in live and leaf.lo != leaf.hi for leaf in leaves(value))


def _narrow(has: Callable[[str, int], bool], instr: Instr, live: set[int]) -> Instr:
    """``[hi, lo] = a·b`` whose high part nobody reads is ``lo = a·b``."""
    alone = OPS[instr.op].only
    if not alone or instr.procedure is not None:
        return instr
    used = [i for i, r in enumerate(instr.results) if _read(r, live)]
    if len(used) != 1 or used[0] not in alone or not has(alone[used[0]], instr.w):
        return instr
    return Instr(alone[used[0]], instr.w, instr.args, (instr.results[used[0]],), instr.k, instr.lanes)


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
        for result in instr.results:
            if _read(result, live):
                kept.append(narrow(instr, live))
                for value in kept[-1].args:
                    if value.digits:
                        live.update(map(id, leaves(value)))
                    else:
                        live.add(id(value))
                break
    return Block(block.inputs, kept[::-1], block.outputs)
