"""The stages of a launch, and where elements stand in shared memory meanwhile: such that neighbouring threads reach
neighbours in the vectors, as many as fill a sector, and never meet in a bank."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

from .flow import SlotPass, Slots


class BlockStage(NamedTuple):
    """What is done between two barriers: each number of work is a butterfly, or an element, that one thread takes.

    Attributes:
        legs: slots of the butterfly's elements, leg bit 0 first.
        work: the slots of the bits of that number, the lowest first, of which the lowest are the thread's.
        pass_: what is computed; None for a stage that only moves elements. source, goal: "shared", or a vector.
    """

    legs: Slots
    work: Slots
    pass_: SlotPass | None
    source: str
    goal: str


@dataclass(frozen=True)
class StageLayout:
    """Lays out one launch.

    Attributes:
        load, store: by slot, the bit of the address; transforms of a batch stand behind one another, so that the slots
            of their number are these bits.
        group: bits of places in which threads that shared memory serves at once must differ. sector: bits of an
            address within the least that memory moves.
    """

    passes: Sequence[SlotPass]
    load: Mapping[int, int]
    store: Mapping[int, int]
    group: int
    sector: int

    def arranged(self, tile: set[int]) -> tuple[Slots, list[BlockStage]]:
        """The slots of a tile by bit of their place, and the stages on it: neighbours of loads, then of stores where
        these are others, in an order in which neighbouring threads meet in no bank, if there is one."""
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
        """Whether the threads that shared memory serves at once find their elements in different banks."""
        lanes = stage.work[: self.group]
        return len({tile.index(slot) % self.group for slot in lanes}) == len(lanes)

    def _stages(self, tile: Slots) -> Iterator[BlockStage]:
        load, store, passes = self.load, self.store, self.passes
        first, last, place = passes[0], passes[-1], {slot: at for at, slot in enumerate(tile)}
        loads, stores = self._coalesced(first, load), self._coalesced(last, store)
        if not loads:
            yield BlockStage((), self._work(tile, tile, load, self.sector), None, "load", "shared")
        for each in passes:
            source = "load" if each is first and loads else "shared"
            goal = "store" if each is last and stores else "shared"
            ends = load if source == "load" else store if goal == "store" else place
            rest = [slot for slot in tile if slot not in each.legs]
            work = self._work(rest, tile, ends, 0 if ends is place else self.sector)
            yield BlockStage(each.legs, work, each.numbered(work), source, goal)
        if not stores:
            yield BlockStage((), self._work(tile, tile, store, self.sector), None, "shared", "store")

    def _coalesced(self, each: SlotPass, ends: Mapping[int, int]) -> bool:
        """Whether neighbouring threads of a pass are neighbours in memory: as many as fill a sector."""
        return all(ends.get(slot, slot) >= self.sector for slot in each.legs)

    def _by_address(self, slots: Iterable[int], ends: Mapping[int, int]) -> Slots:
        return tuple(sorted(slots, key=lambda slot: ends.get(slot, slot)))

    def _work(self, slots: Sequence[int], tile: Slots, ends: Mapping[int, int], near: int) -> Slots:
        """``slots`` by address, of which the lowest ``near`` stay; then come some that meet in no bank."""
        left = [*self._by_address(slots, ends)]
        found, left = left[:near], left[near:]
        taken = {tile.index(slot) % self.group for slot in found} if self.group else set()
        for slot in [*left]:
            if len(found) < self.group and tile.index(slot) % self.group not in taken:
                taken.add(tile.index(slot) % self.group)
                found.append(slot)
                left.remove(slot)
        return (*found, *left)
