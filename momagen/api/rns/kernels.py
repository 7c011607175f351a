"""Conversions between bases and division by a modulus as kernels in C, on the rows of NumPy arrays and lists."""

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
from momagen.api.request import TargetName, target_name
from momagen.arguments import checked_arguments, checked_methods
from momagen.build import Compiler
from momagen.build.compiled import Compiled, Result, address, compile_c, failed, function_of, named
from momagen.build.native import NATIVE, candidates
from momagen.emit.c.rows import CLAIM, rows_source
from momagen.emit.claim import with_claim
from momagen.emit.codes import BAD_MODULUS, text
from momagen.emit.source import Source
from momagen.errors import MomagenError, build_error
from momagen.files import path_of, save
from momagen.kernels.matrices.rows import RescaleSpec, RowsSpec, check_rescale
from momagen.kernels.matrices.spec import ConversionSpec
from momagen.kernels.spec.fields import ROW
from momagen.kernels.spec.threads import MOST
from momagen.languages import CUDA
from momagen.lazy import on_call
from momagen.notebook import Progress
from momagen.params.words import Words
from momagen.targets import load_target
from momagen.verify import Report
from momagen.verify.matrices import Rows
from momagen.verify.rns.conversion import verify_conversion, verify_rescale

POINTER, COUNT = ctypes.c_void_p, ctypes.c_size_t
Kernel = TypeVar("Kernel", bound="RowsKernel")


@checked_methods
class RowsKernel:
    """A kernel in C on rows of residues: a row for each of its moduli, and a row of the result for each of its goals.

    Attributes:
        spec: the request. name: the base name of its files, and the prefix of its functions. generated: its source.
        moduli: the moduli of the rows of an operand. goals: the moduli of the rows of the result.
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
        """The text of the C file."""
        return self.generated.source

    @property
    def header(self) -> str:
        """The text of the header file."""
        return self.generated.header

    @property
    def files(self) -> dict[str, str]:
        """The texts by the names of their files."""
        return {f"{self.name}{end}": content for end, content in self.generated.files.items()}

    def save(self, folder: str | Path) -> Path:
        """Write the files to `folder`, which is created if it is missing; return the folder.

        Raises:
            MomagenError: the folder cannot be written.
        """
        return save(path_of(folder, "save"), self.files)

    @property
    def compiled(self) -> Compiled:
        """The loaded library; compiled when first asked for."""
        return self.compile()

    def compile(self, compiler: Compiler | str | None = None) -> Compiled:
        """Compile and load the kernel now, if that has not been done.

        Args:
            compiler: the compiler (default: the one that momagen finds).
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
        """The bases that create takes."""
        return [self.moduli]

    def _created(self, bases: Sequence[Sequence[int]], *numbers: tuple[Any, int]) -> int:
        """Return the address of a new plan, which lives as long as this object.

        Args:
            bases: the bases that create takes. numbers: its other arguments, each a C type and a number.
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
        return function_of(self.compiled, verb, arguments, result)

    @property
    def threads(self) -> int:
        """Threads that do a call together, of a kernel made with ``threads``; may be set from 1 to 1024 while no call
        runs.

        Raises:
            MomagenError: a kernel made without, or another number.
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
        """Compare with gmpy2. The files say "Verified against gmpy2" only after a verification that passed.

        Args:
            seed: of random residues.
            progress: called once, before the comparison, which takes little time.
        """
        if progress:
            progress(0.0, self.name)
        report = replace(self._compared(count(seed, "seed")), emulated=self._missing)
        self.generated = with_claim(self.generated, CLAIM, report.ok)
        return report

    @property
    def _missing(self) -> tuple[str, ...]:
        """The features that this machine lacks, whose instructions are emulated."""
        return tuple(self.compiled.missing)

    def _compared(self, seed: int) -> Report:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{self.name}: {self.inner} rows to {self.rows}>"


@checked_methods
class UnaryRowsKernel(RowsKernel):
    """A kernel on rows that has one operand."""

    def __call__(self, x: Any) -> Any:
        """The rows of the result for rows x of residues: a uint64 array of shape (…, goals, n) for one of (…, moduli,
        n), whatever integers that holds; lists for lists.

        Raises:
            MomagenError: another shape, or a residue that is not below its modulus.
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
        """What checks residues and runs the kernel on them."""
        execute = self._function("execute", [POINTER, POINTER, POINTER, COUNT], ctypes.c_int)
        word = words_format(1)
        return CheckedKernel(
            self.compiled, execute, self._plan, [tops_of(self.moduli, NATIVE_WORDS, 1)], moduli=self.inner,
            goals=self.rows, unit=1, grow=1, splits=1, row=word, array=word, own=word,
        )  # fmt: skip

    def _taken(self, x: Any) -> Words:
        """``x`` as contiguous words; those of another type than uint64 are checked to be residues."""
        expected = f"integers of shape (…, {self.inner}, n)"
        array = integer_array(x, expected, "x")
        if array.ndim < 2 or array.shape[-2] != self.inner:
            raise MomagenError(expected, f"shape {array.shape}", "x")
        if array.dtype != NATIVE_WORDS:
            check_rows(array, self.moduli, "x")
        return np.require(array, NATIVE_WORDS, ("C", "A")) if array.dtype.kind != "O" else array.astype(NATIVE_WORDS)

    def _on_integers(self, x: Rows) -> Rows:
        found: list[list[int]] = self([list(row) for row in x])
        return found


@checked_methods
class RowsConversion(UnaryRowsKernel):
    """A conversion of residues from one RNS basis to another; built by :func:`momagen.convert`."""

    spec: ConversionSpec

    @property
    def _bases(self) -> Sequence[Sequence[int]]:
        return [self.moduli, self.goals]

    def _compared(self, seed: int) -> Report:
        return verify_conversion(self.name, self._on_integers, self.spec, seed)


@checked_methods
class RowsRescale(UnaryRowsKernel):
    """Division by the last modulus; made by :func:`momagen.rescale`."""

    def _compared(self, seed: int) -> Report:
        return verify_rescale(self.name, self._on_integers, self.moduli, seed)


def rows_target(target: TargetName) -> str:
    """Return the name of a target for kernels on rows; "native" is the best one in C with 64-bit words on this CPU.

    Raises:
        MomagenError: `target` is no name, or the name of a proxy build, whose results are wrong.
    """
    if isinstance(target, str) and target == NATIVE:
        return next(name for name in candidates() if load_target(name).word == ROW)
    return target_name(target)


def kernel_of(spec: RowsSpec, in_c: Callable[[Any], Kernel], in_cuda: Callable[[Any], Any]) -> Kernel:
    """Return the kernel of a request, built by the class for the language of its target."""
    found: Kernel = (in_cuda if load_target(spec.target).syntax == CUDA else in_c)(spec)
    return found


@checked_arguments
def rescale(
    moduli: Sequence[int] | int, *, modulus_bits: int | None = None, target: TargetName = "c",
    threads: int | None = None,
) -> RowsRescale:  # fmt: skip
    """The nearest integers to a/d by residues modulo all ``moduli`` but the last, d; of a by residues modulo all.

    The result is ⌊(a + ⌊d/2⌋)/d⌋, for a from 0 to the product of all moduli; a negative a, as such plus the product,
    gives what it gives by itself.

    Args:
        moduli: odd numbers of at most 64 bits without common factors; or how many of the largest primes of
            ``modulus_bits`` bits are to be taken. d may be up to 8 times the least of the others, or 4, 2 or 1 times
            where the longest has 62 to 64 bits.
        target: one in C with 64-bit words, "native", or one in CUDA, where moduli have at most 62 bits.
        threads: that do a call together; `k.threads` sets another number.

    Raises:
        MomagenError: other moduli, threads, or a target of another language.
    """
    spec = rescale_spec(moduli, modulus_bits=modulus_bits, target=target, threads=threads)
    return kernel_of(spec, RowsRescale, on_call("momagen.api.rns.on_device", "CudaRescale"))


def rescale_spec(
    moduli: object, *, modulus_bits: object = None, target: TargetName = "c", threads: object = None
) -> RescaleSpec:
    """Return the checked request of :func:`rescale`, of which numbers may also be texts."""
    (found,) = bases_of({"moduli": moduli}, modulus_bits)
    number = 0 if threads is None else count(threads, "threads", 1, MOST)
    return check_rescale(RescaleSpec(found, rows_target(target), threads=number))
