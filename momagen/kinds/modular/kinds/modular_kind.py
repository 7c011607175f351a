"""The base class of the kinds of kernels modulo one number or a basis: transforms, products and vector operations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar

from momagen.errors import build_error
from momagen.kernels.elementwise.blas import ElementwiseKernel
from momagen.kinds.command import KindCommand
from momagen.kinds.kind import Kind
from momagen.kinds.limits import Limit, check
from momagen.kinds.modular.spec import Spec
from momagen.kinds.parameter import Parameter, ParameterRole
from momagen.languages import B512, CUDA, JAX
from momagen.lazy import on_call
from momagen.renamed import renewed

if TYPE_CHECKING:
    from momagen.api.kernel import Kernel
    from momagen.bench import Result
    from momagen.clib.member import Member
    from momagen.emit import Source
    from momagen.emit.claim import Claim
    from momagen.kinds.modular.making.request import KernelRequest
    from momagen.params.words import Words
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
make_with_modulus: Callable[..., Spec] = on_call("momagen.kinds.modular.make_spec", "with_modulus")
multiplies_quickly: Callable[[Spec], bool] = on_call("momagen.verify.definitions", "multiplies_quickly")
transform_kernel: Callable[..., Any] = on_call("momagen.lower.transforms", "transform_kernel")
read_request: Callable[..., KernelRequest] = on_call("momagen.kinds.modular.making.reading", "read_request")
fitted: Callable[[KernelRequest], Spec] = on_call("momagen.plan.options.fitting", "fitted")
plans: Callable[[Spec], Any] = on_call("momagen.plan.ways", "plans")
reasons: Callable[[Spec, str], list[str]] = on_call("momagen.plan.ways", "reasons")
modular_facts: Callable[[Spec], Mapping[str, str]] = on_call("momagen.api.display", "modular_facts")
modular_data: Callable[[Spec], Mapping[str, object]] = on_call("momagen.api.display", "modular_data")
kernel_member: Callable[..., Member] = on_call("momagen.clib.kernel_member", "kernel_member")
spec_values: Callable[[Spec], Mapping[str, object]] = on_call("momagen.api.manifest", "spec_values")
read_spec: Callable[[object, str], Spec] = on_call("momagen.api.manifest", "read_spec")
modular_source: Callable[[Spec], Source] = on_call("momagen.emit.kernel", "modular_source")
modular_program: Callable[[Spec], Any] = on_call("momagen.emit.kernel", "modular_program")
modular_claim: Callable[[Spec], Claim] = on_call("momagen.emit.claim", "modular_claim")
basis_plan: Callable[..., Any] = on_call("momagen.runtime.plans.basis", "basis_plan")
caller_of: Callable[..., Any] = on_call("momagen.api.calls.words.callers", "caller_of")
sized_call: Callable[..., Any] = on_call("momagen.api.calls.sized", "sized_call")
verify: Callable[..., Report] = on_call("momagen.verify", "verify")
defined_trial: Callable[..., Any] = on_call("momagen.verify.defined", "DefinedTrial")
bench_kernel: Callable[..., Result] = on_call("momagen.bench", "bench_kernel")
TIMED = 4096
"""The largest number of points for which ``bench`` times a kernel of any size."""
NO_FORMULA = ElementwiseKernel("x")
"""The formula of kernels that are not element-wise."""


class ModularKind(Kind):
    """A kind of kernel whose request is a :class:`momagen.kinds.modular.spec.Spec`.

    Attributes:
        name: The name of the kind.
        vectors: The names of its operands.
        result: The name of its result in C.
        expression: The formula of an element-wise kernel.
        usual_factors: The default factors of the ranges of operands and results; 0 means all numbers
            that words hold.
        has_points: Whether its vectors have a number of points, and its tables a root of unity.
        unit: The unit of its time.
        thing: A noun for one operand.
        own_command: The command with its parameters and options.
        joins_transforms: Whether a result of one of its transforms is the operand of another, in any layout.
        has_special_tables: Whether its transforms may exploit the form of the modulus 2^64 - 2^32 + 1.
        recurs: Whether results recur if they are the operands of the next call: "never" for bijections,
            "composite" if only for a composite modulus, or "soon".
        run: The name of the generated function that computes one result by a forward and an inverse
            transform.
        meaning: The template of the description of ``execute`` in C.
        computes: The beginning of that description, such as "Computes z = x·y", if it has no separate
            template.
        transform_count: The number of transforms that compute one result.
        splits_among_threads: Whether several threads may compute one long result.
        limits: The combinations of parameters, options and targets that only this kind does not support.
    """

    name: str  # type: ignore[misc]
    request: ClassVar[Any] = Spec
    own_command: ClassVar[KindCommand]
    sample: ClassVar[Mapping[str, object]] = {"modulus_bits": 60}
    vectors: ClassVar[tuple[str, ...]] = ("x",)
    expression: ElementwiseKernel = NO_FORMULA
    usual_factors: tuple[int, int] = (1, 1)
    result: ClassVar[str] = "y"
    has_points: ClassVar[bool] = True
    unit: ClassVar[str] = "element"
    thing: ClassVar[str] = ""
    joins_transforms: ClassVar[bool] = False
    has_special_tables: ClassVar[bool] = False
    splits_among_threads: ClassVar[bool] = False
    transform_count: ClassVar[int] = 0
    run: ClassVar[str] = ""
    meaning: ClassVar[str] = "c/meaning/polynomials.txt.j2"
    computes: ClassVar[str] = ""
    runs_on_gpus: ClassVar[bool] = True
    limits: ClassVar[Sequence[Limit]] = ()
    recurs: str = "soon"

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def command(self) -> KindCommand:
        """The command with its parameters and options."""
        return self.own_command

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """The parameters other than the options, by name."""
        return self.own_command.parameters

    @cached_property
    def option_values(self) -> Mapping[str, tuple[str, ...]]:
        """The options, each with its values, or () if its values are not listed."""
        return {name: each.values for name, each in self.own_command.options.items()}

    def samples(self) -> Iterator[Mapping[str, object]]:
        """Yield representative values of the parameters and options."""
        known = self.parameters
        for each in known.values():
            for sample in each.samples if each.param.role is not ParameterRole.SHORTHAND else ():
                if [*sample][-1] in known:
                    yield {name: value for name, value in sample.items() if name in known}
        for name in self.option_values:
            yield from self._samples_of_option(name)

    def _samples_of_option(self, name: str) -> Iterator[Mapping[str, object]]:
        """Yield the last listed value of an option, or else its declared samples of options that this kind has."""
        values, option = self.option_values, self.own_command.options[name]
        if values[name]:
            yield {name: values[name][-1]}
        elif option.param.samples:
            yield from (each for each in option.samples if all(values[other] for other in each if other != name))

    def operand_factors(self, factor: int) -> dict[str, int]:
        """Return the factors of the ranges of operands, scalars first, for vectors below ``factor``·q."""
        return dict.fromkeys(self.vectors, factor)

    def check(self, asked: KernelRequest) -> None:
        """Check the requirements of this kind for a request that do not depend on the modulus.

        Raises:
            MomagenError: A limit of this kind applies.
        """
        check(asked, self.limits)

    def transforms(self, request: Spec, points: int = 1, lazy: int = 1) -> dict[str, Spec]:
        """Return the transforms of which a kernel consists, by the names of their functions.

        Args:
            request: The request.
            points: Points in a product are below points·q.
            lazy: Products of points are below lazy·q.
        """
        return {}

    def reference_of(self, inverse: bool) -> str:
        """Return the key of the factor in the reference implementation of a preset, or "" if it has none."""
        return ""

    def plans(self, request: Spec) -> Any:
        """Return the planned transforms of a kernel, or None for a kernel without transforms."""
        return plans(request) if request.n else None

    def lower(self, request: Spec) -> Any:
        """Return the lowered program of a kernel for a processor."""
        planned = self.plans(request)
        return transform_kernel(request, planned, reasons(request, planned.way))

    def vectors_of_memory(self, request: Spec) -> int:
        """Return the number of vectors that the function ``run`` stores besides its result."""
        return 1

    def grows(self, blowup: int) -> int:
        """Return the number of residues of the result for each residue of an operand."""
        return 1

    def multiplies_remainders(self, request: Spec | KernelRequest) -> bool:
        """Return whether a kernel multiplies remainders modulo factors x^d - z."""
        return False

    def work(self, request: Spec) -> int:
        """Return the number of butterflies or elements of one result."""
        return 1

    def define(
        self, request: Spec, q: int, root: int, given: Sequence[Words], indices: Sequence[int]
    ) -> list[int]:  # fmt: skip
        """Return the correct outputs at some indices, by definition.

        Args:
            request: The request.
            q: The modulus.
            root: The root of unity, or 0.
            given: The operands in 64-bit words, of shape (…, words), scalars first.
            indices: The indices of the outputs.
        """
        raise NotImplementedError

    def is_defined_quickly(self, request: Spec) -> bool:
        """Return whether all outputs can be computed by definition in little time."""
        return multiplies_quickly(request)

    def trial(self, runner: Any, tally: Any, seed: int, twin: Any) -> Callable[[int, int], Any]:
        """Return the function that returns the trial of a build for a modulus and a root.

        Args:
            runner: The build.
            tally: The counts of compared values.
            seed: The seed of the random values.
            twin: A function that returns the build of the inverse direction.
        """
        return lambda q, root: defined_trial(runner, q, root, tally, seed)

    def resolve(self, values: Mapping[str, object]) -> Spec:
        """Return the checked request for values as users write them."""
        return fitted(read_request(self, values))

    def headline(self, request: Spec) -> str:
        """Return the first line of the kernel's files, which says what it computes, without a full stop."""
        raise NotImplementedError

    def operands(self, request: Spec) -> tuple[str, ...]:
        """Return the names of the operands of a call, in order: scalars, then vectors."""
        return tuple(request.ranges.operands)

    def goals(self, request: Spec) -> tuple[int, ...]:
        """Return the moduli of the result."""
        return request.basis or (request.modulus,)

    def served(self, request: Spec) -> str:
        """Return a description of the moduli that one build serves."""
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

    def with_modulus(self, request: Spec, modulus: int, root: int | None) -> Spec:
        """Return the request for another modulus that the same build serves."""
        if request.basis:
            problem = f"with_modulus() requires a kernel of one modulus, and this kernel has {len(request.basis)}"
            raise build_error(problem, request.name, "build a kernel for the other moduli")
        return make_with_modulus(request, modulus, root)

    def generate(self, request: Spec) -> Source:
        """Return the generated source."""
        return modular_source(request)

    def check_target(self, request: Spec) -> None:
        """Plan and lower the kernel, as its generation does before it prints the source."""
        modular_program(request)

    def claim(self, request: Spec) -> Claim:
        """Return the statement of generated files about their verification."""
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
        """Time the kernel.

        A kernel of any size is timed for 4096 points, or for its largest size if that is smaller.
        """
        timed = kernel.at(min(kernel.n, TIMED)) if kernel.spec.sized else kernel
        return bench_kernel(timed, repetitions=repetitions, seconds=seconds)

    def member(self, wanted: Any, library: str, own: Any, made_by: str) -> Member:
        """Return the kernel as a part of a C library."""
        return kernel_member(wanted, library, own, made_by)

    @property
    def library_keys(self) -> Sequence[str]:
        """The parameters that libraries accept, and the options."""
        return [*super().library_keys, *self.option_values]

    def library_request(self, values: Mapping[str, object]) -> Spec:
        """Return the checked request for a kernel of a library, whose target is not determined yet."""
        found: Spec = super().library_request(renewed(values))
        return found

    def data(self, request: Spec) -> Mapping[str, object]:
        """Return the properties of the request that JSON reports contain."""
        return modular_data(request)
