"""Conversions between bases and division by a modulus as kernels in C, on the rows of NumPy arrays and lists."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from momagen.api.numbers import count, integer
from momagen.build.compiled import Compiled, Result, address, compile_c, failed, function_of, named
from momagen.emit.c.rows import rows_source
from momagen.emit.codes import BAD_MODULUS, text
from momagen.errors import MomagenError, checked_keywords, checked_methods
from momagen.kernels.matrices.rows import RescaleSpec, RowsSpec, check_rescale
from momagen.kernels.matrices.spec import ConversionSpec
from momagen.kernels.spec.threads import MOST
from momagen.params.primes import prime_basis
from momagen.params.words import Words
from momagen.verify import Report
from momagen.verify.matrices import Rows, verify_conversion, verify_rescale

POINTER, COUNT = ctypes.c_void_p, ctypes.c_size_t


@checked_methods
class RowsKernel:
    """A kernel of C that takes a row of residues for each of its moduli, and gives one for each of its goals.

    Attributes:
        spec: what was asked for. name: of its files, and what its functions begin with. source, header: their texts.
        moduli, goals: of the rows of an operand, and of the result.
    """

    def __init__(self, spec: RowsSpec) -> None:
        self.spec, self.name, self.generated = spec, spec.name, rows_source(spec)
        self.source, self.header = self.generated.source, self.generated.header
        self.moduli, self.goals = spec.moduli, spec.goals
        self.rows, self.inner = len(self.goals), len(self.moduli)

    @property
    def files(self) -> dict[str, str]:
        """The texts by the names of their files."""
        return {f"{self.name}{end}": content for end, content in self.generated.files.items()}

    @cached_property
    def compiled(self) -> Compiled:
        """The loaded library; compiled when first asked for."""
        return compile_c(self.generated)

    @cached_property
    def _plan(self) -> int:
        """Where the tables stand."""
        bases = [self.moduli, self.goals] if isinstance(self.spec, ConversionSpec) else [self.moduli]
        arrays = [np.array(basis, np.uint64) for basis in bases]
        given = [each for array in arrays for each in (len(array), address(array))]
        why = ctypes.c_int()
        create = self._function("create", [COUNT, POINTER] * len(arrays) + [POINTER], POINTER)
        found = create(*given, ctypes.addressof(why))
        if not found:
            expected = "moduli that the kernel serves" if named(why.value) == BAD_MODULUS else "the code 0"
            raise MomagenError(expected, text(why.value), self.name)
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
            raise MomagenError("a kernel made with the option threads", "one made without", self.name)
        return int(self._function("threads", [POINTER, COUNT], COUNT)(self._plan, 0))

    @threads.setter
    def threads(self, number: int) -> None:
        if count(number, "threads", 1) > MOST:
            raise MomagenError(f"a number from 1 to {MOST}", number, "threads")
        _ = self.threads
        self._function("threads", [POINTER, COUNT], COUNT)(self._plan, number)

    def __call__(self, x: Any) -> Any:
        """The rows of the result for rows x of residues: a uint64 array of shape (…, goals, n) for one of (…, moduli,
        n), whatever integers that holds; lists for lists.

        Raises:
            MomagenError: another shape, or a residue that is not below its modulus.
        """
        array = self._taken(x)
        outer, n = array.shape[:-2], array.shape[-1]
        result = np.empty((*outer, self.rows, n), np.uint64)
        execute = self._function("execute", [POINTER, POINTER, POINTER, COUNT], ctypes.c_int)
        for at in np.ndindex(*outer):
            if code := execute(self._plan, result[at].ctypes.data, array[at].ctypes.data, n):
                raise failed(code)
        return result if isinstance(x, np.ndarray) else result.tolist()

    def _taken(self, x: Any) -> Words:
        """``x`` as words, checked."""
        try:
            array = np.asarray(x, None if isinstance(x, np.ndarray) else object)
            whole = array.dtype.kind in "ui" or all(isinstance(each, int) for each in array.flat)
        except ValueError:
            whole = False
        if not whole or array.ndim < 2 or array.shape[-2] != self.inner:
            got = f"shape {np.shape(x)}" if isinstance(x, np.ndarray) else type(x).__name__
            raise MomagenError(f"integers of shape (…, {self.inner}, n)", got, "x")
        for at, q in enumerate(self.moduli):
            row = array[..., at, :]
            if row.size and not 0 <= int(row.min()) <= int(row.max()) < q:
                raise MomagenError(f"residues below {q}", int(row.max() if row.min() >= 0 else row.min()), f"x[{at}]")
        return np.ascontiguousarray(array.astype(np.uint64))

    def _on_integers(self, x: Rows) -> Rows:
        found: list[list[int]] = self([list(row) for row in x])
        return found

    def verify(self, *, seed: int = 0) -> Report:
        """Compare with gmpy2."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{self.name}: {self.inner} rows to {self.rows}>"


@checked_methods
class RowsConversion(RowsKernel):
    """Residues modulo other numbers; made by :func:`momagen.convert`."""

    spec: ConversionSpec

    def verify(self, *, seed: int = 0) -> Report:
        given = self.moduli, self.goals, self.spec.exact
        return verify_conversion(self.name, self._on_integers, *given, count(seed, "seed"))


@checked_methods
class RowsRescale(RowsKernel):
    """Division by the last modulus; made by :func:`momagen.rescale`."""

    def verify(self, *, seed: int = 0) -> Report:
        return verify_rescale(self.name, self._on_integers, self.moduli, count(seed, "seed"))


@checked_keywords
def rescale(
    moduli: Sequence[int] | int, *, modulus_bits: int | None = None, target: str = "c", threads: int | None = None
) -> RowsRescale:
    """The nearest integers to a/d by residues modulo all ``moduli`` but the last, d; of a by residues modulo all.

    The result is ⌊(a + ⌊d/2⌋)/d⌋, for a from 0 to the product of all moduli; a negative a, as such plus the product,
    gives what it gives by itself.

    Args:
        moduli: odd numbers of at most 64 bits without common factors; or how many of the largest primes of
            ``modulus_bits`` bits are to be taken. d may be up to 8 times the least of the others, or 4, 2 or 1 times
            where the longest has 62 to 64 bits.
        target: one in C with 64-bit words. threads: that do a call together; `k.threads` sets another number.

    Raises:
        MomagenError: other moduli, threads, or a target of another language.
    """
    if isinstance(moduli, int) and modulus_bits is None:
        raise MomagenError("modulus_bits beside a number of moduli", "none", "moduli")
    if isinstance(moduli, int):
        found = prime_basis(moduli, integer(modulus_bits, "modulus_bits"), 1)
    else:
        found = tuple(integer(q, "moduli") for q in moduli)
    number = 0 if threads is None else count(threads, "threads", 1)
    return RowsRescale(check_rescale(RescaleSpec(tuple(found), target, number)))
