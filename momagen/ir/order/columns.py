"""The order of sums of products in doubles: so many columns at a time as fit the registers, all rows of each group.

A column is a chain of multiply-adds that round, each of which takes the one before it as its first argument.
"""

from __future__ import annotations

from collections import Counter

from momagen.ir.block import Block, Instr


def by_columns(block: Block, size: int) -> Block:
    """``block`` with sums of ``size`` columns at a time; what needs columns of two groups goes with the later one."""
    columns, groups = _columns(block), dict[int, int]()
    for instr in block.instrs:
        own = columns.get(id(instr.results[0]), 0) // size
        groups.update((id(r), max([own, *(groups.get(id(a), 0) for a in instr.args)])) for r in instr.results)
    return Block(block.inputs, sorted(block.instrs, key=lambda i: groups[id(i.results[0])]), block.outputs)


def count_columns(block: Block) -> int:
    """How many columns there are."""
    return max(_columns(block).values(), default=-1) + 1


def _columns(block: Block) -> dict[int, int]:
    """The column of every link of a chain of two or more, in the order in which chains that round alike begin."""
    chains: dict[int, list[Instr]] = {}
    for instr in (i for i in block.instrs if i.op == "fmanear"):
        chains[id(instr.results[0])] = chain = chains.get(id(instr.args[0]), [])
        chain.append(instr)
    found, begun = dict[int, int](), Counter[int]()
    for chain in {id(chain): chain for chain in chains.values() if len(chain) > 1}.values():
        found.update((id(r), begun[chain[0].k]) for link in chain for r in link.results)
        begun[chain[0].k] += 1
    return found
