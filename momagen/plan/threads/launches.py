"""Launches: passes whose elements stay in the memory of a block, from loading them to storing them.

A block holds a *tile*: all legs of its passes, what makes accesses to memory coalesced, and more elements, of further
columns or transforms, until there is work for all threads. Bits of an element's place in shared memory are such that
neighbouring threads never meet in a bank.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise

from momagen.errors import MomagenError
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


def split(widths: Sequence[int], most: int) -> list[int]:
    """How many passes each launch has: as few launches as hold ``most`` levels each, as even as that goes."""
    for count in range(1, len(widths) + 1):
        found = None
        for cuts in combinations(range(1, len(widths)), count - 1):
            parts = [sum(widths[a:b]) for a, b in pairwise([0, *cuts, len(widths)])]
            if max(parts) <= most and (found is None or max(parts) < found[0]):
                found = max(parts), [b - a for a, b in pairwise([0, *cuts, len(widths)])]
        if found:
            return found[1]
    raise MomagenError(f"passes of at most {most} levels", max(widths), "shared memory")


class Launches:
    """Plans the launches of one flow.

    Attributes:
        size: bytes of an element in memory. shared: memory of a block, which serves a line at once. far: memory, of
            which a line is the least that is moved. threads: of a block, at most.
    """

    def __init__(self, flow: SlotFlow, size: int, memory: Sequence[Memory], threads: int) -> None:
        self.flow, self.size, (self.shared, self.far), self.threads = flow, size, memory, threads
        self.bits = flow.n.bit_length() - 1
        self.group = (self.shared.line // min(16, size & -size)).bit_length() - 1
        self.sector = max(self.far.line // size, 1).bit_length() - 1

    @cached_property
    def most(self) -> int:
        """Bits of a tile."""
        return (self.shared.bytes * 6 // 7 // self.size).bit_length() - 1

    def plans(self) -> list[LaunchPlan]:
        """All of them, the first one first."""
        beside = max(0, (self.far.line // self.size).bit_length() - 1)
        most = self.most if self.bits <= self.most else self.most - beside
        counts = split([each.width for each in self.flow.passes], most)
        same = {slot: slot for slot in range(self.bits)}
        result, done, at, load = {slot: bit for bit, slot in enumerate(self.flow.result)}, set[int](), 0, same
        ends, parts = list[tuple[Mapping[int, int], Mapping[int, int]]](), list[Sequence[SlotPass]]()
        for count in counts:
            parts.append(self.flow.passes[at : at + count])
            at += count
            done |= {slot for each in parts[-1] for slot in each.legs}
            store = {slot: result[slot] if slot in done else slot for slot in same}
            store = store if len(set(store.values())) == self.bits else same
            ends.append((load, store))
            load = store
        ends[-1] = ends[-1][0], result
        return self._buffered([self._plan(part, *pair) for part, pair in zip(parts, ends, strict=True)])

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

    def _plan(
        self, passes: Sequence[SlotPass], load: Mapping[int, int], store: Mapping[int, int]
    ) -> LaunchPlan:
        legs = {slot for each in passes for slot in each.legs}
        near = NEAR * self.far.line // self.size
        widest = max(each.width for each in passes)
        wanted = min(self.most, self.threads.bit_length() - 1 + widest)
        while True:
            low = max(near, 1).bit_length() - 1
            beside = {slot for ends in (load, store) for slot, bit in ends.items() if bit < low}
            if len(legs | beside) <= max(wanted, self.most - 1) or near * self.size <= self.far.line:
                break
            near //= 2
        tile = legs | beside
        more = [*sorted(set(range(self.bits)) - tile, key=load.__getitem__), *range(self.bits, self.bits + 32)]
        tile |= set(more[: max(0, wanted - len(tile))])
        threads = 1 << min(self.threads.bit_length() - 1, max(len(tile) - widest, 0))
        placed, stages = StageLayout(passes, load, store, self.group, self.sector).arranged(tile)
        blocks = tuple(sorted(set(range(self.bits)) - tile, key=load.__getitem__))
        return LaunchPlan(self.bits, placed, blocks, load, store, stages, threads, self.group)
