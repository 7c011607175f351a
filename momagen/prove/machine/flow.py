"""The flow of control through machine code: jumps, calls, and loops that are proven by induction.

A loop is a part of a function that ends with a conditional jump back to its beginning. If its condition is not known
after the first iteration, one iteration at an unknown position is proven for all, as for a loop of the C source. The
*counter* of such a loop is the difference of the operands that its condition compares, by which the loop ends at 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import gcd
from typing import TYPE_CHECKING, Any

from momagen.prove.c.loops import run_generic
from momagen.prove.c.memory import Block, Number, Pointer
from momagen.prove.checker import ProofError
from momagen.prove.machine.contents import HERE, Return
from momagen.prove.machine.cpu import Cpu, Flags
from momagen.prove.machine.decode import Immediate, decode
from momagen.prove.machine.integers import INTEGERS
from momagen.prove.polynomial import plus
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.machine.decode import Instruction
    from momagen.prove.machine.image import Function
    from momagen.prove.polynomial import Polynomial

MOST = 1 << 18
"""The greatest number of instructions that are executed one by one."""
LONGEST = 1 << 60
"""No loop over an array has more iterations, because addresses have 64 bits."""
ENDLESS = "a loop is left in the middle, or does not end"


@dataclass(frozen=True)
class Code:
    """The instructions of a function, and its loops: the last jump back to each address that one jumps back to."""

    function: Function
    instructions: dict[int, Instruction]
    loops: dict[int, int]


@dataclass(frozen=True)
class Iteration:
    """An iteration of a loop: from its first instruction to the jump back, and what its condition compares.

    Attributes:
        head: The address of the first instruction.
        jump: The address of the jump back.
        places: The operands that are compared.
        scale: The number by which the difference of the operands is divided; it is negative if that decreases.
    """

    head: int
    jump: int
    places: tuple[Any, Any]
    scale: int


@dataclass
class _Saved:
    cells: dict[Any, Any]
    written: list[Polynomial]
    mark: Polynomial
    accesses: int


class Flow(Cpu):
    """A processor that executes functions of a shared object."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._codes: dict[str, Code] = {}
        self._calls: list[int] = []
        self._unrolled: set[tuple[int, int]] = set()
        self._steps = 0

    def code_at(self, address: int) -> Code:
        """Return the function that contains an address."""
        function = self.image.function_at(address)
        if function.name not in self._codes:
            instructions = decode(self.image.code(function), function.start)
            loops: dict[int, int] = {}
            for each in instructions.values():
                goal = None if each.name == "call" else jump_of(each)
                if goal is not None and function.start <= goal <= each.address:
                    loops[goal] = max(each.address, loops.get(goal, 0))
            self._codes[function.name] = Code(function, instructions, loops)
        return self._codes[function.name]

    def instruction(self, address: int) -> Instruction:
        """Return the instruction at an address."""
        found = self.code_at(address).instructions.get(address)
        if found is None:
            raise ProofError(f"a jump to {address:#x}, into an instruction")
        return found

    def run(self, address: int, stop: int | None = None) -> None:
        """Execute instructions until the function that was called returns, or the one at ``stop`` is next.

        Args:
            address: The address of the first instruction.
            stop: The address of an instruction of this function, which is not executed, or None.

        Raises:
            ProofError: An instruction has no known meaning, or something is not proven.
        """
        depth, is_first = len(self._calls), True
        while True:
            if address == stop and len(self._calls) == depth and not (is_first and stop is None):
                return
            key = address, len(self._calls)
            is_head = address in self.code_at(address).loops and key not in self._unrolled
            if is_head and not (is_first and stop is not None):
                after = self._loop(address)
                if after is not None:
                    address, is_first = after, False
                    continue
            is_first = False
            following = self._step(self.instruction(address))
            if following is None and stop is None:
                return
            if following is None or len(self._calls) < depth:
                raise ProofError(ENDLESS)
            address = following

    def _step(self, i: Instruction) -> int | None:
        """Execute an instruction, and return the address of the next one, or None after the last return."""
        self._steps += 1
        if self._steps > MOST:
            raise ProofError(ENDLESS)
        try:
            if i.name in CONTROL:
                following: int | None = CONTROL[i.name](self, i)
                return following
            if i.name.startswith("j"):
                return self._jump_if(i)
            if i.name not in INTEGERS:
                raise ProofError(f"the instruction {i.name} is not supported")
            INTEGERS[i.name](self, i)
        except ProofError as error:
            self._locate(error, i)
            raise
        return i.next

    def _locate(self, error: ProofError, i: Instruction) -> None:
        if not getattr(error, "is_located", False):
            function = self.image.function_at(i.address)
            error.args = (f"{error} ({function.name}+{i.address - function.start:#x}: {i.text})",)
            error.is_located = True  # type: ignore[attr-defined]

    # Jumps and calls.

    def jump(self, i: Instruction) -> int:
        """Return the goal of a jump."""
        goal = jump_of(i)
        if goal is None:
            raise ProofError("a jump to an address that is computed")
        return goal

    def _jump_if(self, i: Instruction) -> int:
        decision, goal = self.condition(i.name[1:]), self.jump(i)
        is_taken = self.facts.decide(decision.flag, decision.implied, "a jump")
        if not is_taken:
            self._unrolled.discard((goal, len(self._calls)))
        return goal if is_taken else i.next

    def call(self, i: Instruction) -> int:
        """Call a function of the shared object."""
        goal = self.jump(i)
        function = self.image.function_at(goal)
        if goal != function.start:
            raise ProofError("a call into the middle of a function")
        if goal in self._calls:
            raise ProofError(f"the function {function.name} calls itself")
        self.space.push(Return(i.next))
        self._calls.append(goal)
        return goal

    def ret(self, _i: Instruction) -> int | None:
        """Return from a function."""
        top = self.space.top()
        found = self.space.pop()
        if not isinstance(found, Return):
            raise ProofError("a return to something else than the return address")
        if found.address is None:
            if top != 0:
                raise ProofError("the stack pointer is not restored")
            return None
        self.space.slots[top].cells.clear()
        self._calls.pop()
        return found.address

    # Loops.

    def _loop(self, head: int) -> int | None:
        """Prove a loop by induction and return the address after it, or None if its iterations are executed."""
        jump = self.code_at(head).loops[head]
        known = self.blocks()
        saved = {block: self._saved(block) for block in [*self.program.all_blocks(), *known]}
        flags = self.flags
        with self.facts.trying():
            self.run(head, jump)
            iteration, temporaries = self._iteration(head, jump, saved)
        self.flags = flags
        self._restore(saved)
        if iteration is None:
            self._unrolled.add((head, len(self._calls)))
            return None
        for block in temporaries:
            block.cells.clear()
        was_closed, self.space.is_closed = self.space.is_closed, True
        counter = partial(self._counter, iteration.places, iteration.scale)
        end = self.words.value_of({m: -c for m, c in counter().items()})
        if end.high * abs(iteration.scale) >= 1 << 64 or end.high > LONGEST:
            raise ProofError("the counter of a loop may wrap")
        before, self.program.longest = self.program.longest, max(end.high, 0)
        run_generic(self.program, counter, None, iteration)
        self.program.longest = before
        self.space.is_closed = was_closed
        self.flags = None
        return self.instruction(jump).next

    def iterate(self, iteration: Iteration) -> None:
        """Execute an iteration of a loop that is proven by induction, and check its condition."""
        self.flags = None
        self.run(iteration.head, iteration.jump)
        flags, i = self.flags, self.instruction(iteration.jump)
        if flags is None or flags.places != iteration.places:
            raise ProofError("the condition of a loop compares other operands than after the first iteration")
        self._check_condition(i, flags, iteration)

    def _check_condition(self, i: Instruction, flags: Flags, iteration: Iteration) -> None:
        """Check that the jump back is taken exactly if the counter is not 0, and so negative."""
        described = plus(_position(flags.left), _position(flags.right), -1)
        if described != self._difference(flags.places):
            raise ProofError("an operand of the condition of a loop changes before the jump")
        continues = {"jne": (True, True), "jb": (True, False), "ja": (False, True)}
        continues |= {"jl": continues["jb"], "jg": continues["ja"]}
        if not continues.get(i.name, (False, False))[iteration.scale < 0]:
            raise ProofError(f"the condition of a loop is not supported ({i.text})")
        if i.name in ("jl", "jg"):
            self._check_signs(flags)
        if i.name in ("jb", "ja") and flags.right is None:
            raise ProofError(f"the condition of a loop is not supported ({i.text})")

    def _iteration(
        self, head: int, jump: int, saved: dict[Block, _Saved]
    ) -> tuple[Iteration | None, list[Block]]:
        """Return the iteration of a loop after its first one, or None if its condition is then known.

        Args:
            head: The address of the first instruction.
            jump: The address of the jump back.
            saved: What all blocks held before.

        Returns:
            The iteration, and the registers that change otherwise than the counter, so that they hold nothing known
            when an iteration begins.
        """
        flags, i = self.flags, self.instruction(jump)
        if flags is None or jump_of(i) != head or i.name in CONTROL:
            raise ProofError("the jump back of a loop is not supported")
        after = plus(_position(flags.left), _position(flags.right), -1)
        if after.keys() <= {()}:
            return None, []
        now = {block: block.cells for block in saved}
        for block in saved:
            block.cells = saved[block].cells
        before = self._difference(flags.places)
        for block in saved:
            block.cells = now[block]
        unit = plus(after, before, -1)
        temporaries = [block for block in saved if not block.is_array and not _is_in_step(block, saved[block], unit)]
        if not unit:
            raise ProofError(ENDLESS)
        is_down = not self.facts.is_not_negative(unit)
        scale = gcd(*(int(c) for c in (*before.values(), *unit.values())))
        return Iteration(head, jump, flags.places, -scale if is_down else scale), temporaries

    def _counter(self, places: tuple[Any, Any], scale: int) -> Polynomial:
        found = self._difference(places)
        if any(c % scale for c in found.values()):
            raise ProofError("the counter of a loop does not change in step")
        return {m: c // scale for m, c in found.items()}

    def _difference(self, places: tuple[Any, Any]) -> Polynomial:
        """Return the difference of the operands of a comparison, from what they hold now."""
        if places[0] is None:
            raise ProofError("the condition of a loop is not supported")
        a, b = (None if place is None else self.read(place) for place in places)
        blocks = [content.block if isinstance(content, Pointer) else None for content in (a, b)]
        if blocks[0] is not blocks[1]:
            raise ProofError("the condition of a loop compares addresses in different arrays")
        return plus(_position(a), _position(b), -1)

    @staticmethod
    def _saved(block: Block) -> _Saved:
        return _Saved(dict(block.cells), list(block.written), block.mark, len(block.accesses))

    def _restore(self, saved: dict[Block, _Saved]) -> None:
        for block, before in saved.items():
            block.cells, block.written, block.mark = dict(before.cells), list(before.written), before.mark
            del block.accesses[before.accesses :]
        for block in self.space.slots.values():
            if block not in saved:
                block.cells.clear()


def jump_of(i: Instruction) -> int | None:
    """Return the fixed goal of a jump or call."""
    is_jump = i.name.startswith("j") or i.name == "call"
    if is_jump and len(i.operands) == 1 and isinstance(i.operands[0], Immediate):
        return i.operands[0].value
    return None


def _position(content: Any) -> Polynomial:
    """Return the polynomial of a number or of the offset of a pointer."""
    if content is None:
        return {}
    found = content.offset if isinstance(content, Pointer) else content
    if not isinstance(found, Value):
        raise ProofError("the condition of a loop compares something else than numbers")
    return found.polynomial


def _is_in_step(block: Block, before: _Saved, unit: Polynomial) -> bool:
    """Return whether a register holds what it held before, or has moved by a multiple of the progress."""
    old, new = before.cells.get(HERE), block.cells.get(HERE)
    if old is new or old is None or new is None:
        return old is new
    if isinstance(old, Pointer) and isinstance(new, Pointer) and old.block is new.block:
        return _is_multiple(plus(new.offset.polynomial, old.offset.polynomial, -1), unit)
    if isinstance(old, Number) and isinstance(new, Number) and isinstance(new.value, Value):
        return isinstance(old.value, Value) and _is_multiple(
            plus(new.value.polynomial, old.value.polynomial, -1), unit
        )
    return False


def _is_multiple(change: Polynomial, unit: Polynomial) -> bool:
    """Return whether one polynomial is another one times a number that is not 0."""
    if not change or not unit or change.keys() != unit.keys():
        return False
    first = next(iter(unit))
    return all(c * unit[first] == unit[m] * change[first] for m, c in change.items())


CONTROL: dict[str, Any] = {
    "jmp": Flow.jump,
    "call": Flow.call,
    "ret": Flow.ret,
    "repz ret": Flow.ret,
}
"""The instructions that always continue elsewhere."""
