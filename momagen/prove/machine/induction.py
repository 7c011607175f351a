"""Loops of machine code, which are proven by induction.

A loop is a part of a function that ends with a conditional jump back to its beginning. If its condition is not known
after the first iteration, one iteration at an unknown position is proven, which represents all iterations, as for a
loop of the C source. The *counter* of such a loop is computed from the difference of the operands that the condition
compares. It increases in each iteration, and the loop ends when it is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import gcd
from typing import TYPE_CHECKING, Any

from momagen.prove.c.loops import run_generic
from momagen.prove.c.memory import Block, Number, Pointer
from momagen.prove.checker import ProofError
from momagen.prove.machine.contents import HERE, MachineWord, held_by
from momagen.prove.machine.cpu import StatusFlags
from momagen.prove.machine.divisions import quotient_of
from momagen.prove.machine.flow import CONTROL, ENDLESS, Flow, jump_of
from momagen.prove.polynomial import plus, scaled
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.machine.instructions.decode import Instruction
    from momagen.prove.polynomial import Polynomial

MANY = 8
"""The number of iterations from which on a loop is proven by induction although it is known."""
LONGEST = 1 << 60
"""No loop over an array has more iterations, because addresses have 64 bits."""


@dataclass(frozen=True)
class Iteration:
    """An iteration of a loop, from its first instruction to the jump back, and the operands of its condition.

    Attributes:
        head: The address of the first instruction.
        jump: The address of the jump back.
        places: The operands: registers that change, numbers or pointers that do not change, or None for 0.
        start: The difference of the operands before the first iteration.
        length: The length of the loop. The counter is ``(difference - start) / scale - length``.
        scale: The number by which the difference is divided; it is negative if the difference decreases.
        unit: The change of the difference in the first iteration.
    """

    head: int
    jump: int
    places: tuple[Any, Any]
    start: Polynomial
    length: Polynomial
    scale: int
    unit: Polynomial


@dataclass
class _SavedBlock:
    cells: dict[Any, Any]
    written: list[Polynomial]
    mark: Polynomial
    accesses: int


class Executor(Flow):
    """A processor that executes functions, and proves loops whose number of iterations is not known."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._touched: list[tuple[Any, int, int]] = []
        """Operands and offsets of accesses to the stack in the first iteration of a loop, and the number of calls."""
        self._running: set[tuple[int, int]] = set()
        """The loops of which an iteration is being executed, each with the number of calls."""

    def address(self, operand: Any) -> Pointer:
        """Return the pointer to the memory that an operand designates."""
        found = super().address(operand)
        if found.block is self.space.stack and found.offset.is_constant:
            self._touched.append((operand, self.space.offset_of(found), len(self._calls)))
        return found

    def _loop(self, head: int) -> int | None:
        """Prove a loop by induction and return the address after it, or None if its iterations are executed."""
        if (head, len(self._calls)) in self._running:
            raise ProofError(ENDLESS)
        self._running.add((head, len(self._calls)))
        try:
            return self._induction(head)
        finally:
            self._running.discard((head, len(self._calls)))

    def _induction(self, head: int) -> int | None:
        """Prove a loop by induction as `_loop` does."""
        jump = self.code_at(head).loops[head]
        self.program.flush()
        known = self.blocks()
        saved = {block: self._saved(block) for block in [*self.program.all_blocks(), *known]}
        flags, outside, self._touched = self.flags, self._touched, []
        uses = {block: block.use for block in known if isinstance(block, MachineWord)}
        for place in uses:
            place.use = ""
        with self.facts.trying():
            self.run(head, jump)
            iteration, temporaries = self._iteration(head, jump, saved)
            spans = self._spans(saved, iteration)
        for place, use in uses.items():
            place.use = use or place.use
        touched, self._touched = self._touched, outside
        self.flags = flags
        self._restore(saved)
        if iteration is None:
            self._unrolled.add((head, len(self._calls)))
            return None
        for block in temporaries:
            block.cells.clear()
        counter = partial(self._counter, iteration)
        end = self.words.value_of(iteration.length)
        if end.high * abs(iteration.scale) >= 1 << 64 or end.high > LONGEST:
            raise ProofError("the counter of a loop may wrap")
        for operand, offset, depth in touched:
            span = iteration.scale * (spans.get(operand.base, 0) + operand.scale * spans.get(operand.index, 0))
            if span > 0 and depth == len(self._calls):
                self.space.make_array(offset, offset + operand.bits // 8 + span * (end.high - 1))
        was_closed, self.space.is_closed = self.space.is_closed, True
        before, self.program.longest = self.program.longest, max(end.high - 1, 0)
        run_generic(self.program, counter, None, iteration)
        self.program.longest = before
        self.space.is_closed = was_closed
        self.flags = None
        return self.instruction(jump).next

    def iterate(self, iteration: Iteration) -> None:
        """Execute an iteration of a loop that is proven by induction, and check its condition."""
        self.flags = None
        self.run(iteration.head, iteration.jump)
        if self.flags is None:
            raise ProofError("the condition of a loop uses flags that are not defined")
        self._check_condition(self.instruction(iteration.jump), self.flags, iteration)

    def _check_condition(self, i: Instruction, flags: StatusFlags, iteration: Iteration) -> None:
        """Check that the jump back is taken exactly if the counter is not 0, and so negative."""
        described = _apart(*self._compared(flags))
        if described != self._difference(iteration.places):
            raise ProofError("the condition of a loop compares something else than after the first iteration")
        continues = {"jne": (True, True), "jb": (True, False), "ja": (False, True)}
        continues |= {"jl": continues["jb"], "jg": continues["ja"]}
        if not continues.get(i.name, (False, False))[iteration.scale < 0]:
            raise ProofError(f"the condition of a loop is not supported ({i.text})")
        if i.name in ("jl", "jg"):
            self._check_signs(flags)
        if i.name == "jne":
            return
        if flags.right is None or _apart(flags.left, flags.right) != described:
            raise ProofError(f"the condition of a loop is not supported ({i.text})")
        for pointer in (flags.left, flags.right):
            if isinstance(pointer, Pointer):
                self.space.require_inside(pointer)

    def _compared(self, flags: StatusFlags) -> tuple[Any, Any]:
        """Return the operands that the flags compare: two numbers or pointers, or a result and None for 0."""
        goal, other = flags.places
        if goal is not None and other is None:
            now = self.read(goal)
            if not isinstance(now, Value) or now.polynomial != getattr(flags.result, "polynomial", None):
                raise ProofError("the condition of a loop compares something that changes before the jump")
            return now, None
        return flags.left, flags.right

    def _iteration(
        self, head: int, jump: int, saved: dict[Block, _SavedBlock]
    ) -> tuple[Iteration | None, list[Block]]:
        """Return the iteration of a loop after the first one was executed, or None if the condition is then known.

        Args:
            head: The address of the first instruction.
            jump: The address of the jump back.
            saved: The contents of all blocks before the first iteration.

        Returns:
            The iteration, and the registers that do not change in proportion to the counter. Their contents are
            unknown when an iteration begins.
        """
        flags, i = self.flags, self.instruction(jump)
        if flags is None or jump_of(i) != head or i.name in CONTROL:
            raise ProofError("the jump back of a loop is not supported")
        compared = self._compared(flags)
        first, second = (_place_of(content, saved) for content in compared)
        after = _apart(*compared)
        before = _apart(_before(first, saved), _before(second, saved))
        unit = plus(after, before, -1)
        is_known = after.keys() <= {()}
        if is_known and (before.keys() != {()} or not unit or -before[()] // unit[()] < MANY):
            return None, []
        temporaries = [block for block in saved if not block.is_array and not _is_kept(block, saved[block], unit)]
        if not unit:
            raise ProofError(ENDLESS)
        is_down = not self.facts.is_not_negative(unit)
        scale = gcd(*(int(c) for c in (*before.values(), *unit.values()))) * (-1 if is_down else 1)
        length = {m: -c // scale for m, c in before.items()}
        step = int(unit.get((), 0))
        if unit.keys() == {()} and step != scale:  # a compiler unrolled the loop
            quotient = quotient_of(self.facts, scaled(before, -1 if step > 0 else 1), abs(step))
            scale, length = (scale, length) if quotient is None else (step, quotient)
        return Iteration(head, jump, (first, second), before, length, scale, unit), temporaries

    def _spans(self, saved: dict[Block, _SavedBlock], iteration: Iteration | None) -> dict[str, int]:
        """Return by how much each register has changed, as a multiple of the change of the difference."""
        found: dict[str, int] = {}
        if iteration is None:
            return found
        for name, block in self.registers.items():
            change = _change(saved[block].cells.get(HERE), block.cells.get(HERE))
            if change is not None and _is_multiple(change, iteration.unit):
                first = next(iter(change))
                found[name] = int(change[first] // iteration.unit[first])
        return found

    def _counter(self, iteration: Iteration) -> Polynomial:
        """Return the counter of a loop, which is minus the part of its length that remains."""
        moved = plus(self._difference(iteration.places), iteration.start, -1)
        if any(c % iteration.scale for c in moved.values()):
            raise ProofError("the counter of a loop does not change in step")
        return plus({m: c // iteration.scale for m, c in moved.items()}, iteration.length, -1)

    @staticmethod
    def _difference(places: tuple[Any, Any]) -> Polynomial:
        """Return the difference of the operands of a condition, from the current contents of registers."""
        return _apart(*(held_by(place) if isinstance(place, MachineWord) else place for place in places))

    @staticmethod
    def _saved(block: Block) -> _SavedBlock:
        return _SavedBlock(dict(block.cells), list(block.written), block.mark, len(block.accesses))

    def _restore(self, saved: dict[Block, _SavedBlock]) -> None:
        for block, before in saved.items():
            block.cells, block.written, block.mark = dict(before.cells), list(before.written), before.mark
            del block.accesses[before.accesses :]
        for block in (*self.space.slots.values(), *self.space.arrays):
            if block not in saved:
                block.cells.clear()


def _place_of(content: Any, saved: dict[Block, _SavedBlock]) -> Any:
    """Return the register that holds a content and that an iteration changes, or the content if no register does."""
    for block, before in saved.items():
        held, old = block.cells.get(HERE), before.cells.get(HERE)
        is_changed = isinstance(block, MachineWord) and block.use == "read" and None is not old is not held is not None
        if is_changed and content is (held.value if isinstance(held, Number) else held):
            return block
    return content


def _before(place: Any, saved: dict[Block, _SavedBlock]) -> Any:
    """Return the content of a register before the iteration, or the operand itself if it is no register."""
    if not isinstance(place, MachineWord):
        return place
    held = saved[place].cells[HERE]
    return held.value if isinstance(held, Number) else held


def _apart(a: Any, b: Any) -> Polynomial:
    """Return the difference of two numbers or of two pointers into the same array."""
    blocks = [content.block if isinstance(content, Pointer) else None for content in (a, b)]
    if blocks[0] is not blocks[1]:
        raise ProofError("the condition of a loop compares addresses in different arrays")
    return plus(_position(a), _position(b), -1)


def _position(content: Any) -> Polynomial:
    """Return the polynomial of a number or of the offset of a pointer."""
    if content is None:
        return {}
    found = content.offset if isinstance(content, Pointer) else content
    if not isinstance(found, Value):
        raise ProofError("the condition of a loop compares something else than numbers")
    return found.polynomial


def _is_kept(block: Block, before: _SavedBlock, unit: Polynomial) -> bool:
    """Return whether a register is unchanged, or was read and has changed by a multiple of the progress."""
    old, new = before.cells.get(HERE), block.cells.get(HERE)
    if old is new or old is None or new is None:
        return old is new
    if isinstance(block, MachineWord) and block.use == "written":
        return False
    change = _change(old, new)
    return change is not None and _is_multiple(change, unit)


def _change(old: Any, new: Any) -> Polynomial | None:
    """Return the difference of the new and the old number or pointer, or None if they have no difference."""
    contents = [held.value if isinstance(held, Number) else held for held in (old, new)]
    blocks = [content.block if isinstance(content, Pointer) else None for content in contents]
    if blocks[0] is not blocks[1] or not all(isinstance(content, (Value, Pointer)) for content in contents):
        return None
    return plus(_position(contents[1]), _position(contents[0]), -1)


def _is_multiple(change: Polynomial, unit: Polynomial) -> bool:
    """Return whether one polynomial is another one times a number that is not 0."""
    if not change or not unit or change.keys() != unit.keys():
        return False
    first = next(iter(unit))
    return all(c * unit[first] == unit[m] * change[first] for m, c in change.items())
