"""Launches: groups of steps whose elements stay in the shared memory of a block between one load and one store.

A block holds a *tile*: all butterfly inputs of its steps, the neighbouring elements that make memory
accesses coalesced, and elements of further columns or transforms until there is work for all threads. The
order of the elements in shared memory avoids bank conflicts between neighbouring threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import NamedTuple

from momagen.errors import build_error
from momagen.plan.schedule.launches import LaunchPlan
from momagen.plan.schedule.types import Step, ThreadLaunch
from momagen.targets import Memory

from .flow import SlotFlow
from .stages import StageLayout

NEAR = 4
"""The number of sectors that neighbouring threads should access if the memory then still holds two blocks. A
sector is the smallest part that memory transfers."""


class Part(NamedTuple):
    """The steps of one launch, before their layout is determined.

    Attributes:
        steps: The steps.
        load: The address bit of each slot when elements are loaded.
        store: The address bit of each slot when elements are stored.
        tile: The slots that the elements of one block must have.
    """

    steps: Sequence[Step]
    load: Mapping[int, int]
    store: Mapping[int, int]
    tile: set[int]


class Launches:
    """A planner of the launches of one data flow.

    Attributes:
        flow: The steps.
        size: The size of an element in memory in bytes.
        shared: The memory of a block, which serves one line at once.
        far: The memory of the vectors, of which a line is the smallest part that is transferred.
        threads: The number of threads of a block for which registers suffice if ``resident`` blocks share a
            processor. If memory does not suffice for these blocks, blocks have more threads.
        resident: The number of blocks that should share a processor.
        sharing: The number of blocks for which shared memory must suffice.
        bits: The number of index bits of one transform.
        group: The binary logarithm of the number of threads that shared memory serves at once.
        sector: The binary logarithm of the number of elements in a line of ``far``.
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
        """The largest number of index bits of a tile.

        The memory must hold the tiles of ``sharing`` blocks, unless a larger tile is needed to have work for
        all threads.
        """
        own = self.room // self.sharing
        return max(own.bit_length() - 1, min(self.room.bit_length() - 1, self.wanted))

    @property
    def room(self) -> int:
        """The number of elements that shared memory holds, without the padding."""
        return self.shared.bytes * 6 // 7 // self.size

    @cached_property
    def wanted(self) -> int:
        """The number of index bits of a tile that has work for all threads."""
        return self.threads.bit_length() - 1 + self.widest

    @cached_property
    def widest(self) -> int:
        """The largest number of levels of a step."""
        return max(len(each.operands) for each in self.flow.steps)

    def plans(self) -> list[LaunchPlan]:
        """Return the plans of all launches, the first one first.

        There are as few launches as possible. Among the ways to distribute the steps, the one with the
        smallest largest tile is chosen, and then the one with the most equal numbers of levels.

        Raises:
            MomagenError: The elements of a single step do not fit the shared memory.
        """
        count = len(self.flow.steps)
        for launches in range(1, count + 1):
            ways = [self._parts([0, *cuts, count]) for cuts in combinations(range(1, count), launches - 1)]
            if able := [parts for parts in ways if all(len(part.tile) <= self.most for part in parts)]:
                return self._buffered([*map(self._plan, min(able, key=self._cost))])
        problem = (
            f"{self.shared.bytes} bytes hold at most 2^{self.most} residues, too few for a step of {self.widest} levels"
        )
        raise build_error(problem, "shared memory", "use a smaller `radix`")

    def _cost(self, parts: Iterable[Part]) -> tuple[int, int]:
        """Return the sort key of a distribution of steps.

        It consists of the largest tile and of the largest number of levels of a launch.
        """
        sizes = [(max(self.wanted, len(part.tile)), sum(len(each.operands) for each in part.steps)) for part in parts]
        return max(tile for tile, _ in sizes), max(levels for _, levels in sizes)

    def _parts(self, cuts: Sequence[int]) -> list[Part]:
        """Return the steps of each launch with the addresses that it loads and stores.

        Each launch stores elements at their final addresses, as far as they are determined by then.

        Args:
            cuts: The index of the first step of each launch, and the number of steps.
        """
        same = {slot: slot for slot in range(self.bits)}
        result, done, load = {slot: bit for bit, slot in enumerate(self.flow.result)}, set[int](), same
        found = list[Part]()
        for first, end in pairwise(cuts):
            steps = self.flow.steps[first:end]
            done |= {slot for each in steps for slot in each.operands}
            store = {slot: result[slot] if slot in done else slot for slot in same}
            store = result if end == cuts[-1] else store if len(set(store.values())) == self.bits else same
            found.append(Part(steps, load, store, self._tile(steps, load, store)))
            load = store
        return found

    def _tile(self, steps: Sequence[Step], load: Mapping[int, int], store: Mapping[int, int]) -> set[int]:
        """Return the slots of all butterfly inputs of some steps, and of their neighbours in memory.

        The neighbours fill several sectors if the memory is large enough, and one sector otherwise.
        """
        legs = {slot for each in steps for slot in each.operands}
        near, most = NEAR * self.far.line // self.size, min(self.most, max(self.wanted, self.most - 1))
        while True:
            low = max(near, 1).bit_length() - 1
            beside = {slot for ends in (load, store) for slot, bit in ends.items() if bit < low}
            if len(legs | beside) <= most or near * self.size <= self.far.line:
                return legs | beside
            near //= 2

    def _buffered(self, plans: Sequence[LaunchPlan]) -> list[LaunchPlan]:
        """Return the launches with the vectors that they load and store.

        The last launch stores y. A launch stores to the vector from which it loads only if it works in place.
        """
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
        """Return the plan of one launch, whose tile has enough elements for all threads."""
        steps, load, store, tile = part
        widest = max(len(each.operands) for each in steps)
        wanted = min(self.most, self.threads.bit_length() - 1 + widest)
        tile = set(tile)
        more = [*sorted(set(range(self.bits)) - tile, key=load.__getitem__), *range(self.bits, self.bits + 32)]
        tile |= set(more[: max(0, wanted - len(tile))])
        fit = max(1, self.room >> len(tile))
        most = self.threads * -(-self.resident // fit)
        threads = 1 << min((most - 1).bit_length(), max(len(tile) - widest, 0))
        placed, stages = StageLayout(steps, load, store, self.group, self.sector).arranged(tile)
        blocks = tuple(sorted(set(range(self.bits)) - tile, key=load.__getitem__))
        nest = ThreadLaunch(len(stages), blocks, threads, self.group, 1, 0)
        return LaunchPlan(nest, self.bits, placed, load, store, stages)
