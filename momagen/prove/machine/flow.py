"""The flow of control through machine code: jumps, calls and returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from momagen.prove.checker import ProofError
from momagen.prove.machine.contents import Return
from momagen.prove.machine.instructions.decode import Immediate, decode
from momagen.prove.machine.instructions.integers import INTEGERS
from momagen.prove.machine.instructions.shuffles import SHUFFLES
from momagen.prove.machine.instructions.vectors import VECTORS, VectorCpu

if TYPE_CHECKING:
    from momagen.prove.machine.image import Function
    from momagen.prove.machine.instructions.decode import Instruction

MEANINGS: dict[str, Any] = {**INTEGERS, **VECTORS, **SHUFFLES}
MOST = 1 << 18
"""The greatest number of instructions that are executed one by one."""
ENDLESS = "a loop is left in the middle, or does not end"


@dataclass(frozen=True)
class Code:
    """The code of a function.

    Attributes:
        function: The function.
        instructions: The instructions by their addresses.
        loops: For the first address of each loop, the address of the last jump back to it.
    """

    function: Function
    instructions: dict[int, Instruction]
    loops: dict[int, int]


class Flow(VectorCpu):
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
                if goal is not None and function.start <= goal <= each.address and _leads_to(goal, each, instructions):
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
        """Execute instructions until the function that was called returns, or until the one at ``stop`` is next.

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
            if i.name not in MEANINGS:
                raise ProofError(f"the instruction {i.name} is not supported")
            MEANINGS[i.name](self, i)
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
        is_taken = self.decide(decision, "a jump")
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
        if self.program.replaces(function.name):
            return i.next
        self.space.push(Return(i.next))
        self._calls.append(goal)
        return goal

    def ret(self, i: Instruction) -> int | None:
        """Return from a function."""
        if i.operands:
            raise ProofError("a return that removes arguments from the stack")
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

    def _loop(self, head: int) -> int | None:
        """Prove a loop by induction and return the address after it, or None if its iterations are executed."""
        raise NotImplementedError


def _leads_to(start: int, end: Instruction, instructions: dict[int, Instruction]) -> bool:
    """Return whether control may flow from an address to an instruction of the same function.

    If it may not, a jump back to the address joins two branches and closes no loop.
    """
    seen: set[int] = set()
    ahead = [start]
    while ahead:
        address = ahead.pop()
        if address == end.address:
            return True
        if address in seen or address not in instructions:
            continue
        seen.add(address)
        i = instructions[address]
        goal = None if i.name == "call" else jump_of(i)
        ahead += [goal] if goal is not None else []
        ahead += [i.next] if i.name not in ("jmp", "ret", "repz ret") else []
    return False


def jump_of(i: Instruction) -> int | None:
    """Return the fixed goal of a jump or call."""
    is_jump = i.name.startswith("j") or i.name == "call"
    if is_jump and len(i.operands) == 1 and isinstance(i.operands[0], Immediate):
        return i.operands[0].value
    return None


CONTROL: dict[str, Any] = {
    "jmp": Flow.jump,
    "call": Flow.call,
    "ret": Flow.ret,
    "repz ret": Flow.ret,
}
"""The instructions that always continue elsewhere."""
