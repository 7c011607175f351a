"""A kind of kernel: its parameters and the functions that generate, compile, call and check its kernels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from momagen.errors import among, build_error
from momagen.lazy import on_call
from momagen.targets import Target

from .command import KindCommand
from .parameter import Parameter, ParameterRole, parameters_of

if TYPE_CHECKING:
    from momagen.api.kernel import Kernel
    from momagen.bench import Result
    from momagen.clib.member import Member
    from momagen.emit import Source
    from momagen.emit.claim import Claim
    from momagen.runtime.runner import Runner
    from momagen.verify import Progress, Report

find_kind: Callable[[str, str], Kind] = on_call("momagen.kinds.registry", "restored")
IN_USAGE = ("modulus_bits", "target")
"""The optional parameters that the usage line names."""


def restored(name: str, module: str) -> Kind:
    """Return the kind ``name``, which ``module`` registers unless momagen has it."""
    return find_kind(name, module)


class BuiltKernel(Protocol):
    """What kinds need to know of a kernel; see :class:`momagen.Kernel`."""

    @property
    def name(self) -> str:
        """The prefix of its functions."""

    @property
    def spec(self) -> Any:
        """The request."""

    @property
    def target(self) -> Target:
        """The target."""

    @property
    def compiled(self) -> Any:
        """The loaded code."""

    @property
    def tables(self) -> Any:
        """The plan."""


class Kind(ABC):
    """A kind of kernel.

    An instance is registered by :func:`momagen.kinds.registry.register`, after which the command line, the Python
    interface, saved kernels, verification, benchmarks and libraries know the kind.

    Attributes:
        name: The name, such as "convert": the command, and the key ``kind`` of libraries and manifests.
        title: What the kernels do, as the help of the command says it.
        request: The dataclass of checked requests, which declares the parameters.
        shorthand: A dataclass that declares parameters which only determine others, or None.
        runs_on_gpus: Whether libraries may contain its kernels for GPUs.
        has_passes: Whether options select the passes of its transforms.
        examples: The arguments of the commands that the help shows.
        sample: The values of the parameters that a representative kernel needs.
        manual: The docstring of the Python function, without the section ``Args``, which follows from the parameters.
            A kind without a manual has no generated function.
        manual_of_options: The description of the options, if it is not the usual one.
        manual_of_kind: The description of the argument that selects the kind, if several kinds have one function.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    request: ClassVar[Any]
    shorthand: ClassVar[Any] = None
    examples: ClassVar[Sequence[str]] = ()
    manual: ClassVar[str] = ""
    manual_of_options: ClassVar[str] = ""
    manual_of_kind: ClassVar[str] = ""
    runs_on_gpus: ClassVar[bool] = False
    has_passes: ClassVar[bool] = False
    sample: ClassVar[Mapping[str, object]] = {}

    @property
    def has_inverse(self) -> bool:
        """Whether each kernel has an inverse of the same kind."""
        return "inverse" in self.parameters

    @property
    def is_modular(self) -> bool:
        """Whether the kernels consist of transforms, sums and products, which machines compute that work modulo q."""
        return False

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """The parameters by the names of their arguments in Python."""
        declared = [*parameters_of(self.request).values()]
        declared += parameters_of(self.shorthand).values() if self.shorthand else ()
        return {each.name: each for each in declared}

    def __reduce__(self) -> tuple[Callable[..., Kind], tuple[str, str]]:
        """Pickle the kind as its name and the module that registers it."""
        return restored, (self.name, type(self).__module__)

    def __str__(self) -> str:
        return self.name

    @property
    def command_words(self) -> Sequence[str]:
        """The words of a command line that select the kind."""
        return [self.name]

    @property
    def maker(self) -> str:
        """The name of the Python function, which is also the name of the command."""
        return self.command_words[0]

    @property
    def command(self) -> KindCommand:
        """What the command line needs to know; the usage has required options, and those of ``IN_USAGE``."""
        known = list(self.parameters.values())
        needed = [f"{each.flag} {each.param.metavar}" for each in known if each.is_required]
        some = [f"[{each.flag} {each.param.metavar}]" for name in IN_USAGE for each in known if each.name == name]
        return KindCommand(self.parameters, " ".join([*needed, *some, "[options]"]), self.examples)

    def samples(self) -> Iterator[Mapping[str, object]]:
        """Yield representative values of parameters for tables of support, besides ``sample``."""
        for each in self.parameters.values():
            yield from each.samples

    # Requests.

    @abstractmethod
    def resolve(self, values: Mapping[str, object]) -> Any:
        """Return the checked request for values as users write them.

        Args:
            values: Values by the names of arguments; None stands for the default.

        Raises:
            MomagenError: A value is missing or invalid, or the values do not fit each other.
        """

    @abstractmethod
    def describe(self, request: Any) -> str:
        """Return what a kernel computes, in words: the first line of its reports."""

    def operands(self, request: Any) -> tuple[str, ...]:
        """Return the names of the operands of a call, in order: scalars, then vectors."""
        return tuple(request.operands)

    def with_modulus(self, request: Any, modulus: int, root: int | None) -> Any:
        """Return the request for another modulus that the same build serves.

        Args:
            request: The request of the build.
            modulus: The other modulus.
            root: The root of unity, or None for the smallest one.

        Raises:
            MomagenError: Kernels of this kind have several moduli, or the build does not serve the modulus.
        """
        problem = f"with_modulus() is not available for kernels of the kind {self.name}"
        raise build_error(problem, request.name, "build a kernel for the other moduli")

    def goals(self, request: Any) -> tuple[int, ...]:
        """Return the moduli of the rows of the result."""
        return tuple(request.moduli)

    @abstractmethod
    def served(self, request: Any) -> str:
        """Return the moduli that one build serves, in words."""

    @abstractmethod
    def facts(self, request: Any) -> Mapping[str, str]:
        """Return the rows of a kernel's reports that follow the description, by heading."""

    @abstractmethod
    def to_manifest(self, request: Any) -> Mapping[str, object]:
        """Return a request as JSON values, from which :meth:`from_manifest` restores it."""

    @abstractmethod
    def from_manifest(self, values: object, where: str) -> Any:
        """Return the checked request that a manifest holds.

        Args:
            values: The JSON values.
            where: The place in the manifest, for errors.

        Raises:
            MomagenError: A value is missing or invalid.
        """

    # Code.

    @abstractmethod
    def generate(self, request: Any) -> Source:
        """Return the generated source.

        Raises:
            MomagenError: The target does not support the kernel.
        """

    def check_target(self, request: Any) -> None:
        """Check that the target supports the kernel of a checked request.

        Raises:
            MomagenError: It does not; the error is the same as from :meth:`generate`.
        """
        self.generate(request)

    @abstractmethod
    def claim(self, request: Any) -> Claim:
        """Return what generated files say about their verification."""

    @abstractmethod
    def runner(self, syntax: str) -> Callable[[Source], Runner] | None:
        """Return the function that makes a source in a language callable, or None if a C compiler does."""

    # Kernels.

    @abstractmethod
    def plan(self, kernel: Kernel) -> Any:
        """Return the plan of a compiled kernel for its own parameters: tables and other constants."""

    @abstractmethod
    def caller(self, kernel: Kernel) -> Callable[..., Any]:
        """Return the function that checks and converts operands and calls the kernel, ``f(operands, out)``."""

    @abstractmethod
    def verify(self, kernel: Kernel, *, seed: int, progress: Progress, sizes: Sequence[int]) -> Report:
        """Compare a kernel with its definition on integers of gmpy2."""

    @abstractmethod
    def bench(self, kernel: Kernel, *, repetitions: int, seconds: float) -> Result:
        """Time a kernel.

        Raises:
            MomagenError: This machine cannot time the kernel.
        """

    # Libraries and reports.

    def member(self, wanted: Any, library: str, own: Any, made_by: str) -> Member:
        """Return a kernel as a part of a C library.

        Args:
            wanted: The request for the kernel, a :class:`momagen.clib.request.Wanted`.
            library: The name of the library.
            own: The kernel's ISA variants, best first.
            made_by: The command that generates the library.

        Raises:
            MomagenError: Libraries cannot contain such kernels.
        """
        raise build_error(f"C libraries cannot contain kernels of the kind {self.name}", f"kernel {wanted.name}")

    @property
    def library_keys(self) -> Sequence[str]:
        """The parameters that libraries accept, which determine the meaning of a kernel."""
        return [
            name for name, each in self.parameters.items()
            if each.param.role <= ParameterRole.SHORTHAND and each.param.in_libraries
        ]  # fmt: skip

    def library_request(self, values: Mapping[str, object]) -> Any:
        """Return the checked request for a kernel of a library, for no target yet.

        Args:
            values: Values by name, without those of parameters that only concern single kernels.

        Raises:
            MomagenError: A value is invalid, or libraries do not accept it.
        """
        if unknown := [name for name in values if name not in self.library_keys]:
            raise among(f"only the keys of {self.name}:", self.library_keys, unknown[0], "keys")
        return self.resolve(values)

    def data(self, request: Any) -> Mapping[str, object]:
        """Return the properties of a request that JSON reports contain."""
        return self.to_manifest(request)
