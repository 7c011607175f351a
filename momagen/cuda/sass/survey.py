"""A survey of a program's kernels: the resources and the instructions of each."""

from __future__ import annotations

from dataclasses import dataclass

from momagen.cuda.nvrtc import CudaProgram
from momagen.errors import MomagenError

from .counts import SassCount, butterfly_of, instructions_of
from .listing import disassemble
from .resources import KernelResources, read_resources


@dataclass(frozen=True)
class SurveyedKernel:
    """A kernel of a compiled program.

    Attributes:
        resources: Its resources.
        count: The numbers of all its instructions.
        arithmetic: The numbers of instructions on which stored values depend, or None if it has loops or
            calls.
    """

    resources: KernelResources
    count: SassCount
    arithmetic: SassCount | None

    def row(self) -> dict[str, object]:
        """Return plain data for a table of figures."""
        taken = self.resources
        return {
            "kernel": taken.name, "arch": taken.arch, "registers": taken.registers, "stack": taken.stack,
            "spill_bytes": taken.spill_stores + taken.spill_loads, "shared": taken.shared,
            "instructions": self.count.total, "arithmetic": self.arithmetic and self.arithmetic.total,
            "classes": dict(sorted(self.count.classes.items())),
        }  # fmt: skip


def survey(program: CudaProgram) -> dict[str, SurveyedKernel]:
    """Return the kernels of a program that was compiled to machine code, by name.

    Raises:
        MomagenError: The program has no machine code, or the disassembler is missing or cannot read it.
    """
    if not program.cubin:
        expected = "an architecture such as sm_90, for which NVRTC generates machine code"
        raise MomagenError(expected, program.arch, "architecture")
    functions = disassemble(program.cubin)
    found: dict[str, SurveyedKernel] = {}
    for name, taken in read_resources(program.log).items():
        function = functions[name]
        arithmetic = None if function.loops else butterfly_of(function)
        found[name] = SurveyedKernel(taken, instructions_of(function), arithmetic)
    return found
