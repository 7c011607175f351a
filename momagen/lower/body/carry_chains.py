"""Carry chains: additions or subtractions that pass on their carry, which one statement prints.

Selections by the same flag are gathered, too, so that the flag is tested once. A chain or a correction is
printed in the place of its last instruction. It is gathered only if none of its instructions depends on an
earlier one through instructions outside.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from momagen.ir import Block, Instr
from momagen.ir.order.dependences import Readers, waits

from .corrections import MultiWord, correction

STARTS = {"add": ("addc", "addclo"), "sub": ("subb", "subblo")}
Node = Instr | MultiWord


def gather(block: Block, longest: int) -> list[Node]:
    """Return the instructions of ``block`` in a valid order, with carry chains and corrections gathered.

    Args:
        block: The block.
        longest: The largest number of instructions in a chain.
    """
    graph, readers = _Graph(block), Readers(block)
    chains = [_chain(instr, readers, longest) for instr in block.instrs if instr.op in STARTS]
    for chain in chains:
        if found := correction(chain, readers):
            graph.contract(found)
    for chain in [*chains, *graph.choices(longest)]:
        graph.gather(chain)
    return graph.order()


def _chain(start: Instr, readers: Readers, longest: int) -> list[Instr]:
    """Return the chain that begins with ``start``; each link is the only reader of the previous carry."""
    chain = [start]
    while len(chain) < longest and len(chain[-1].results) == 2:
        carry = chain[-1].results[0]
        follower = readers.alone(carry)
        if follower is None or follower.op not in STARTS[start.op] or follower.args[2] is not carry:
            break
        chain.append(follower)
    return chain


def _together(links: tuple[Instr, ...]) -> MultiWord:
    """Return one statement for the links of a chain, or for selections by one flag."""
    first, last = links[0], links[-1].results
    flag, start = (first.args[0], 1) if first.op == "select" else (None, 0)
    words = tuple(link.args[start : start + 2] for link in links)
    results = tuple(link.results[-1] for link in links)
    return MultiWord(first.op, words, results, flag, last[0] if len(last) == 2 else None, links)


class _Graph:
    """The dependence graph of a block.

    A node is an instruction or a statement for several instructions. It has the index of its last
    instruction.
    """

    def __init__(self, block: Block) -> None:
        self.instrs = block.instrs
        self.needs, self.feeds = waits(block)
        self.places = {id(instr): at for at, instr in enumerate(block.instrs)}
        self.home = list(range(len(block.instrs)))
        self.members: dict[int, list[int]] = {}
        self.nodes: dict[int, Node] = dict(enumerate(block.instrs))

    def choices(self, longest: int) -> list[list[Instr]]:
        """Return the selections that no statement covers yet, grouped by flag, up to ``longest`` in a group."""
        by_flag: dict[int, list[Instr]] = defaultdict(list)
        for instr in self.instrs:
            if instr.op == "select" and self._free(instr):
                by_flag[id(instr.args[0])].append(instr)
        return [found[at : at + longest] for found in by_flag.values() for at in range(0, len(found), longest)]

    def gather(self, chain: Sequence[Instr]) -> None:
        """Contract ``chain``, shortened until no path outside the chain leads from one link to a later one."""
        links = tuple(filter(self._free, chain))
        while len(links) > 1 and not self.contract(_together(links)):
            links = links[:-1]

    def contract(self, node: MultiWord) -> bool:
        """Replace the instructions that ``node`` covers by this node, and return whether that is possible.

        It is not possible if a path outside the node leads from one of its instructions to another.
        """
        places = sorted(self.places[id(instr)] for instr in node.covers)
        if self._entangled(places):
            return False
        self.members[places[-1]], self.nodes[places[-1]] = places, node
        for place in places:
            self.home[place] = places[-1]
        return True

    def _free(self, instr: Instr) -> bool:
        place = self.places[id(instr)]
        return self.home[place] == place and place not in self.members

    def _entangled(self, places: list[int]) -> bool:
        inside, last = set(places), places[-1]
        seen: set[int] = set()
        front = [n for place in places for n in self.feeds[place] if n not in inside]
        while front:
            home = self.home[front.pop()]
            if home in seen:
                continue
            seen.add(home)
            for member in self.members.get(home, [home]):
                if not inside.isdisjoint(self.feeds[member]):
                    return True
                front += [n for n in self.feeds[member] if n <= last or self.home[n] != n]
        return False

    def order(self) -> list[Node]:
        """Return a topological order of the contracted graph that is close to the original order."""
        done: dict[int, Node] = {}
        stack = [(place, False) for place in reversed(range(len(self.home))) if self.home[place] == place]
        while stack:
            home, ready = stack.pop()
            if home in done:
                continue
            if ready:
                done[home] = self.nodes[home]
                continue
            stack.append((home, True))
            places = self.members.get(home, [home])
            sources = {self.home[source] for place in places for source in self.needs[place]}
            waiting = [source for source in sources if source != home and source not in done]
            stack += [(source, False) for source in sorted(waiting, reverse=True)]
        return list(done.values())
