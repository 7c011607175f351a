"""Running ``execute`` of an element-wise kernel as machine code, with a plan that ``create`` set up in C.

The calling convention is that of the System V ABI for x86-64: the first six arguments are in registers and the others
on the stack; ``execute`` must leave rbx, rbp, rsp and r12 to r15 as they were, and return its code in eax.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from momagen.prove.c.memory import NULL, Block, Number, Pointer
from momagen.prove.c.parsed import Source
from momagen.prove.c.types import INT, SIZE
from momagen.prove.checker import ProofError
from momagen.prove.machine.contents import HERE, Entry, Return, as_value, held_by, hold
from momagen.prove.machine.host import Host
from momagen.prove.machine.induction import LONGEST as LONGEST_LOOP
from momagen.prove.machine.induction import Executor, Iteration
from momagen.prove.machine.instructions.decode import RegisterPart
from momagen.prove.polynomial import plus
from momagen.prove.vectors.shifted import ShiftedKernel
from momagen.prove.vectors.shifts import DOWN, UP
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.machine.image import Image

ARGUMENTS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
SAVED = ("rbx", "rbp", "r12", "r13", "r14", "r15")
FIRST_ON_STACK = 8


@dataclass(frozen=True)
class CompiledSource(Source):
    """A parsed C file with the shared object that a compiler made of it."""

    image: Image | None = None


class MachineKernel(Host):
    """A run of ``create`` in C and of ``execute`` as machine code."""

    source: CompiledSource
    cpu: Executor | None = None
    kept: set[str]
    """The registers that the last call did not change."""

    def call(self, name: str, arguments: list[Any]) -> Any:
        """Call a function: ``execute`` as machine code, all others in C."""
        if name != f"{self.claim.name}_execute":
            return super().call(name, arguments)
        code = self.run_code(name, arguments)
        if not isinstance(code, Value):
            raise ProofError("execute returns no code that is known")
        return Number(INT, code)

    def run_code(self, name: str, arguments: list[Any]) -> Any:
        """Call a function as machine code, and return the low half of rax, or None if that is not known."""
        assert self.source.image is not None
        self.cpu = Executor(self, self.source.image)
        self._enter(arguments)
        before = {name: register.cells.get(HERE) for name, register in self.cpu.registers.items()}
        self.cpu.run(self.source.image.function(name).start)
        self.flush()
        self.kept = {
            name for name, register in self.cpu.registers.items() if register.cells.get(HERE) is before[name]
        }
        return self._leave(name)

    def _enter(self, arguments: list[Any]) -> None:
        """Put the arguments into registers and onto the stack, and mark the contents that must be restored."""
        assert self.cpu is not None
        for name, register in self.cpu.registers.items():
            if name != "rsp":
                hold(register, Entry(name))
        for at, argument in enumerate(arguments):
            if at < len(ARGUMENTS):
                hold(self.cpu.registers[ARGUMENTS[at]], self._content(argument))
            else:
                hold(self.cpu.space.slot(FIRST_ON_STACK * (1 + at - len(ARGUMENTS))), self._content(argument))
        hold(self.cpu.space.slot(0), Return(None))

    def _content(self, argument: Any) -> Any:
        assert self.cpu is not None
        if argument is NULL:
            return self.words.constant(0)
        if isinstance(argument, Pointer):
            return self.cpu.space.as_pointer(argument)
        return argument.value

    def _leave(self, function: str) -> Any:
        """Check that the registers of the caller are restored, and return the low half of rax."""
        assert self.cpu is not None
        for name in SAVED:
            if held_by(self.cpu.registers[name]) != Entry(name):
                raise ProofError(f"{function} does not restore {name}")
        held = self.cpu.registers["rax"].cells.get(HERE)
        code = self.cpu.read(RegisterPart("rax", 32)) if isinstance(held, Number) else None
        self.cpu = None
        return code

    def all_blocks(self) -> list[Block]:
        """Return all blocks that the program can access."""
        return [*super().all_blocks(), *([] if self.cpu is None else self.cpu.blocks())]

    def holds(self, node: Any, is_assumed: bool = False) -> bool:
        """Return whether a condition holds on this path; the condition of a loop of machine code is assumed."""
        return (is_assumed and callable(node)) or super().holds(node, is_assumed)

    def iterate_to_end(self, step: Any, body: Any) -> None:
        """Execute one iteration of a loop that is proven by induction. The body must not leave the loop."""
        if isinstance(body, Iteration) and self.cpu is not None:
            self.cpu.iterate(body)
        else:
            super().iterate_to_end(step, body)


class ShiftedMachineKernel(MachineKernel, ShiftedKernel):
    """A run for moduli that are shorter than the longest one."""

    def replaces(self, name: str) -> bool:
        """Execute ``shift_up`` and ``shift_down`` in C, if their machine code is proven to do the same."""
        if name not in (UP, DOWN) or self.claim.words == 1 or self.cpu is None:
            return False
        cpu, self.cpu = self.cpu, None
        lemmas: Any = self.lemmas
        kept = lemmas.require_code(name)
        self.cpu = cpu
        pointers = [self._as_array(held_by(cpu.registers[register])) for register in ARGUMENTS[:2]]
        cpu.space.check_call(name)
        n, s = (as_value(held_by(cpu.registers[register])) for register in ARGUMENTS[2:4])
        self.facts.require_not_negative(plus(n.polynomial, {(): -1}), f"{name} may be called for no element")
        if pointers[0].block is pointers[1].block and pointers[0].offset.polynomial != pointers[1].offset.polynomial:
            raise ProofError(f"{name} may be called with arrays that overlap")
        if cpu.space.top() % 16 != FIRST_ON_STACK:
            raise ProofError(f"{name} is called with a stack pointer that is not aligned")
        longest, self.longest = self.longest, LONGEST_LOOP
        ShiftedKernel.call(self, name, [*pointers, Number(SIZE, n), Number(SIZE, s)])
        self.longest = longest
        cpu.forget(kept)
        return True

    def _as_array(self, pointer: Any) -> Pointer:
        """Return a pointer of machine code to an array of words as one of C."""
        assert self.cpu is not None
        if not isinstance(pointer, Pointer):
            raise ProofError("a number is shifted in memory that is not known")
        return self.cpu.space.as_array(pointer)
