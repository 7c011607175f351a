"""The result of lowering: a kernel as a program that depends on no programming language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from momagen.kinds.modular.spec import Spec
from momagen.program import Program
from momagen.targets import Target

from .writer import ProgramWriter

if TYPE_CHECKING:
    from momagen.lower.arrays.codelets import ArrayCodelets
    from momagen.lower.arrays.program import ArrayProgram
    from momagen.program.device import DeviceProgram, RowsProgram


@dataclass(frozen=True)
class Lowered:
    """A lowered kernel, which a language then prints.

    Attributes:
        spec: The specification.
        program: The program: on a processor, on a GPU, or on arrays.
        writers: The writers of the program, one for each size, the largest size first.
        notes: Remarks for the report.
        moduli: A description of the moduli that the kernel serves.
    """

    spec: Spec
    program: Program | DeviceProgram | RowsProgram | ArrayProgram
    writers: Sequence[ProgramWriter | ArrayCodelets]
    notes: list[str]
    moduli: str

    @property
    def host_program(self) -> Program:
        """The program of a kernel that runs on the machine that computes its plan."""
        assert isinstance(self.program, Program)
        return self.program

    @property
    def writer(self) -> ProgramWriter:
        """The writer for the largest size, if the program consists of statements."""
        assert isinstance(self.writers[0], ProgramWriter)
        return self.writers[0]

    @property
    def target(self) -> Target:
        """The target for which the codelets were lowered."""
        return self.writers[0].target

    @property
    def rules_applied(self) -> Counter[str]:
        """The number of applications of each rule."""
        return sum((writer.trace.rules_applied for writer in self.writers), Counter[str]())

    @property
    def operations(self) -> Counter[str]:
        """The number of word operations in all codelets together, by operation."""
        return sum((writer.operations for writer in self.writers), Counter[str]())
