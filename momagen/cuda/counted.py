"""Instruction counts of machine code: one butterfly by itself, the kernels of a transform, and basis conversions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from momagen.emit.cuda.file import cuda_kernels
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.spec import Spec
from momagen.kinds.rns.basis import RowsSpec
from momagen.lower.kernels import lowered
from momagen.lower.rns.device import device_rows
from momagen.lower.threads.butterfly import NAME, butterfly_program
from momagen.program.device import DeviceProgram, RowsProgram

from .nvrtc import compile_cuda
from .sass.counts import SassCount, instructions_of
from .sass.listing import disassemble
from .sass.resources import read_resources
from .sass.survey import SurveyedKernel, survey

GOLDILOCKS = 2**64 - 2**32 + 1
POINTS = 1 << 16


@dataclass(frozen=True)
class CountedKernel:
    """A kernel as it is compiled for an architecture.

    Attributes:
        name: The name of the kernel.
        surveyed: Its resources and instructions.
    """

    name: str
    surveyed: SurveyedKernel

    @property
    def registers(self) -> int:
        """The number of 32-bit registers of a thread."""
        return self.surveyed.resources.registers

    @property
    def spilled(self) -> int:
        """The number of bytes that a thread spills to memory and loads back."""
        return self.surveyed.resources.spill_stores + self.surveyed.resources.spill_loads

    @property
    def instructions(self) -> int:
        """The number of all instructions in the machine code."""
        return self.surveyed.count.total

    @property
    def arithmetic(self) -> int | None:
        """The number of instructions on which stored values depend, or None if the kernel has loops."""
        return self.surveyed.arithmetic.total if self.surveyed.arithmetic else None

    @property
    def classes(self) -> Mapping[str, int]:
        """The number of arithmetic instructions by class; of all instructions if the kernel has loops."""
        return (self.surveyed.arithmetic or self.surveyed.count).classes


@dataclass(frozen=True)
class CountedRows:
    """A kernel on the rows of an RNS basis as it is compiled for an architecture.

    Attributes:
        columns: The number of columns of a thread.
        registers: The number of 32-bit registers of a thread.
        spilled: The number of bytes that a thread spills to memory and loads back.
        row: The instructions of the loop. They compute one residue of the result for every column, or add the
            products of some digits.
        once: The number of other instructions, which a thread executes once.
    """

    columns: int
    registers: int
    spilled: int
    row: SassCount
    once: int

    def per_result(self, goals: int) -> float:
        """Return the instructions per residue of the result, if the result has ``goals`` rows.

        They include a share of the instructions that a thread executes once.
        """
        return (self.row.total + self.once / goals) / self.columns


def count_rows(spec: RowsSpec, arch: str = "sm_90") -> CountedRows:
    """Count the machine code of a kernel on rows: the longest innermost loop, and the rest.

    The loop is over the rows of the result or over digits. A loop over digits has a second body for the
    remaining digits if their number is not a multiple of those of the first body.

    Args:
        spec: The specification of the kernel.
        arch: The architecture, such as "sm_90".

    Raises:
        MomagenError: NVRTC or nvdisasm is not installed, or does not support the architecture.
    """
    made = device_rows(spec)
    program = made.program
    assert isinstance(program, RowsProgram)
    compiled, (run,) = compile_cuda(cuda_kernels(program, made.target), arch), program.run
    function, taken = disassemble(compiled.cubin)[run.kernel], read_resources(compiled.log)[run.kernel]
    body = max(function.innermost, key=len)
    spilled = taken.spill_stores + taken.spill_loads
    once = len(function.lines) - len(body)
    return CountedRows(run.group // run.threads, taken.registers, spilled, instructions_of(body), once)


def counted_spec(bits: int, *, baked: bool = False, target: str = "cuda", n: int = POINTS) -> Spec:
    """Return the specification of a transform modulo a prime of ``bits`` bits; for 64 bits, the Goldilocks prime.

    Args:
        bits: The width of the modulus in bits.
        baked: Whether the modulus is a constant of the code instead of being read from memory.
        target: The name of the target.
        n: The number of points.
    """
    options = {"bake": "yes"} if baked else {}
    if bits == 64:
        return make_spec("ntt", n=n, target=target, options=options, modulus=GOLDILOCKS)
    return make_spec("ntt", n=n, target=target, options=options, bits=-(-bits // 32) * 32, modulus_bits=bits)


def count_butterfly(spec: Spec, arch: str = "sm_90") -> CountedKernel:
    """Count the machine code of one radix-2 butterfly with its loads and stores.

    Args:
        spec: The specification of the transform.
        arch: The architecture, such as "sm_90".

    Raises:
        MomagenError: NVRTC or nvdisasm is not installed, or does not support the architecture.
    """
    text = cuda_kernels(butterfly_program(spec), spec.target)
    return CountedKernel(NAME, survey(compile_cuda(text, arch))[NAME])


def count_passes(spec: Spec, arch: str = "sm_90") -> list[CountedKernel]:
    """Count the machine code of the kernels that a call launches.

    The kernels that create plans are not compiled.

    Args:
        spec: The specification of the transform.
        arch: The architecture, such as "sm_90".

    Raises:
        MomagenError: NVRTC or nvdisasm is not installed, or does not support the architecture.
    """
    program = lowered(spec).program
    assert isinstance(program, DeviceProgram)
    found = survey(compile_cuda(cuda_kernels(_of_calls(program), spec.target), arch))
    return [CountedKernel(launch.kernel, found[launch.kernel]) for launch in program.run]


def _of_calls(program: DeviceProgram) -> DeviceProgram:
    """Return the program without the functions that create plans."""
    names = {launch.kernel for launch in program.run}
    called = {name: each for name, each in program.functions.items() if name in names or name.startswith("codelet")}
    return program._replace(functions=called)
