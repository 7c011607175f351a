"""The stages of a launch, and the order of elements in shared memory.

The order makes neighbouring threads access neighbouring elements of the vectors, enough to fill a sector, and
avoids bank conflicts in shared memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from momagen.plan.schedule.launches import BlockStage
from momagen.plan.schedule.types import Step

from .flow import Slots, numbered


@dataclass(frozen=True)
class StageLayout:
    """The layout of one launch.

    Attributes:
        steps: The steps of the launch.
        load: The address bit of each slot when elements are loaded. The transforms of a batch follow one
            another, so the slots of their number are equal to the address bits.
        store: The address bit of each slot when elements are stored.
        group: The binary logarithm of the number of threads that shared memory serves at once, which must
            access different banks.
        sector: The binary logarithm of the number of elements in the smallest part that memory transfers.
    """

    steps: Sequence[Step]
    load: Mapping[int, int]
    store: Mapping[int, int]
    group: int
    sector: int

    def arranged(self, tile: set[int]) -> tuple[Slots, list[BlockStage]]:
        """Return the order of a tile's elements in shared memory, and the stages.

        The lowest bits are neighbours of loads, followed by neighbours of stores. Among the orders of the
        next bits, it is the first one without bank conflicts, or the first one if all have conflicts.

        Args:
            tile: The slots of the elements of a tile.

        Returns:
            The slot of each bit of an element's index in shared memory, and the stages.
        """
        by_load, by_store = (self._by_address(tile, ends) for ends in (self.load, self.store))
        first = by_load[: self.group]
        goals = [slot for slot in by_store[: self.group] if slot not in first]
        rest = [*goals, *(slot for slot in by_load if slot not in (*first, *goals))]
        found = []
        for some in permutations(rest[: self.group]):
            placed = (*first, *some, *rest[self.group :])
            found.append((placed, [*self._stages(placed)]))
            if all(self._meet_nowhere(placed, stage) for stage in found[-1][1]):
                return found[-1]
        return found[0]

    def _meet_nowhere(self, tile: Slots, stage: BlockStage) -> bool:
        """Return whether the threads that shared memory serves at once access different banks."""
        lanes = stage.work[: self.group]
        return len({tile.index(slot) % self.group for slot in lanes}) == len(lanes)

    def _stages(self, tile: Slots) -> Iterator[BlockStage]:
        """Yield the stages for an order of the elements in shared memory.

        If the first or the last step cannot access memory in whole sectors, a separate stage moves the
        elements.
        """
        load, store, steps = self.load, self.store, self.steps
        first, last, place = steps[0], steps[-1], {slot: at for at, slot in enumerate(tile)}
        loads, stores = self._coalesced(first, load), self._coalesced(last, store)
        if not loads:
            yield BlockStage((), self._work(tile, tile, load, self.sector), None, "load", "shared")
        for each in steps:
            source = "load" if each is first and loads else "shared"
            goal = "store" if each is last and stores else "shared"
            ends = load if source == "load" else store if goal == "store" else place
            rest = [slot for slot in tile if slot not in each.operands]
            work = self._work(rest, tile, ends, 0 if ends is place else self.sector)
            yield BlockStage(each.operands, work, numbered(each, work), source, goal)
        if not stores:
            yield BlockStage((), self._work(tile, tile, store, self.sector), None, "shared", "store")

    def _coalesced(self, each: Step, ends: Mapping[int, int]) -> bool:
        """Return whether neighbouring threads of a step access neighbouring elements, enough to fill a sector."""
        return all(ends.get(slot, slot) >= self.sector for slot in each.operands)

    def _by_address(self, slots: Iterable[int], ends: Mapping[int, int]) -> Slots:
        """Return slots in the order of their address bits."""
        return tuple(sorted(slots, key=lambda slot: ends.get(slot, slot)))

    def _work(self, slots: Sequence[int], tile: Slots, ends: Mapping[int, int], near: int) -> Slots:
        """Return slots in the order in which they number the work items.

        The lowest ones by address are first, followed by slots that avoid bank conflicts, and the other ones.

        Args:
            slots: The slots.
            tile: The slot of each bit of an element's index in shared memory.
            ends: The address bit of each slot.
            near: The number of lowest slots whose order must follow their addresses.
        """
        left = [*self._by_address(slots, ends)]
        found, left = left[:near], left[near:]
        taken = {tile.index(slot) % self.group for slot in found} if self.group else set()
        for slot in [*left]:
            if len(found) < self.group and tile.index(slot) % self.group not in taken:
                taken.add(tile.index(slot) % self.group)
                found.append(slot)
                left.remove(slot)
        return (*found, *left)
