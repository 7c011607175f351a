"""A kernel without a language: a program, and what is known of it."""

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
    """A kernel without a language: what a language prints.

    Attributes:
        writers: the writers of the program, one for each size, the largest size first. notes: remarks for the report.
        moduli: a description of the moduli that the kernel serves.
    """

    spec: Spec
    program: Program | DeviceProgram | RowsProgram | ArrayProgram
    writers: Sequence[ProgramWriter | ArrayCodelets]
    notes: list[str]
    moduli: str

    @property
    def host_program(self) -> Program:
        """The program, of a kernel that runs where its plan is made."""
        assert isinstance(self.program, Program)
        return self.program

    @property
    def writer(self) -> ProgramWriter:
        """That of the largest size, of a kernel that is a program of statements."""
        assert isinstance(self.writers[0], ProgramWriter)
        return self.writers[0]

    @property
    def target(self) -> Target:
        """What its codelets were lowered to."""
        return self.writers[0].target

    @property
    def rules_applied(self) -> Counter[str]:
        """How often each rule was applied."""
        return sum((writer.trace.rules_applied for writer in self.writers), Counter[str]())

    @property
    def operations(self) -> Counter[str]:
        """Word operations of one pass over all codelets, by operation."""
        return sum((writer.operations for writer in self.writers), Counter[str]())
