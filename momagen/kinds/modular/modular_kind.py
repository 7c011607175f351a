"""The kinds of kernels modulo one number or a basis: transforms, products and vector operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from momagen.kinds.kind import Kind
from momagen.kinds.modular.kinds import MADE
from momagen.kinds.modular.spec import Spec
from momagen.kinds.registry import register
from momagen.languages import B512, CUDA, JAX
from momagen.lazy import on_call

if TYPE_CHECKING:
    from momagen.api.kernel import Kernel
    from momagen.bench import Result
    from momagen.clib.member import Member
    from momagen.emit import Source
    from momagen.emit.claim import Claim
    from momagen.runtime.runner import Runner
    from momagen.verify import Progress, Report

RUNNERS: Mapping[str, Callable[..., Any]] = {
    B512: on_call("momagen.simulate.runner", "run_b512"), CUDA: on_call("momagen.cuda.runner", "run_cuda"),
    JAX: on_call("momagen.emit.jax.running.kernel", "run_jax"),
    "python": on_call("momagen.emit.python.runner", "run_module"),
}  # fmt: skip
"""The functions that make a source callable, by the language of the target, except for C."""
CALLERS: Mapping[str, Callable[..., Any]] = {
    CUDA: on_call("momagen.api.calls.on_device", "device_caller"),
    JAX: on_call("momagen.api.calls.on_arrays", "arrays_caller"),
}
"""The constructors of callers for arrays other than NumPy's, by the language of the target."""
specify: Callable[..., Spec] = on_call("momagen.api.request", "specify")
what: Callable[[Spec], str] = on_call("momagen.api.display", "what")
modular_facts: Callable[[Spec], Mapping[str, str]] = on_call("momagen.api.display", "modular_facts")
modular_data: Callable[[Spec], Mapping[str, object]] = on_call("momagen.api.display", "modular_data")
kernel_member: Callable[..., Member] = on_call("momagen.clib.kernel_member", "kernel_member")
specified: Callable[..., Spec] = on_call("momagen.clib.request", "specified")
spec_values: Callable[[Spec], Mapping[str, object]] = on_call("momagen.api.manifest", "spec_values")
read_spec: Callable[[object, str], Spec] = on_call("momagen.api.manifest", "read_spec")
modular_source: Callable[[Spec], Source] = on_call("momagen.emit.kernel", "modular_source")
modular_claim: Callable[[Spec], Claim] = on_call("momagen.emit.claim", "modular_claim")
basis_plan: Callable[..., Any] = on_call("momagen.runtime.plans.basis", "basis_plan")
caller_of: Callable[..., Any] = on_call("momagen.api.calls.words.callers", "caller_of")
sized_call: Callable[..., Any] = on_call("momagen.api.calls.sized", "sized_call")
verify: Callable[..., Report] = on_call("momagen.verify", "verify")
bench_kernel: Callable[..., Result] = on_call("momagen.bench", "bench_kernel")
TIMED = 4096
"""The number of points that is timed of a kernel that ``ntt("any")`` built."""


class ModularKind(Kind):
    """A kind of kernel whose request is a :class:`momagen.kinds.modular.spec.Spec`."""

    name: str  # type: ignore[misc]
    title: ClassVar[str] = ""
    request: ClassVar[Any] = Spec

    def __init__(self, name: str) -> None:
        self.name = name

    def resolve(self, values: Mapping[str, object]) -> Spec:
        """Return the checked request; see :func:`momagen.api.request.specify`."""
        return specify(self.name, **values)

    def describe(self, request: Spec) -> str:
        """Return what the kernel computes, in words."""
        return what(request)

    def operands(self, request: Spec) -> tuple[str, ...]:
        """Return the names of the operands of a call, in order: scalars, then vectors."""
        return tuple(request.ranges.operands)

    def goals(self, request: Spec) -> tuple[int, ...]:
        """Return the moduli of the result."""
        return request.basis or (request.modulus,)

    def served(self, request: Spec) -> str:
        """Return the moduli that one build serves, in words."""
        return request.moduli

    def facts(self, request: Spec) -> Mapping[str, str]:
        """Return the rows of the kernel's reports, by heading."""
        return modular_facts(request)

    def to_manifest(self, request: Spec) -> Mapping[str, object]:
        """Return the request as JSON values."""
        return spec_values(request)

    def from_manifest(self, values: object, where: str) -> Spec:
        """Return the checked request that a manifest holds."""
        return read_spec(values, where)

    def generate(self, request: Spec) -> Source:
        """Return the generated source."""
        return modular_source(request)

    def claim(self, request: Spec) -> Claim:
        """Return what generated files say about their verification."""
        return modular_claim(request)

    def runner(self, syntax: str) -> Callable[[Source], Runner] | None:
        """Return the function that makes a source callable, or None for C."""
        return RUNNERS.get(syntax)

    def plan(self, kernel: Kernel) -> Any:
        """Return the plan for the kernel's modulus and root, or for its basis."""
        compiled = kernel.compiled
        return basis_plan(compiled) if kernel.spec.basis else compiled.plan(kernel.modulus, kernel.spec.told_root)

    def caller(self, kernel: Kernel) -> Callable[..., Any]:
        """Return the caller for the arrays of the kernel's language."""
        if kernel.spec.sized:
            return partial(sized_call, kernel)
        make = CALLERS.get(kernel.target.syntax, caller_of)
        return make(kernel.compiled, kernel.tables)  # type: ignore[no-any-return]

    def verify(self, kernel: Kernel, *, seed: int, progress: Progress, sizes: Sequence[int]) -> Report:
        """Compare the kernel with gmpy2; see :func:`momagen.verify.verify`."""
        return verify(kernel, seed=seed, progress=progress, sizes=sizes)

    def bench(self, kernel: Kernel, *, repetitions: int, seconds: float) -> Result:
        """Time the kernel; of a kernel for any size, 4096 points or the longest transform."""
        timed = kernel.at(min(kernel.n, TIMED)) if kernel.spec.sized else kernel
        return bench_kernel(timed, repetitions=repetitions, seconds=seconds)


    def member(self, wanted: Any, library: str, own: Any, made_by: str) -> Member:
        """Return the kernel as a part of a C library."""
        return kernel_member(wanted, library, own, made_by)

    def library_request(self, values: Mapping[str, object]) -> Spec:
        """Return the checked request for a kernel of a library, for no target yet."""
        return specified(self.name, values)

    def data(self, request: Spec) -> Mapping[str, object]:
        """Return the properties of the request that JSON reports contain."""
        return modular_data(request)


for each in MADE:
    register(ModularKind(each))
