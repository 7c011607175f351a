"""The launches of a schedule for threads, and the construction of a schedule from launches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from momagen.kernels.flow.index_bits import inverted
from momagen.kernels.flow.layouts import USER
from momagen.kernels.residues.arith import FULL_LIMBS, Arith

from .passes import step_codelet
from .types import OPERAND, SHARED, Bits, Breakdown, Edge, Move, Schedule, Step, ThreadLaunch


class BlockStage(NamedTuple):
    """The work between two barriers: butterflies or elements, each of which one thread processes.

    Attributes:
        legs: The index bits of the butterfly inputs, bit 0 of their number first, or () for single elements.
        work: The index bits of the bits of a work item's number, the lowest first; the lowest bits are those of
            the thread's number.
        step: The step that is computed, or None for a stage that only moves elements.
        source: The memory from which elements are loaded: "shared", or the name of a vector.
        goal: The memory to which elements are stored: "shared", or the name of a vector.
    """

    legs: Bits
    work: Bits
    step: Step | None
    source: str
    goal: str


@dataclass(frozen=True)
class LaunchPlan:
    """One launch: the steps that the blocks of threads compute on elements that they hold in shared memory.

    Attributes:
        nest: The blocks of threads.
        bits: The number of index bits of one transform. Higher index bits number the transforms of a batch.
        tile: The index bit of each bit of an element's address in shared memory.
        load: The address bit of each index bit below ``bits`` when elements are loaded.
        store: The address bit of each index bit below ``bits`` when elements are stored.
        stages: The stages in the order of execution.
    """

    nest: ThreadLaunch
    bits: int
    tile: Bits
    load: Mapping[int, int]
    store: Mapping[int, int]
    stages: Sequence[BlockStage]

    @property
    def in_place(self) -> bool:
        """Whether every block stores to the addresses from which it loads."""
        return all(self.load[bit] == self.store[bit] for bit in self.nest.blocks)

    @property
    def members(self) -> int:
        """The number of bits that number the transforms of one block."""
        return sum(bit >= self.bits for bit in self.tile)

    @property
    def shared(self) -> int:
        """The number of elements of shared memory including the padding, or 0 if no stage uses it."""
        through = any("shared" in (stage.source, stage.goal) for stage in self.stages)
        return (self.padded((1 << len(self.tile)) - 1) + 1) * through

    def padded(self, place: int) -> int:
        """Return the offset of an element in shared memory, with its padding.

        It is a sum over the bits of ``place``, in which bit p contributes bit p mod ``padding`` to the bank.
        """
        found, more = place, place >> self.nest.padding
        while more:
            found, more = found + more, more >> self.nest.padding
        return found


def launches_of(schedule: Schedule) -> list[LaunchPlan]:
    """Return the launches of a schedule for threads, in the order of execution."""
    found, first = list[LaunchPlan](), 0
    for nest in launch_nests(schedule):
        steps, edges = schedule.steps[first : first + nest.steps], schedule.edges[first : first + nest.steps + 1]
        bits, first = len(edges[0].order), first + nest.steps
        shared = [edge.order for edge in edges if edge.memory == SHARED]
        held = sorted(bit for step in steps[:1] for bit in (*_operands(step), *step.loops))
        load, store = (dict(enumerate(edge.addresses)) for edge in (edges[0], edges[-1]))
        tile = shared[0] if shared else tuple(held)
        found.append(LaunchPlan(nest, bits, tile, load, store, [*_stages(steps, edges)]))
    return found


def launch_nests(schedule: Schedule) -> list[ThreadLaunch]:
    """Return the nests of a schedule for threads, which are launches."""
    return [nest for nest in schedule.nests if isinstance(nest, ThreadLaunch)]


def _operands(step: Step | Move) -> Bits:
    """Return the index bits of the operands of a step, which are () if it only moves elements."""
    return step.operands if isinstance(step, Step) else ()


def _stages(steps: Sequence[Step | Move], edges: Sequence[Edge]) -> Iterator[BlockStage]:
    """Yield the stages of one launch."""
    for step, source, goal in zip(steps, edges, edges[1:], strict=False):
        done = step if isinstance(step, Step) else None
        yield BlockStage(_operands(step), step.loops, done, source.memory, goal.memory)


def scheduled(breakdown: Breakdown, launches: Sequence[LaunchPlan], arith: Arith, below: int) -> Schedule:
    """Return the schedule of launches.

    Args:
        breakdown: The transform and its breakdown.
        launches: The launches in the order of execution.
        arith: The representation of residues.
        below: The operands are below ``below``·q.
    """
    edges = [Edge(OPERAND, USER, _order(launches[0].load), 0, below)]
    for launch in launches:
        for stage in launch.stages:
            below = step_codelet(stage.step, arith).out[1] if stage.step else below
            order = launch.tile if stage.goal == SHARED else _order(launch.store)
            edges.append(Edge(stage.goal, USER, order, 0, below))
    stages = [stage for launch in launches for stage in launch.stages]
    steps = [replace(stage.step, loops=stage.work) if stage.step else Move(stage.work) for stage in stages]
    nests = tuple(each.nest if each.shared else replace(each.nest, padding=1) for each in launches)
    return Schedule(breakdown, FULL_LIMBS, nests, tuple(steps), tuple(edges))


def _order(addresses: Mapping[int, int]) -> Bits:
    """Return the index bit at each address bit."""
    return inverted(tuple(addresses[bit] for bit in range(len(addresses))))
