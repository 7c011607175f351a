"""The order of sums of products in doubles: group after group of as many columns as fit the registers.

A column is a chain of multiply-adds that round; the first argument of each is the result of the one before
it.
"""

from __future__ import annotations

from collections import Counter

from momagen.ir.block import Block, Instr


def by_columns(block: Block, size: int) -> Block:
    """Return a block that computes ``size`` columns at a time.

    An instruction that depends on columns of several groups is placed into the last of these groups.
    """
    columns, groups = _columns(block), dict[int, int]()
    for instr in block.instrs:
        own = columns.get(id(instr.results[0]), 0) // size
        groups.update((id(r), max([own, *(groups.get(id(a), 0) for a in instr.args)])) for r in instr.results)
    return Block(block.inputs, sorted(block.instrs, key=lambda i: groups[id(i.results[0])]), block.outputs)


def count_columns(block: Block) -> int:
    """Return the number of columns of a block."""
    return max(_columns(block).values(), default=-1) + 1


def _columns(block: Block) -> dict[int, int]:
    """Return the column numbers of the links of all chains with at least two links, by the id of the result.

    Chains that round to the same multiple are numbered in the order in which they begin.
    """
    chains: dict[int, list[Instr]] = {}
    for instr in (i for i in block.instrs if i.op == "fmanear"):
        chains[id(instr.results[0])] = chain = chains.get(id(instr.args[0]), [])
        chain.append(instr)
    found, begun = dict[int, int](), Counter[int]()
    for chain in {id(chain): chain for chain in chains.values() if len(chain) > 1}.values():
        found.update((id(r), begun[chain[0].k]) for link in chain for r in link.results)
        begun[chain[0].k] += 1
    return found
