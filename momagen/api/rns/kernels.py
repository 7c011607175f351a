"""Base conversion and division by a modulus as kernels in C, on the rows of NumPy arrays and lists."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from momagen.api.calls.integers import check_rows, integer_array
from momagen.api.calls.own_words import NATIVE as NATIVE_WORDS
from momagen.api.calls.running.checked import CheckedKernel, tops_of, words_format
from momagen.api.moduli import bases_of
from momagen.api.numbers import count
from momagen.api.request import TargetName, requested_target
from momagen.arguments import checked_arguments, checked_methods
from momagen.emit.c.rows import CLAIM, rows_source
from momagen.emit.claim import with_claim
from momagen.emit.codes import BAD_MODULUS, text
from momagen.emit.source import Source
from momagen.errors import MomagenError, build_error
from momagen.files import path_of, save
from momagen.kernels.matrices.rows import RescaleSpec, RowsSpec, check_rescale
from momagen.kernels.matrices.spec import ConversionSpec
from momagen.kernels.requests.fields import ROW
from momagen.kernels.requests.threads import MOST
from momagen.languages import CUDA
from momagen.lazy import on_call
from momagen.notebook import Progress
from momagen.params.words import Words
from momagen.runtime import Compiler
from momagen.runtime.compiled import Compiled, Result, address, compile_c, failed, function_of, named
from momagen.runtime.native import NATIVE, candidates
from momagen.targets import Target
from momagen.verify import Report
from momagen.verify.matrices import Rows
from momagen.verify.rns.conversion import verify_conversion, verify_rescale

POINTER, COUNT = ctypes.c_void_p, ctypes.c_size_t
Kernel = TypeVar("Kernel", bound="RowsKernel")


@checked_methods
class RowsKernel:
    """A kernel on rows of residues: the operand has a row for each modulus, the result a row for each of its moduli.

    Attributes:
        spec: The checked request.
        name: The base name of the kernel's files, and the prefix of its C functions.
        generated: The generated source.
        moduli: The moduli of the rows of an operand.
        goals: The moduli of the rows of the result.
        rows: The number of rows of the result.
        inner: The number of rows of an operand.
    """

    _make_source: Callable[[RowsSpec], Source] = staticmethod(rows_source)

    def __init__(self, spec: RowsSpec, generated: Source | None = None) -> None:
        self.spec, self.generated = spec, generated or self._make_source(spec)
        self.name = self.generated.name
        self._compiled: Compiled | None = None
        self.moduli, self.goals = spec.moduli, spec.goals
        self.rows, self.inner = len(self.goals), len(self.moduli)

    @property
    def source(self) -> str:
        """The text of the source file."""
        return self.generated.source

    @property
    def header(self) -> str:
        """The text of the header file."""
        return self.generated.header

    @property
    def files(self) -> dict[str, str]:
        """The texts of the files, by their names."""
        return {f"{self.name}{end}": content for end, content in self.generated.files.items()}

    def save(self, folder: str | Path) -> Path:
        """Write the files to a folder.

        Args:
            folder: The folder, which is created if it is missing.

        Returns:
            The folder.

        Raises:
            MomagenError: The folder cannot be written.
        """
        return save(path_of(folder, "save"), self.files)

    @property
    def compiled(self) -> Compiled:
        """The loaded library, which is compiled when it is first needed."""
        return self.compile()

    def compile(self, compiler: Compiler | str | None = None) -> Compiled:
        """Compile and load the kernel now, if it is not compiled yet.

        Args:
            compiler: The compiler (default: the one that momagen finds).

        Returns:
            The loaded library.

        Raises:
            MomagenError: There is no compiler, or it fails.
        """
        if self._compiled is None:
            self._compiled = compile_c(self.generated, compiler)
        return self._compiled

    @cached_property
    def _plan(self) -> int:
        """The address of the plan."""
        return self._created(self._bases)

    @property
    def _bases(self) -> Sequence[Sequence[int]]:
        """The bases that the C function ``create`` takes."""
        return [self.moduli]

    def _created(self, bases: Sequence[Sequence[int]], *numbers: tuple[Any, int]) -> int:
        """Return the address of a new plan, which lives as long as this object.

        Args:
            bases: The bases that ``create`` takes.
            *numbers: The other arguments of ``create``, each as a C type and a number.

        Raises:
            MomagenError: ``create`` returned an error.
        """
        arrays = [np.array(basis, np.uint64) for basis in bases]
        given = [each for array in arrays for each in (len(array), address(array))]
        why = ctypes.c_int()
        types, values = zip(*numbers, strict=True) if numbers else ((), ())
        create = self._function("create", [*[COUNT, POINTER] * len(arrays), *types, POINTER], POINTER)
        found = create(*given, *values, ctypes.addressof(why))
        if not found:
            unsupported = named(why.value) == BAD_MODULUS
            problem = "the kernel does not support these moduli" if unsupported else "the plan cannot be created"
            raise build_error(f"{problem}: {text(why.value)}", self.name)
        weakref.finalize(self, self._function("destroy", [POINTER], None), int(found))
        return int(found)

    def _function(self, verb: str, arguments: list[Any], result: type[Result] | None) -> Any:
        """Return the C function of the kernel whose name ends with ``verb``."""
        return function_of(self.compiled, verb, arguments, result)

    @property
    def threads(self) -> int:
        """The number of threads that compute one call, of a kernel that was built with ``threads``.

        It may be set to a number from 1 to 1024 while no call runs.

        Raises:
            MomagenError: The kernel was built without ``threads``, or the number is out of range.
        """
        if not self.spec.threads:
            problem = "the number of threads is fixed, because the kernel was generated without the option `threads`"
            raise build_error(problem, self.name, "generate it with `threads`")
        return int(self._function("threads", [POINTER, COUNT], COUNT)(self._plan, 0))

    @threads.setter
    def threads(self, number: int) -> None:
        wanted, _ = count(number, "threads", 1, MOST), self.threads
        self._function("threads", [POINTER, COUNT], COUNT)(self._plan, wanted)

    def verify(self, *, seed: int = 0, progress: Progress | None = None) -> Report:
        """Compare the kernel's results with those of gmpy2.

        The files say "Verified against gmpy2" only after a verification has passed.

        Args:
            seed: The seed of the random residues.
            progress: A function that is called once, before the comparison, which takes little time.

        Returns:
            The report, which is true if all values are correct.
        """
        if progress:
            progress(0.0, self.name)
        report = replace(self._compared(count(seed, "seed")), emulated=self._missing)
        self.generated = with_claim(self.generated, CLAIM, report.ok)
        return report

    @property
    def _missing(self) -> tuple[str, ...]:
        """The features of the target that this machine lacks, so that their instructions are emulated."""
        return tuple(self.compiled.missing)

    def _compared(self, seed: int) -> Report:
        """Return the report of a comparison with the definition."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{self.name}: {self.inner} rows to {self.rows}>"


@checked_methods
class UnaryRowsKernel(RowsKernel):
    """A kernel on rows of residues with one operand."""

    def __call__(self, x: Any) -> Any:
        """Return the rows of the result for rows of residues.

        Args:
            x: An array of integers of shape (…, moduli, n), or nested lists of them. Residue (…, i, j) is below modulus
                i.

        Returns:
            A uint64 array of shape (…, goals, n), or lists for lists.

        Raises:
            MomagenError: x has another shape, or a residue is not below its modulus.
        """
        array = self._taken(x)
        outer, n = array.shape[:-2], array.shape[-1]
        result = np.empty((*outer, self.rows, n), np.uint64)
        checked = self._checked
        code = checked.call(checked.this, prod(outer), n, address(result), address(array), *checked.missing)
        if code < 0:
            check_rows(array, self.moduli, "x")
        if code:
            raise failed(code)
        return result if isinstance(x, np.ndarray) else result.tolist()

    @cached_property
    def _checked(self) -> CheckedKernel:
        """The C function that checks residues and runs the kernel on them."""
        execute = self._function("execute", [POINTER, POINTER, POINTER, COUNT], ctypes.c_int)
        word = words_format(1)
        return CheckedKernel(
            self.compiled, execute, self._plan, [tops_of(self.moduli, NATIVE_WORDS, 1)], moduli=self.inner,
            goals=self.rows, unit=1, grow=1, splits=1, row=word, array=word, own=word,
        )  # fmt: skip

    def _taken(self, x: Any) -> Words:
        """Return ``x`` as contiguous words; elements of a type other than uint64 are checked to be residues."""
        expected = f"integers of shape (…, {self.inner}, n)"
        array = integer_array(x, expected, "x")
        if array.ndim < 2 or array.shape[-2] != self.inner:
            raise MomagenError(expected, f"shape {array.shape}", "x")
        if array.dtype != NATIVE_WORDS:
            check_rows(array, self.moduli, "x")
        return np.require(array, NATIVE_WORDS, ("C", "A")) if array.dtype.kind != "O" else array.astype(NATIVE_WORDS)

    def _on_integers(self, x: Rows) -> Rows:
        """Return the result for lists of rows."""
        found: list[list[int]] = self([list(row) for row in x])
        return found


@checked_methods
class RowsConversion(UnaryRowsKernel):
    """A conversion of residues from one RNS basis to another in C; built by :func:`momagen.convert`."""

    spec: ConversionSpec

    @property
    def _bases(self) -> Sequence[Sequence[int]]:
        return [self.moduli, self.goals]

    def _compared(self, seed: int) -> Report:
        return verify_conversion(self.name, self._on_integers, self.spec, seed)


@checked_methods
class RowsRescale(UnaryRowsKernel):
    """A division by the last modulus of an RNS basis; built by :func:`momagen.rescale`."""

    def _compared(self, seed: int) -> Report:
        return verify_rescale(self.name, self._on_integers, self.moduli, seed)


def rows_target(target: TargetName) -> Target:
    """Return the target for kernels on rows; "native" is the best one in C with 64-bit words on this CPU.

    Raises:
        MomagenError: ``target`` is not a name, or names a proxy build, whose results are incorrect by design.
    """
    if isinstance(target, str) and target == NATIVE:
        return next(target for target in candidates() if target.word == ROW)
    return requested_target(target)


def kernel_of(spec: RowsSpec, in_c: Callable[[Any], Kernel], in_cuda: Callable[[Any], Any]) -> Kernel:
    """Return the kernel of a request.

    Args:
        spec: The request.
        in_c: The class of kernels in C.
        in_cuda: The class of kernels in CUDA, which is used if the target's language is CUDA.
    """
    found: Kernel = (in_cuda if spec.target.syntax == CUDA else in_c)(spec)
    return found


@checked_arguments
def rescale(
    moduli: Sequence[int] | int, *, modulus_bits: int | None = None, target: TargetName = "c",
    threads: int | None = None,
) -> RowsRescale:  # fmt: skip
    """Build a kernel that divides by the last modulus of an RNS basis and rounds to the nearest integer (rescaling).

    For an integer a, given by its residues modulo all moduli, the result is ⌊(a + ⌊d/2⌋)/d⌋ modulo all moduli but the
    last one, d. a is from 0 to Q - 1, where Q is the product of all moduli; a negative a is represented by a + Q, and
    its quotient is then correct, too.

    Args:
        moduli: The basis: odd, pairwise coprime numbers of at most 64 bits; or the number of the largest primes of
            ``modulus_bits`` bits. d is at most 8 times the smallest of the other moduli, and at most 4, 2 or 1 times
            if the longest modulus has 62, 63 or 64 bits.
        modulus_bits: The width in bits of the primes, if a number of them was passed.
        target: A C target with 64-bit words, "native" for the best of them on this CPU, or a CUDA target such as
            "cuda", for which moduli have at most 62 bits.
        threads: The number of threads that compute one call, in C; ``k.threads`` sets another number.

    Returns:
        The kernel. ``k(x)`` maps residues of shape (…, moduli, n) to residues of shape (…, moduli - 1, n).

    Raises:
        MomagenError: The moduli do not satisfy the conditions, or the target does not support the kernel or threads.

    Examples:
        >>> import momagen as mg
        >>> k = mg.rescale([193, 257, 97])
        >>> a = 1000
        >>> k([[a % 193], [a % 257], [a % 97]])  # 1000/97 = 10.3…
        [[10], [10]]
    """
    spec = rescale_spec(moduli, modulus_bits=modulus_bits, target=target, threads=threads)
    return kernel_of(spec, RowsRescale, on_call("momagen.api.rns.on_device", "CudaRescale"))


def rescale_spec(
    moduli: object, *, modulus_bits: object = None, target: TargetName = "c", threads: object = None
) -> RescaleSpec:
    """Return the checked request of :func:`rescale`; numbers may also be texts."""
    (found,) = bases_of({"moduli": moduli}, modulus_bits)
    number = 0 if threads is None else count(threads, "threads", 1, MOST)
    return check_rescale(RescaleSpec(found, rows_target(target), threads=number))
