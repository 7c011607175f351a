"""A kernel in Python: it is generated at once, compiled when it is first needed, and called like a function."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from momagen.arguments import checked_methods
from momagen.emit import Source
from momagen.emit.claim import claim_of, with_claim
from momagen.errors import MomagenError, build_error
from momagen.kinds.limits import check
from momagen.kinds.modular.derived.inner import of_size, other_direction
from momagen.kinds.modular.make_spec import with_options
from momagen.kinds.modular.making.automorphism import check_automorphism
from momagen.kinds.modular.making.limits import AUTOMORPHISMS
from momagen.kinds.modular.spec import Spec
from momagen.languages import COMPILED, MachineModel
from momagen.lazy import on_call
from momagen.values.numbers import count, duration, integer

from .described import Described
from .display import as_html, as_line
from .generated import generated

if TYPE_CHECKING:
    from momagen.bench import Result
    from momagen.params.words import Words
    from momagen.runtime import Compiler
    from momagen.runtime.compiled import Compiled
    from momagen.tune import Advice
    from momagen.verify import Progress, Report

check_transform: Callable[[Spec], None] = on_call("momagen.api.calls.points", "check_transform")
missing_features: Callable[..., list[str]] = on_call("momagen.runtime.features", "missing_features")
compile_kernel: Callable[..., Compiled] = on_call("momagen.runtime.call", "compile_kernel")
threads_of: Callable[..., int] = on_call("momagen.runtime.compiled", "threads_of")
watched: Callable[..., AbstractContextManager[Progress]] = on_call("momagen.notebook", "watched")


@checked_methods
class Kernel(Described):
    """A generated kernel, which is called on arrays, lists of integers or bytes.

    A kernel is built by :func:`momagen.ntt`, :func:`momagen.lde`, :func:`momagen.polymul`, :func:`momagen.basemul`,
    :func:`momagen.blas` or :func:`momagen.load`. Transforms are called as ``k(x)``, products as ``k(x, y)``, and
    element-wise kernels with the scalars first, as ``k(a, x, y)`` for a·x + y; ``k.operands`` names the operands.
    Several threads may call one kernel at the same time.

    Attributes:
        generated: The generated source and what it was generated from.
        wisdom: The advice of `momagen tune` that was used, or None.
        target: The target, as read from its TOML file.
        spec: The checked specification.

    Examples:
        >>> import momagen as mg
        >>> k = mg.ntt(8, modulus=17)
        >>> k
        <momagen NTT of 8 points, ring x^8 - 1, natural in, bit-reversed out; 64-bit container, 5-bit modulus, c>
        >>> k.name, k.n, k.modulus, k.root
        ('ntt8_5b_c', 8, 17, 2)
        >>> k([1, 0, 0, 0, 0, 0, 0, 0])
        [1, 1, 1, 1, 1, 1, 1, 1]
    """

    def __init__(
        self, generated: Source, compiled: Compiled | None = None, wisdom: Advice | None = None,
        spec: Spec | None = None,
    ) -> None:  # fmt: skip
        super().__init__(generated, wisdom, spec)
        self._lock = threading.RLock()
        self._compiled = compiled
        self._tables: Any = None
        self._caller: Callable[..., Any] | None = None
        self._sizes: dict[int, Kernel] = {}

    @property
    def emulated(self) -> bool:
        """Whether this CPU lacks features of the target, so that plain-C stand-ins replace its instructions."""
        missing = self._compiled.missing if self._compiled else missing_features(self.target.features)
        return bool(missing)

    @property
    def timed(self) -> bool:
        """Whether timings of this kernel are meaningful, that is, whether it runs on this CPU without emulation."""
        return self.target.syntax == COMPILED and not self.emulated

    @property
    def compiled(self) -> Compiled:
        """The loaded library, which is compiled when it is first needed."""
        return self.compile()

    @property
    def tables(self) -> Any:
        """The plan for this kernel's modulus and root: twiddle tables and other constants.

        It is created when it is first needed, and is destroyed with the kernel.
        """
        with self._lock:
            if self._tables is None:
                self._tables = self.kind.plan(self)
            return self._tables

    def compile(self, compiler: Compiler | str | None = None, *, level: str = "") -> Compiled:
        """Compile and load the kernel now, if it is not compiled yet.

        Args:
            compiler: The compiler (default: the one that wisdom names, otherwise the first one that momagen finds).
            level: The optimisation level of an emulated kernel, such as "-O1" (default: chosen by the number
                of elements of a vector). Kernels for this CPU are always compiled with full optimisation.

        Returns:
            The loaded library.

        Raises:
            MomagenError: There is no compiler, the compiler fails, or this CPU lacks features of the target for which
                there are no stand-ins.
        """
        with self._lock:
            if self._compiled is None:
                known = self.wisdom.compiler if self.wisdom and compiler is None else compiler
                whole = compile_kernel(self.generated, known, level=level)
                self._compiled = whole if self.spec is self.generated.spec else whole.at(self.spec)
            return self._compiled

    def __call__(self, *operands: Any, out: Words | None = None) -> Any:
        """Compute the kernel's result, in the form of the first vector that is not a list.

        | a vector may be | shape | result |
        |---|---|---|
        | a uint64 array of words, the low word first | (…, n, words) | a uint64 array of that shape |
        | an array of any integers, if a residue is one word | (…, n) | a uint64 array of that shape |
        | a uint16 or uint32 array, if ``k.spec.layout`` is "u16" or "u32" | (…, n, words) | an array of that dtype |
        | an array of integers other than uint64, if a residue is several words | (…, n) | an array of Python integers |
        | an array of Python integers | (…, n) | an array of Python integers |
        | lists, tuples or ranges of integers | nested (…, n) | lists of Python integers |
        | bytes, or a memoryview of bytes: little-endian words | | bytes |
        | a bytearray: little-endian words | | a bytearray |
        | (CUDA) a uint64 or uint32 array of the GPU | (…, n, words) | a CuPy array of that shape and dtype |
        | (JAX) a uint32 array, or a tuple of one array for each word | (…, n, words) | JAX arrays of that form |

        ``words`` is the number of words of the array's dtype in a residue; on CUDA, the number of 32-bit words is even
        or one. If it is one, the last axis may be missing. JAX arrays may also be tracers, inside functions that JAX
        traces.

        A kernel of several moduli has an axis of moduli before n: (…, moduli, n, words); its scalars are one number for
        each modulus. A kernel of several columns has an axis of columns after n: (…, n, columns, words). An
        element-wise kernel accepts vectors of any length n; its scalars are integers, or uint64 arrays of their words.
        Leading axes are batches. Arrays may have any strides, alignment and byte order. A kernel that ``ntt("any")``
        built takes n from its operand; bytes are then one transform.

        The call checks that every number is in the kernel's range, which is 0 to q - 1 unless ``input_factor`` says
        otherwise.

        A kernel for CUDA runs on the current GPU if CuPy can use one, and is otherwise emulated on the CPU. Arrays of
        the GPU (CuPy's, or any other with ``__cuda_array_interface__``) are not copied to the host: the call is queued
        on CuPy's current stream, and the numbers in them are not checked. Arrays of the host and integers are copied to
        the GPU and back.

        Args:
            *operands: The scalars, then the vectors, in the order of ``k.operands``.
            out: An array for the result, which the call then returns: of uint64, of uint16 or uint32 if the operands
                are, or an array of the GPU if the operands are. It may be an operand itself, but must not partially
                overlap one.

        Returns:
            The result, in the form that the table shows.

        Raises:
            MomagenError: The number, kind or shape of the operands is wrong, an array is masked, a value is out of its
                range (the message names the first one), or ``out`` partially overlaps an operand.

        Examples:
            >>> import momagen as mg
            >>> import numpy as np
            >>> add = mg.blas("vadd", modulus=17)
            >>> add([10, 11], [6, 7])
            [16, 1]
            >>> x = np.array([[10, 11], [12, 13]], np.uint64)
            >>> add(x, x, out=x) is x, x.tolist()
            (True, [[3, 5], [7, 9]])
            >>> add([17], [0])
            Traceback (most recent call last):
            momagen.errors.MomagenError: x[0]: ...
        """
        return (self._caller or self.caller)(operands, out)

    def at(self, n: int) -> Kernel:
        """Return the kernel of one size of a kernel that was built by ``ntt("any")``.

        Both kernels share the build, but not the plan.

        Args:
            n: The number of points, a power of two from 2 to ``k.n``.

        Raises:
            MomagenError: The kernel has one size only, or does not have this one.

        Examples:
            >>> import momagen as mg
            >>> k = mg.ntt("any", max_n=16, modulus=97)
            >>> k.at(4)([1, 0, 0, 0]) == k([1, 0, 0, 0]) == [1, 1, 1, 1]
            True
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
        """Return a kernel with the same build for ``spec``, which has another size or modulus."""
        if self.generated.spec.sized and not spec.sized:
            return Kernel(self.generated, self._compiled and self._compiled.at(spec), self.wisdom, spec)
        return Kernel(replace(self.generated, spec=spec), self.compiled, self.wisdom)

    @property
    def caller(self) -> Callable[..., Any]:
        """The object that converts and checks operands and calls the kernel; it is created when it is first needed."""
        if self._caller is None:
            self._caller = self.kind.caller(self)
        return self._caller

    def function(self, *, donate: bool = False) -> Callable[..., Any]:
        """Return a kernel for JAX as a compiled function, which can be called, exported or lowered.

        The function takes the vectors of a call as JAX arrays of type uint32 and shape (…, n, words), where ``words``
        is the number of 32-bit words of a residue; see :meth:`__call__`. If it is one, the last axis may be missing. A
        vector may also be a tuple of one array of shape (…, n) for each word, the low word first. Kernels with scalars
        have no such function, because their tables depend on the scalars.

        Args:
            donate: Whether the result may reuse the memory of the operands, which are then invalid.

        Returns:
            The function, compiled by ``jax.jit``.

        Raises:
            MomagenError: The target is not for JAX, or the kernel has scalars.
        """
        if self.target.machine is not MachineModel.ARRAYS:
            problem = f"function() is available only for JAX targets, and this kernel is for {self.target.name}"
            raise build_error(problem, self.name, 'generate the kernel with `target="jax"`')
        made: Callable[..., Any] = self.caller.function(donate=donate)  # type: ignore[attr-defined]
        return made

    @property
    def threads(self) -> int:
        """The largest number of threads that compute one call, including the caller's thread.

        The kernel must have been built with the option ``threads``, which sets the first value. It may be set to a
        number from 1 to 1024 while no call runs.

        Raises:
            MomagenError: The kernel was built without the option, or the number is out of range.
        """
        return threads_of(self.compiled, self.tables)

    @threads.setter
    def threads(self, number: int) -> None:
        threads_of(self.compiled, self.tables, count(number, "threads", 1))

    def with_modulus(self, modulus: int | str, root: int | str | None = None) -> Kernel:
        """Return a kernel with the same build for another modulus; nothing is generated or compiled.

        Args:
            modulus: The modulus, an integer or an expression. A build serves the moduli of its width, unless its
                modulus is baked in.
            root: The root of unity (default: the smallest one).

        Raises:
            MomagenError: The build does not serve the modulus, or the modulus does not fit the transform.

        Examples:
            >>> import momagen as mg
            >>> k = mg.blas("vmul", modulus=97)
            >>> k.with_modulus(101)([10], [11])
            [9]
        """
        number, own_root = integer(modulus, "modulus"), None if root is None else integer(root, "root")
        made = self._other(self.kind.with_modulus(self.spec, number, own_root))
        _ = made.tables  # raises for moduli that are too short for the build
        return made

    def with_automorphism(self, g: int | str) -> Kernel:
        """Return a transform with the same build for the automorphism x → x^g instead of its present one.

        Only the tables are computed anew.

        Args:
            g: An odd integer, taken modulo the order of the root.

        Raises:
            MomagenError: g is even, or the kernel is not a transform or is a transform on a coset.
        """
        check_transform(self.spec)
        power = integer(g, "automorphism")
        check_automorphism(power)
        other = replace(self.spec, automorphism=power % self.spec.order_of_root)
        check(other, AUTOMORPHISMS)
        if self.spec is not self.generated.spec:
            return Kernel(self.generated, None, self.wisdom).with_automorphism(power).at(self.n)
        return Kernel(replace(self.generated, spec=other), replace(self.compiled, spec=other), self.wisdom)

    def inverse(self) -> Kernel:
        """Return the inverse of a transform, with the same modulus, root, ring, order, target and options.

        ``k.inverse()(k(x))`` is x. If this kernel has an automorphism g, the inverse undoes it as well: it computes the
        coefficients of a from the values of a(x^g), as an inverse transform with the automorphism 1/g modulo the order
        of the root. If this kernel uses wisdom, the inverse uses the same file.

        Raises:
            MomagenError: The kernel is not a transform.

        Examples:
            >>> import momagen as mg
            >>> k = mg.ntt(4, modulus=17, negacyclic=True)
            >>> k.inverse()(k([1, 2, 3, 4]))
            [1, 2, 3, 4]
        """
        check_transform(self.spec)
        if self.spec is not self.generated.spec:
            return Kernel(self.generated, None, self.wisdom).inverse().at(self.n)
        own = self.spec.options.without(*(self.wisdom.row.options if self.wisdom and self.wisdom.row else ()))
        back = with_options(other_direction(self.spec, own), {})
        source, advice = generated(back, self.wisdom.path if self.wisdom else False)
        return Kernel(source, wisdom=advice)

    def verify(
        self, *, seed: int = 0, progress: Progress | None = None, sizes: Sequence[int] = ()
    ) -> Report:  # fmt: skip
        """Compare the kernel's results with those of gmpy2; see :func:`momagen.verify.verify`.

        The first comment of the source says "Verified against gmpy2" only after a verification has passed. For a kernel
        that ``ntt("any")`` built, this comment names the sizes that were compared, unless all were.

        Args:
            seed: The seed of the random values; the same seed checks the same values.
            progress: A function that is called before every step with the part done (0 to 1) and the name of the step.
                By default a notebook shows a progress bar.
            sizes: For a kernel that ``ntt("any")`` built, the sizes to compare (default: all of them).

        Returns:
            The report. It is true if all values are correct; ``report.mismatch`` is the first incorrect value.

        Raises:
            MomagenError: The kernel cannot be compiled or verified.

        Examples:
            >>> import momagen as mg
            >>> mg.ntt(8, modulus=17).verify().ok
            True
        """
        with watched(progress) as told:
            report = self.kind.verify(self, seed=count(seed, "seed"), progress=told, sizes=sizes)
        self.generated = with_claim(self.generated, claim_of(self.spec), report.ok, report.only)
        return report

    def bench(self, *, repetitions: int = 101, seconds: float = 1.0) -> Result:
        """Time the kernel; see :func:`momagen.bench.measure.kernel.bench_kernel`.

        Of a kernel that ``ntt("any")`` built, the transform of 4096 points is timed, or the longest one if all are
        shorter.

        Args:
            repetitions: The largest number of samples, each of about 0.3 ms.
            seconds: The time in seconds after which no sample begins.

        Returns:
            The median and percentiles of the time per butterfly (n/2·log2 n of them in a transform) or per element, in
            nanoseconds.

        Raises:
            MomagenError: The kernel is emulated, so that its time means nothing.
        """
        number, limit = count(repetitions, "repetitions", 1), duration(seconds)
        return self.kind.bench(self, repetitions=number, seconds=limit)

    def __reduce__(self) -> tuple[type[Kernel], tuple[Source, None, Advice | None, Spec]]:
        """Pickle and copy the kernel as source, which the receiver compiles again or finds in the cache."""
        return Kernel, (self.generated, None, self.wisdom, self.spec)

    def __repr__(self) -> str:
        return as_line(replace(self.generated, spec=self.spec), emulated=self.emulated)

    def _repr_html_(self) -> str:
        return as_html(replace(self.generated, spec=self.spec), self.wisdom, emulated=self.emulated)
