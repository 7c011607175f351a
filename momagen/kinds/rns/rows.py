"""What kinds of kernels on the rows of RNS bases have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from momagen.kernels.rns.format import LONGEST
from momagen.kinds.columns import ColumnsKind
from momagen.kinds.limits import Limit, check
from momagen.languages import COMPILED, CUDA, JAX, MachineModel
from momagen.lazy import on_call

from .basis import PrimesOfWidth, RowsSpec
from .interfaces.interface import RowsInterface

if TYPE_CHECKING:
    from momagen.api.kernel import Kernel
    from momagen.bench import Result
    from momagen.clib.member import Member
    from momagen.emit import Source
    from momagen.emit.claim import Claim
    from momagen.lower.lowered import Lowered
    from momagen.lower.writer import ProgramWriter
    from momagen.program.device import RowsProgram
    from momagen.runtime.runner import Runner

SOURCES: Mapping[str, Callable[..., Source]] = {
    COMPILED: on_call("momagen.emit.c.rows", "rows_source"),
    CUDA: on_call("momagen.emit.cuda.rows", "cuda_rows_source"),
}
"""The generators of all such kernels, by the language of the target."""
RUNNERS: Mapping[str, Callable[..., Any]] = {
    CUDA: on_call("momagen.cuda.rows", "RowsModule"), JAX: on_call("momagen.emit.jax.running.matrix", "run_matrix"),
}  # fmt: skip
rows_claim: Callable[[], Claim] = on_call("momagen.emit.claim", "rows_claim")
rows_plan: Callable[..., Any] = on_call("momagen.runtime.plans.rows", "RowsPlan")
rows_member: Callable[..., Member] = on_call("momagen.clib.rows_member", "rows_member")
bench_rows: Callable[..., Result] = on_call("momagen.bench.measure.rows", "bench_rows")
unary_caller: Callable[..., Any] = on_call("momagen.api.rns.callers", "unary_caller")


class EntryPoints(NamedTuple):
    """The functions of a program in C.

    Attributes:
        tables: Returns the number of words of a plan.
        room: Returns the number of words of a call's scratch array.
        setup: Writes the words of a plan.
        run: Computes a part of a call.
    """

    tables: str
    room: str
    setup: str
    run: str


class RowsLowering(NamedTuple):
    """How kernels are lowered.

    Attributes:
        write: The function that writes a program in C; it takes the request and the entry points.
        write_device: The function that writes a program for a device; it takes the writer and the request.
        names: The entry points of the program in C.
    """

    write: Callable[[Any, EntryPoints], Lowered]
    write_device: Callable[[ProgramWriter, Any], RowsProgram]
    names: EntryPoints


sum_products: Callable[..., RowsProgram] = on_call("momagen.lower.rns.device", "sum_products")
convert_by_sums: Callable[..., Lowered] = on_call("momagen.lower.rns.kernels", "convert_by_sums")


LIMITS = (
    Limit(lambda request: request.target.syntax not in request.kind.sources, "target",
          "{0.kind} is not available on {0.target}", "use a target in C with 64-bit words, or cuda"),
)  # fmt: skip
"""The targets for whose languages no source is generated."""


class RowsKind(ColumnsKind):
    """A kind of kernel on the rows of RNS bases."""

    shorthand = PrimesOfWidth
    sources: ClassVar[Mapping[str, Callable[..., Source]]] = SOURCES

    def generate(self, request: RowsSpec) -> Source:
        """Return the generated source."""
        check(request, LIMITS)
        return self.sources[request.target.syntax](request)

    def goals(self, request: RowsSpec) -> tuple[int, ...]:
        """Return the moduli of the rows of the result."""
        return request.goals

    def served(self, request: RowsSpec) -> str:
        """Return the moduli that one build serves, in words."""
        if request.target.machine is MachineModel.ARRAYS:
            return f"odd moduli below 2^{request.bits}"
        return request.interface.served

    @abstractmethod
    def interface(self, request: Any) -> RowsInterface:
        """Return the C interface of a kernel in C or CUDA."""

    @abstractmethod
    def lowering(self, request: Any) -> RowsLowering:
        """Return how a kernel in C or CUDA is lowered."""

    def claim(self, request: RowsSpec) -> Claim:
        """Return what generated files say about their verification."""
        return rows_claim()

    def runner(self, syntax: str) -> Callable[[Source], Runner] | None:
        """Return the function that makes a source callable, or None for C."""
        return RUNNERS.get(syntax)

    def bases(self, request: Any) -> Sequence[Sequence[int]]:
        """Return the bases that ``create`` takes."""
        return [request.moduli]

    def numbers(self, request: Any) -> Mapping[str, int]:
        """Return the other numbers that ``create`` takes in C, by name."""
        return {}

    def device_arrays(self, request: Any) -> Sequence[Sequence[int]]:
        """Return the arrays of words that set-up reads on a GPU."""
        return self.bases(request)

    def device_numbers(self, request: Any) -> Mapping[str, int]:
        """Return the numbers of a plan for a GPU; "goals" is the number of rows that blocks of threads compute."""
        return {"goals": len(request.goals)}

    def plan(self, kernel: Kernel) -> Any:
        """Return the plan of a compiled kernel for its own moduli."""
        compiled: Any = kernel.compiled
        spec = kernel.spec
        if kernel.target.machine is MachineModel.THREADS:
            return compiled.plan(self.device_arrays(spec), self.device_numbers(spec))
        if kernel.target.machine is MachineModel.ARRAYS:
            return compiled.plan(len(spec.goals), spec.moduli, *self.bases(spec))
        return rows_plan(compiled, self.bases(spec), self.numbers(spec))

    def caller(self, kernel: Kernel) -> Callable[..., Any]:
        """Return the function that checks operands and calls the kernel."""
        return unary_caller(kernel)  # type: ignore[no-any-return]

    def bench(self, kernel: Kernel, *, repetitions: int, seconds: float) -> Result:
        """Time the kernel."""
        return bench_rows(kernel, self.tops(kernel.spec), repetitions=repetitions, seconds=seconds)

    def tops(self, request: Any) -> Sequence[Sequence[int]]:
        """Return, for each operand, the number above the residues of each row."""
        return [request.moduli]

    def reversed(self, request: Any) -> Any:
        """Return the request for the reversed basis, which the known answers of libraries also test, or None."""
        return None if request.bits > LONGEST else replace(request, moduli=request.moduli[::-1])

    def member(self, wanted: Any, library: str, own: Any, made_by: str) -> Member:
        """Return the kernel as a part of a C library."""
        return rows_member(wanted, library, own, made_by)
