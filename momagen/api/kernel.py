"""A kernel in Python: generated at once, compiled when first needed, called like a function."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from momagen.arguments import checked_methods
from momagen.emit import Source
from momagen.emit.claim import claim_of, with_claim
from momagen.errors import MomagenError, build_error
from momagen.kernels.spec.automorphism import check_automorphism
from momagen.kernels.spec.derived.inner import of_size, other_direction
from momagen.kernels.spec.make_spec import with_modulus, with_options
from momagen.kernels.spec.spec import Spec
from momagen.languages import COMPILED, CUDA, JAX
from momagen.lazy import on_call

from .described import Described
from .display import as_html, as_line
from .generated import generated
from .numbers import count, duration, integer

if TYPE_CHECKING:
    from momagen.api.calls.on_arrays import ArraysCaller
    from momagen.api.calls.on_device import DeviceCaller
    from momagen.api.calls.words.callers import HostCaller
    from momagen.bench import Result
    from momagen.build import Compiler
    from momagen.build.compiled import Compiled, Plan
    from momagen.params.words import Words
    from momagen.tune import Advice
    from momagen.verify import Progress, Report

AnyCaller: TypeAlias = "HostCaller | DeviceCaller | ArraysCaller"
TIMED = 4096
"""Points of a transform of any size that is timed."""


caller_of: Callable[..., HostCaller] = on_call("momagen.api.calls.words.callers", "caller_of")
CALLERS: dict[str, Callable[..., AnyCaller]] = {
    CUDA: on_call("momagen.api.calls.on_device", "device_caller"),
    JAX: on_call("momagen.api.calls.on_arrays", "arrays_caller"),
}
"""What calls kernels on arrays that are not NumPy's, by syntax."""
own_words: Callable[..., object] = on_call("momagen.api.calls.own_words", "own_words")
check_transform: Callable[[Spec], None] = on_call("momagen.api.calls.points", "check_transform")
points_of: Callable[..., int] = on_call("momagen.api.calls.shapes", "points_of")
missing_features: Callable[..., list[str]] = on_call("momagen.build.features", "missing_features")
basis_plan: Callable[..., Plan] = on_call("momagen.build.basis", "basis_plan")
compile_kernel: Callable[..., Compiled] = on_call("momagen.build.call", "compile_kernel")
threads_of: Callable[..., int] = on_call("momagen.build.compiled", "threads_of")
verify: Callable[..., Report] = on_call("momagen.verify", "verify")
bench_kernel: Callable[..., Result] = on_call("momagen.bench", "bench_kernel")
watched: Callable[..., AbstractContextManager[Progress]] = on_call("momagen.notebook", "watched")


@checked_methods
class Kernel(Described):
    """A generated kernel; call it on arrays or on integers.

    Called with its operands: transforms as ``k(x)``, products as ``k(x, y)``; of BLAS, scalars first, as ``k(a, x, y)``
    for a·x + y (``k.operands`` names them). Made by :func:`momagen.ntt`, :func:`momagen.blas`, :func:`momagen.polymul`
    and :func:`momagen.load`. Several threads may use one kernel.
    """

    def __init__(
        self, generated: Source, compiled: Compiled | None = None, wisdom: Advice | None = None,
        spec: Spec | None = None,
    ) -> None:  # fmt: skip
        super().__init__(generated, wisdom, spec)
        self._lock = threading.RLock()
        self._compiled = compiled
        self._tables: Plan | None = None
        self._caller: AnyCaller | None = None
        self._sizes: dict[int, Kernel] = {}

    @property
    def emulated(self) -> bool:
        """Whether this CPU lacks the target's features, so that plain-C stand-ins do the work."""
        missing = self._compiled.missing if self._compiled else missing_features(self.target.features)
        return bool(missing)

    @property
    def timed(self) -> bool:
        """Whether it is machine code of this CPU, whose time says something."""
        return self.target.syntax == COMPILED and not self.emulated

    @property
    def compiled(self) -> Compiled:
        """The loaded library; compiled when first asked for."""
        return self.compile()

    @property
    def tables(self) -> Plan:
        """The tables for this kernel's modulus and root; made when first asked for, destroyed with the kernel."""
        with self._lock:
            if self._tables is None:
                compiled = self.compiled
                rows = bool(self.spec.basis)
                self._tables = basis_plan(compiled) if rows else compiled.plan(self.modulus, self.spec.told_root)
            return self._tables

    def compile(self, compiler: Compiler | str | None = None, *, level: str = "") -> Compiled:
        """Compile and load now, where that has not been done: with ``compiler``, else with the one that wisdom names,
        else with what find_compiler finds. ``level``: of optimisation of an emulated kernel; the default depends on its
        length.

        Raises:
            MomagenError: no compiler, or it refuses; a CPU that lacks features for which there are no stand-ins.
        """
        with self._lock:
            if self._compiled is None:
                known = self.wisdom.compiler if self.wisdom and compiler is None else compiler
                whole = compile_kernel(self.generated, known, level=level)
                self._compiled = whole if self.spec is self.generated.spec else whole.at(self.spec)
            return self._compiled

    def __call__(self, *operands: Any, out: Words | None = None) -> Any:
        """The result, in the kind of the first vector that is no list.

        ====================================================  ================================================
        a vector may be                                       and comes back as
        ====================================================  ================================================
        a uint64 array of words, (…, n, words), low first     a uint64 array of that shape
        where words is 1, an array of any integers, (…, n)    a uint64 array of that shape
        where ``k.spec.layout`` is "u16" or "u32", an array   an array of that shape and of uint16 or uint32
        of uint16 or uint32, (…, n, words of that size); or
        (…, n) where that is one
        where words is more, an array of integers of another  an object array of Python integers, (…, n)
        dtype
        an object array of integers, (…, n)                   an object array of Python integers, (…, n)
        lists, tuples or ranges of integers, nested (…, n)    lists of Python integers
        bytes, memoryview of bytes: little-endian words       bytes
        bytearray: little-endian words                        bytearray
        (CUDA) arrays of the GPU: uint64 (…, n, words), or    an array of CuPy of that shape and dtype
        uint32 (…, n, 32-bit words, an even number or one)
        (JAX) arrays of uint32, (…, n, 32-bit words), or      arrays of JAX of that form; also inside functions that
        (…, n) where that is one, or a tuple of words         are traced
        ====================================================  ================================================

        A kernel of several moduli has an axis of them before n: (…, moduli, n, words); its scalars are a number for
        each modulus. One of several columns has an axis of them behind n: (…, n, columns, words).

        BLAS has no axis n; its scalars are integers, or uint64 arrays of their words. Leading axes are batches; arrays
        may have any strides, alignment and byte order. A transform of any size takes n from what it is given; bytes are
        one transform then. Every number is checked to be in the kernel's range, below the
        modulus unless factors say otherwise.

        A kernel for CUDA runs on the current GPU where there is one that CuPy can use, else on the CPU. Arrays of the
        GPU (CuPy's, or any with ``__cuda_array_interface__``) stay there: the call is queued on CuPy's current stream,
        and numbers in them are not checked. Arrays of the host and integers are copied there and back.

        Args:
            out: a uint64 array for the result, one of uint16 or uint32 where the operands are, or one as they are on
                the GPU, which is then what comes back; it may be an operand, but may not overlap one in part.

        Raises:
            MomagenError: another number, kind or shape of operands, a mask, a value out of its range (the first is
                named), or an ``out`` that overlaps in part.
        """
        if self.spec.sized:
            return self.at(points_of(operands, self.words, own_words(self.spec)))(*operands, out=out)
        return (self._caller or self.caller)(operands, out)

    def at(self, n: int) -> Kernel:
        """The transform of n points that a kernel made by ``ntt("any")`` has within; it shares the build, not the plan.

        Raises:
            MomagenError: a kernel of one size, or a size that it lacks.
        """
        n = integer(n, "n")
        if not self.spec.sized:
            problem = "at() is available only for kernels of any size, and this kernel has one size"
            raise build_error(problem, self.name, 'generate the kernel with `n="any"`')
        if n not in self.spec.sizes:
            raise MomagenError(f"a power of two from 2 to {self.n}", n, "n")
        with self._lock:
            if n not in self._sizes:
                self._sizes[n] = self._other(of_size(self.spec, n))
            return self._sizes[n]

    def _other(self, spec: Spec) -> Kernel:
        """The same build for ``spec``: another size or modulus."""
        if self.generated.spec.sized and not spec.sized:
            return Kernel(self.generated, self._compiled and self._compiled.at(spec), self.wisdom, spec)
        return Kernel(replace(self.generated, spec=spec), self.compiled, self.wisdom)

    @property
    def caller(self) -> AnyCaller:
        """What calls the kernel; made when first asked for."""
        if self._caller is None:
            self._caller = CALLERS.get(self.target.syntax, caller_of)(self.compiled, self.tables)
        return self._caller

    def function(self, *, donate: bool = False) -> Callable[..., Any]:
        """A kernel for JAX as a compiled function of its vectors, to be called, exported or lowered: arrays of JAX as a
        call takes them. Kernels with scalars have none, which their tables depend on.

        Args:
            donate: the result may take the memory of the operands, which are gone then.

        Raises:
            MomagenError: a target of another language, or a kernel with scalars.
        """
        from momagen.api.calls.on_arrays import ArraysCaller, array_function

        if not isinstance(self.caller, ArraysCaller):
            problem = f"function() is available only for JAX targets, and this kernel is for {self.target.name}"
            raise build_error(problem, self.name, 'generate the kernel with `target="jax"`')
        return array_function(self.caller, donate)

    @property
    def threads(self) -> int:
        """Threads that do a call together, the caller's among them, of a kernel made with the option ``threads``: at
        first as many as that says. May be set from 1 to 1024 while no call runs.

        Raises:
            MomagenError: a kernel made without the option, or another number.
        """
        return threads_of(self.compiled, self.tables)

    @threads.setter
    def threads(self, number: int) -> None:
        threads_of(self.compiled, self.tables, count(number, "threads", 1))

    def with_modulus(self, modulus: int | str, root: int | str | None = None) -> Kernel:
        """The same build for another modulus that it serves, with the smallest root of unity unless one is given.

        Raises:
            MomagenError: a modulus that the build does not serve, or one that does not fit the transform.
        """
        if self.spec.basis:
            problem = "with_modulus() is available only for kernels of a single modulus"
            raise build_error(f"{problem}, and this kernel has {len(self.spec.basis)}", self.name)
        other = with_modulus(self.spec, integer(modulus, "modulus"), None if root is None else integer(root, "root"))
        made = self._other(other)
        _ = made.tables  # refuses moduli that are too short for the build
        return made

    def with_automorphism(self, g: int | str) -> Kernel:
        """The same build of a transform for x to x^g instead of its own automorphism; only tables are made anew.

        Raises:
            MomagenError: an even g, another kernel, or a transform on a coset.
        """
        check_transform(self.spec)
        power = integer(g, "automorphism")
        check_automorphism(self.spec.kind, power, self.spec.coset, self.spec.degree)
        other = replace(self.spec, automorphism=power % self.spec.order_of_root)
        if self.spec is not self.generated.spec:
            return Kernel(self.generated, None, self.wisdom).with_automorphism(power).at(self.n)
        return Kernel(replace(self.generated, spec=other), replace(self.compiled, spec=other), self.wisdom)

    def inverse(self) -> Kernel:
        """The transform back, with the same modulus, root, ring, order, target and options: k.inverse()(k(x)) is x.

        Where this kernel has an automorphism g, that is undone, too: values of a(x^g) become coefficients of a, by an
        inverse transform whose own automorphism is 1/g modulo the order of the root.

        Where this kernel asked wisdom, that one asks the same file.

        Raises:
            MomagenError: no transform.
        """
        check_transform(self.spec)
        if self.spec is not self.generated.spec:
            return Kernel(self.generated, None, self.wisdom).inverse().at(self.n)
        added = self.wisdom.row.options if self.wisdom and self.wisdom.row else {}
        own = {option: value for option, value in self.spec.options.items() if option not in added}
        back = with_options(other_direction(self.spec, own), {})
        source, advice = generated(back, self.wisdom.path if self.wisdom else False)
        return Kernel(source, wisdom=advice)

    def verify(
        self, *, seed: int = 0, progress: Progress | None = None, sizes: Sequence[int] = ()
    ) -> Report:  # fmt: skip
        """Compare with gmpy2; see :func:`momagen.verify.verify`. A notebook shows a bar without ``progress``.

        The first comment of the source says "Verified against gmpy2" only after a verification that passed, and names
        the ``sizes`` of a kernel of any size if not all were compared.
        """
        with watched(progress) as told:
            report = verify(self, seed=count(seed, "seed"), progress=told, sizes=sizes)
        self.generated = with_claim(self.generated, claim_of(self.spec), report.ok, report.only)
        return report

    def bench(self, *, repetitions: int = 101, seconds: float = 1.0) -> Result:
        """Time it, of a transform of any size the one of 4096 points or the longest one that is shorter; see
        :func:`momagen.bench.measure.kernel.bench_kernel`."""
        timed = self.at(min(self.n, TIMED)) if self.spec.sized else self
        return bench_kernel(timed, repetitions=count(repetitions, "repetitions", 1), seconds=duration(seconds))

    def __reduce__(self) -> tuple[type[Kernel], tuple[Source, None, Advice | None, Spec]]:
        """Pickled and copied as text; what takes it compiles it again, or finds it in the cache."""
        return Kernel, (self.generated, None, self.wisdom, self.spec)

    def __repr__(self) -> str:
        return as_line(replace(self.generated, spec=self.spec), emulated=self.emulated)

    def _repr_html_(self) -> str:
        return as_html(replace(self.generated, spec=self.spec), self.wisdom, emulated=self.emulated)
