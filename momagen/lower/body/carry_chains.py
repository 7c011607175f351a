"""Carry chains: additions (or subtractions) that hand a carry straight on, gathered so that one statement prints them;
so are choices by one flag, which is then tested once.

A chain may be printed where its last link stood, and so may a correction. They are gathered only where no link needs,
on another way, what an earlier link of the same chain gives.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from momagen.ir import Block, Instr

from .corrections import Correction, Readers, correction

STARTS = {"add": ("addc", "addclo"), "sub": ("subb", "subblo")}


@dataclass(frozen=True, eq=False)
class CarryChain:
    """``op`` over several words: "add" or "sub", low word first; "select", by one flag."""

    op: str
    links: tuple[Instr, ...]


Node = Instr | CarryChain | Correction


def gather(block: Block, longest: int) -> list[Node]:
    """The instructions of ``block`` with chains of up to ``longest`` links and corrections gathered, in an order that
    respects uses."""
    graph, readers = _Graph(block), Readers(block)
    chains = [graph.chain_from(instr, longest) for instr in block.instrs if instr.op in STARTS]
    for chain in chains:
        if found := correction([block.instrs[place] for place in chain], readers):
            graph.correct(found)
    for chain in [*chains, *graph.choices(longest)]:
        graph.gather(chain)
    return graph.order()


class _Graph:
    """Who feeds whom, with chains contracted to one node each."""

    def __init__(self, block: Block) -> None:
        self.instrs = block.instrs
        self.places = {id(i): at for at, i in enumerate(block.instrs)}
        self.uses: Counter[int] = Counter(id(a) for i in block.instrs for a in i.args)
        self.uses.update(id(v) for v in block.outputs.values())
        makers = {id(r): at for at, i in enumerate(block.instrs) for r in i.results}
        self.needs = [{makers[id(a)] for a in i.args if id(a) in makers} for i in block.instrs]
        self.carries = {id(i.args[2]): at for at, i in enumerate(block.instrs) if len(i.args) == 3 and i.op != "select"}
        self.feeds: dict[int, set[int]] = defaultdict(set)
        for at, sources in enumerate(self.needs):
            for source in sources:
                self.feeds[source].add(at)
        self.home = list(range(len(block.instrs)))
        self.members: dict[int, list[int]] = {}
        self.corrections: dict[int, Correction] = {}

    def correct(self, found: Correction) -> None:
        """Contract ``found``, where nothing outside leads from one of its instructions to a later one."""
        places = sorted(self.places[id(instr)] for instr in found.covers)
        if self._contract(places):
            self.corrections[places[-1]] = found

    def chain_from(self, start: Instr, longest: int) -> list[int]:
        """The places of ``start`` and of the links that take its carry on."""
        chain: list[int] = []
        link = start
        while True:
            chain.append(self.places[id(link)])
            carry = link.results[0]
            follower = self.carries.get(id(carry))
            alone = len(link.results) == 2 and self.uses[id(carry)] == 1 and follower is not None
            if not alone or len(chain) == longest or self.instrs[follower or 0].op not in STARTS[start.op]:
                return chain
            assert follower is not None
            link = self.instrs[follower]

    def choices(self, longest: int) -> list[list[int]]:
        """The places of choices by the same flag that are in no correction, up to ``longest`` at a time."""
        by_flag: dict[int, list[int]] = defaultdict(list)
        for place, instr in enumerate(self.instrs):
            if instr.op == "select" and self.home[place] == place and place not in self.corrections:
                by_flag[id(instr.args[0])].append(place)
        return [found[at : at + longest] for found in by_flag.values() for at in range(0, len(found), longest)]

    def gather(self, chain: list[int]) -> None:
        """Contract ``chain``, shortened until nothing outside leads from one link to a later one."""
        chain = [place for place in chain if self.home[place] == place]
        while len(chain) > 1 and not self._contract(chain):
            chain = chain[:-1]

    def _contract(self, places: list[int]) -> bool:
        """Make one node of ``places``, the last its home, unless something outside leads from one to another."""
        if self._entangled(places):
            return False
        self.members[places[-1]] = places
        for place in places:
            self.home[place] = places[-1]
        return True

    def _entangled(self, chain: list[int]) -> bool:
        inside, last = set(chain), chain[-1]
        seen: set[int] = set()
        front = [n for place in chain for n in self.feeds[place] if n not in inside]
        while front:
            place = front.pop()
            for member in self.members.get(self.home[place], [place]):
                if member in seen:
                    continue
                seen.add(member)
                if member in inside:
                    return True
                front += [n for n in self.feeds[member] if n <= last or self.home[n] != n]
                if any(n in inside for n in self.feeds[member]):
                    return True
        return False

    def order(self) -> list[Node]:
        """A topological order of the contracted graph, as near to the old order as can be."""
        result: list[Node] = []
        done: set[int] = set()
        for place in range(len(self.instrs)):
            if self.home[place] == place:
                self._visit(place, done, result)
        return result

    def _visit(self, place: int, done: set[int], result: list[Node]) -> None:
        stack = [(self.home[place], False)]
        while stack:
            node, ready = stack.pop()
            if node in done:
                continue
            chain = self.members.get(node, [node])
            if ready:
                done.add(node)
                result.append(self._node(node, chain))
                continue
            stack.append((node, True))
            sources = sorted({self.home[s] for p in chain for s in self.needs[p]} - {node} - done, reverse=True)
            stack += [(s, False) for s in sources]

    def _node(self, home: int, places: list[int]) -> Node:
        links = tuple(self.instrs[place] for place in places)
        if home in self.corrections:
            return self.corrections[home]
        return CarryChain(links[0].op, links) if len(links) > 1 else links[0]
