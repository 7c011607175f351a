"""Machine code, counted: one butterfly by itself, the kernels of a transform, and conversions between bases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from momagen.emit.cuda.file import cuda_kernels
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.spec import Spec
from momagen.kinds.rns.basis import RowsSpec
from momagen.lower.rns.device import device_rows
from momagen.lower.threads.butterfly import NAME, butterfly_program
from momagen.lower.threads.programs import device_program
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
    """A kernel as an architecture has it."""

    name: str
    surveyed: SurveyedKernel

    @property
    def registers(self) -> int:
        return self.surveyed.resources.registers

    @property
    def spilled(self) -> int:
        """Bytes that a thread stores and loads because there were too few registers."""
        return self.surveyed.resources.spill_stores + self.surveyed.resources.spill_loads

    @property
    def instructions(self) -> int:
        """All of them, as they stand in the machine code."""
        return self.surveyed.count.total

    @property
    def arithmetic(self) -> int | None:
        """Those that stored values depend on; None where there are loops."""
        return self.surveyed.arithmetic.total if self.surveyed.arithmetic else None

    @property
    def classes(self) -> Mapping[str, int]:
        """By class: the arithmetic, or where there are loops everything."""
        return (self.surveyed.arithmetic or self.surveyed.count).classes


@dataclass(frozen=True)
class CountedRows:
    """A kernel on the rows of an RNS basis as an architecture has it.

    Attributes:
        columns: the number of columns of a thread. registers, spilled: as of a :class:`CountedKernel`.
        row: the instructions of the loop, by class: they compute one residue of the result for every column, or add the
            products of some digits.
        once: the number of other instructions, which a thread executes once.
    """

    columns: int
    registers: int
    spilled: int
    row: SassCount
    once: int

    def per_result(self, goals: int) -> float:
        """The instructions of one result of ``goals``, with its share of those that a thread executes once."""
        return (self.row.total + self.once / goals) / self.columns


def count_rows(spec: RowsSpec, arch: str = "sm_90") -> CountedRows:
    """Count the machine code of a kernel on rows: its loop over the rows of the result or over digits, and the rest.

    A loop over digits has a second body for the digits that are no multiple of those of the first one.

    Raises:
        MomagenError: no NVRTC or nvdisasm, or none that knows the architecture.
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
    """A transform modulo a prime of so many bits; of 64, the one that is called Goldilocks.

    Args:
        baked: whether the modulus stands in the code; else it is read from memory.
    """
    options = {"bake": "yes"} if baked else {}
    if bits == 64:
        return make_spec("ntt", n=n, target=target, options=options, modulus=GOLDILOCKS)
    return make_spec("ntt", n=n, target=target, options=options, bits=-(-bits // 32) * 32, modulus_bits=bits)


def count_butterfly(spec: Spec, arch: str = "sm_90") -> CountedKernel:
    """One butterfly of radix 2, with loads and stores around it.

    Raises:
        MomagenError: no NVRTC or nvdisasm, or none that knows the architecture.
    """
    text = cuda_kernels(butterfly_program(spec), spec.target)
    return CountedKernel(NAME, survey(compile_cuda(text, arch))[NAME])


def count_passes(spec: Spec, arch: str = "sm_90") -> list[CountedKernel]:
    """The kernels that a call launches; those that make plans are not compiled.

    Raises:
        MomagenError: no NVRTC or nvdisasm, or none that knows the architecture.
    """
    program = device_program(spec)[1]
    found = survey(compile_cuda(cuda_kernels(_of_calls(program), spec.target), arch))
    return [CountedKernel(launch.kernel, found[launch.kernel]) for launch in program.run]


def _of_calls(program: DeviceProgram) -> DeviceProgram:
    """``program`` without what makes plans."""
    names = {launch.kernel for launch in program.run}
    called = {name: each for name, each in program.functions.items() if name in names or name.startswith("codelet")}
    return program._replace(functions=called)
