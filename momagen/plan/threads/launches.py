"""Launches: passes whose elements stay in the memory of a block, from loading them to storing them.

A block holds a *tile*: all legs of its passes, what makes accesses to memory coalesced, and more elements, of further
columns or transforms, until there is work for all threads. Bits of an element's place in shared memory are such that
neighbouring threads never meet in a bank.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import NamedTuple

from momagen.errors import build_error
from momagen.targets import Memory

from .flow import SlotFlow, SlotPass, Slots
from .stages import BlockStage, StageLayout

NEAR = 4
"""How many of the smallest parts that memory moves neighbouring threads had better use, where that leaves room for two
blocks."""


@dataclass(frozen=True)
class LaunchPlan:
    """One launch.

    Attributes:
        bits: of the index of one transform. tile: slots by bit of the place in shared memory. blocks: slots by bit of
            the number of a block within its transforms. load, store: by slot below ``bits``, the bit of the address.
        threads: of a block. group: threads' lowest bits that must not meet in a bank.
    """

    bits: int
    tile: Slots
    blocks: Slots
    load: Mapping[int, int]
    store: Mapping[int, int]
    stages: Sequence[BlockStage]
    threads: int
    group: int

    @property
    def in_place(self) -> bool:
        """Whether every block writes where it reads."""
        return all(self.load[slot] == self.store[slot] for slot in self.blocks)

    @property
    def members(self) -> int:
        """The bits that number the transforms of one block."""
        return sum(slot >= self.bits for slot in self.tile)

    @property
    def shared(self) -> int:
        """Elements of shared memory, with the padding; 0 where nothing goes through it."""
        through = any("shared" in (stage.source, stage.goal) for stage in self.stages)
        return (self.padded((1 << len(self.tile)) - 1) + 1) * through

    def padded(self, place: int) -> int:
        """Where an element stands: one is left free behind every 2^group, 4^group, …

        It is a sum over the bits of ``place``, and those that differ modulo ``group`` differ in the lowest ``group``.
        """
        found, more = place, place >> self.group
        while more:
            found, more = found + more, more >> self.group
        return found


class Part(NamedTuple):
    """The passes of one launch, by slot the bits of addresses where it loads and stores, and the slots that its blocks
    have for these."""

    passes: Sequence[SlotPass]
    load: Mapping[int, int]
    store: Mapping[int, int]
    tile: set[int]


class Launches:
    """Plans the launches of one flow.

    Attributes:
        size: bytes of an element in memory. shared: memory of a block, which serves a line at once. far: memory, of
            which a line is the least that is moved. threads: of a block, of which registers suffice for ``resident``;
            where memory does not, blocks have more threads. sharing: blocks for which memory has to suffice.
    """

    def __init__(
        self, flow: SlotFlow, size: int, memory: Sequence[Memory], threads: int, resident: int = 1, sharing: int = 1
    ) -> None:
        self.flow, self.size, (self.shared, self.far), self.threads = flow, size, memory, threads
        self.resident, self.sharing = resident, sharing
        self.bits = flow.n.bit_length() - 1
        self.group = (self.shared.line // min(16, size & -size)).bit_length() - 1
        self.sector = max(self.far.line // size, 1).bit_length() - 1

    @cached_property
    def most(self) -> int:
        """Bits of a tile: as large as the memory is for each of ``sharing`` blocks, or as all threads have work for."""
        own = self.room // self.sharing
        return max(own.bit_length() - 1, min(self.room.bit_length() - 1, self.wanted))

    @property
    def room(self) -> int:
        """Elements that the memory holds, with the places that are left free."""
        return self.shared.bytes * 6 // 7 // self.size

    @cached_property
    def wanted(self) -> int:
        """Bits of a tile that has work for all threads."""
        return self.threads.bit_length() - 1 + self.widest

    @cached_property
    def widest(self) -> int:
        """Levels of the pass that has most."""
        return max(each.width for each in self.flow.passes)

    def plans(self) -> list[LaunchPlan]:
        """All of them, the first one first: as few as hold all passes, of these the one whose largest tile is smallest,
        and whose passes are spread most evenly."""
        count = len(self.flow.passes)
        for launches in range(1, count + 1):
            ways = [self._parts([0, *cuts, count]) for cuts in combinations(range(1, count), launches - 1)]
            if able := [parts for parts in ways if all(len(part.tile) <= self.most for part in parts)]:
                return self._buffered([*map(self._plan, min(able, key=self._cost))])
        problem = (
            f"{self.shared.bytes} bytes hold at most 2^{self.most} residues, too few for a pass of {self.widest} levels"
        )
        raise build_error(problem, "shared memory", "use a smaller `radix`")

    def _cost(self, parts: Iterable[Part]) -> tuple[int, int]:
        sizes = [(max(self.wanted, len(part.tile)), sum(each.width for each in part.passes)) for part in parts]
        return max(tile for tile, _ in sizes), max(levels for _, levels in sizes)

    def _parts(self, cuts: Sequence[int]) -> list[Part]:
        """The passes between ``cuts``, each launch storing where the result has its elements as far as it knows."""
        same = {slot: slot for slot in range(self.bits)}
        result, done, load = {slot: bit for bit, slot in enumerate(self.flow.result)}, set[int](), same
        found = list[Part]()
        for first, end in pairwise(cuts):
            passes = self.flow.passes[first:end]
            done |= {slot for each in passes for slot in each.legs}
            store = {slot: result[slot] if slot in done else slot for slot in same}
            store = result if end == cuts[-1] else store if len(set(store.values())) == self.bits else same
            found.append(Part(passes, load, store, self._tile(passes, load, store)))
            load = store
        return found

    def _tile(self, passes: Sequence[SlotPass], load: Mapping[int, int], store: Mapping[int, int]) -> set[int]:
        """The slots of all legs, and of neighbours in memory: as many as fill several sectors, if there is room."""
        legs = {slot for each in passes for slot in each.legs}
        near, most = NEAR * self.far.line // self.size, min(self.most, max(self.wanted, self.most - 1))
        while True:
            low = max(near, 1).bit_length() - 1
            beside = {slot for ends in (load, store) for slot, bit in ends.items() if bit < low}
            if len(legs | beside) <= most or near * self.size <= self.far.line:
                return legs | beside
            near //= 2

    def _buffered(self, plans: Sequence[LaunchPlan]) -> list[LaunchPlan]:
        """The launches with the vectors that they read and write: the last writes y, and one reads what it writes only
        where it works in place."""
        goals = ["y"]
        for plan in reversed(plans[1:]):
            goals.append(goals[-1] if plan.in_place else "ty"[goals[-1] == "t"])
        goals.reverse()
        return [
            replace(plan, stages=[
                stage._replace(
                    source=source if stage.source == "load" else stage.source,
                    goal=goal if stage.goal == "store" else stage.goal,
                ) for stage in plan.stages
            ]) for plan, source, goal in zip(plans, ["x", *goals], goals, strict=False)
        ]  # fmt: skip

    def _plan(self, part: Part) -> LaunchPlan:
        passes, load, store, tile = part
        widest = max(each.width for each in passes)
        wanted = min(self.most, self.threads.bit_length() - 1 + widest)
        tile = set(tile)
        more = [*sorted(set(range(self.bits)) - tile, key=load.__getitem__), *range(self.bits, self.bits + 32)]
        tile |= set(more[: max(0, wanted - len(tile))])
        fit = max(1, self.room >> len(tile))
        most = self.threads * -(-self.resident // fit)
        threads = 1 << min((most - 1).bit_length(), max(len(tile) - widest, 0))
        placed, stages = StageLayout(passes, load, store, self.group, self.sector).arranged(tile)
        blocks = tuple(sorted(set(range(self.bits)) - tile, key=load.__getitem__))
        return LaunchPlan(self.bits, placed, blocks, load, store, stages, threads, self.group)
