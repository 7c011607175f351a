"""Clean-up passes, which remove dead code and reduce operations to those results that are used."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from .block import Block, Instr, leaves
from .ops import OPS
from .value import Value


def _words(values: Iterable[Value]) -> set[int]:
    """Return the ids of the words of all values."""
    return {id(leaf) for value in values for leaf in leaves(value)}


Narrow = Callable[[Instr, set[int]], Instr]
"""A function that returns an instruction without the results that are not read. It gets the ids of the
words that are."""


def _read(value: Value, live: set[int]) -> bool:
    """Return whether a word of a value is read and not constant."""
    if not value.digits:
        return id(value) in live and value.lo != value.hi
    return any(id(leaf) in live and leaf.lo != leaf.hi for leaf in leaves(value))


def _narrow(has: Callable[[str, int], bool], instr: Instr, live: set[int]) -> Instr:
    """Replace ``[hi, lo] = a·b`` by ``lo = a·b`` if ``hi`` is not read, and other operations likewise."""
    alone = OPS[instr.op].only
    if not alone or instr.procedure is not None:
        return instr
    used = [i for i, r in enumerate(instr.results) if _read(r, live)]
    if len(used) != 1 or used[0] not in alone or not has(alone[used[0]], instr.w):
        return instr
    return Instr(alone[used[0]], instr.w, instr.args, (instr.results[used[0]],), instr.k, instr.lanes)


def dead_code(block: Block, has: Callable[[str, int], bool] = lambda op, w: False) -> Block:
    """Return a block without instructions that no output needs, each narrowed to the results that are read.

    Args:
        block: The block.
        has: The function ``has(op, w)`` that returns whether an operation may replace one with more results.
            By default none may, because a lowered block must not contain operations that its target lacks.
    """
    return sweep(block, partial(_narrow, has))


def sweep(block: Block, narrow: Narrow) -> Block:
    """Return a block without the instructions that no output needs.

    Args:
        block: The block, which is processed from its end to its beginning.
        narrow: The function that is applied to each remaining instruction.
    """
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
