"""The C function that checks a kernel's operands and calls it: checked.c, compiled once for each target's flags."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from momagen.build import Compiler, compile_shared, load
from momagen.build.basis import BasisPlan
from momagen.build.compiled import Compiled, Plan, failed
from momagen.emit.codes import NO_MEMORY, SIZED_CODES
from momagen.errors import MomagenError
from momagen.params import to_words
from momagen.params.words import Words
from momagen.targets import load_target

from .operands import WORD, Operand, Reader
from .own_words import OwnWords
from .shapes import Counts, counts_of

SOURCE = Path(__file__).with_suffix(".c")
WORDS = Path(__file__).with_name("checked_words.h")
FLAGS = ("-std=c99",)
MOST = 3
"""Operands of a kernel."""


class _Format(ctypes.Structure):
    """``format`` in checked.c."""

    _fields_ = [("bytes", ctypes.c_uint64), ("count", ctypes.c_uint64)]


class _Kernel(ctypes.Structure):
    """``kernel`` in checked.c."""

    _fields_ = [
        ("execute", ctypes.c_void_p), ("plan", ctypes.c_void_p), ("tops", ctypes.c_void_p * MOST),
        *((name, ctypes.c_uint64) for name in
          ("operands", "scalars", "moduli", "unit", "grow", "splits", "sums", "no_memory")),
        ("row", _Format), ("array", _Format), ("own", _Format),
    ]  # fmt: skip


class CheckedCall:
    """Checks the operands of a compiled kernel and runs it with one plan, on arrays of one kind of words."""

    def __init__(
        self, compiled: Compiled, plan: Plan | BasisPlan, readers: Sequence[Reader], own: OwnWords | None
    ) -> None:
        spec, self._plan, self._readers = compiled.spec, plan, readers
        self._counts: Counts = counts_of(spec)
        self._missing = (None,) * (MOST - len(readers))
        row = _Format(WORD, spec.row)
        held = row if plan.border.alike and not own else _Format(spec.arith.word // 8, spec.arith.words)
        self._tops = [_tops(reader) for reader in readers]
        addresses = [top.ctypes.data for top in self._tops]
        self._kernel = _Kernel(
            ctypes.cast(plan.function, ctypes.c_void_p), plan.address,  # type: ignore[arg-type]
            (ctypes.c_void_p * MOST)(*addresses), len(readers), len(spec.ranges.scalars), spec.rows, spec.elements,
            spec.results // spec.elements, spec.sums or bool(spec.basis and not spec.n), spec.sums,
            [*SIZED_CODES].index(NO_MEMORY), row, held if own else row, held,
        )  # fmt: skip
        self._this = ctypes.addressof(self._kernel)
        flags = () if compiled.missing else load_target(spec.target).flags
        self._call, self._operand = _functions(compiled.compiler, (*FLAGS, *flags))

    def __call__(self, result: Words, start: int, operands: Sequence[object], given: list[Operand]) -> None:
        """Write the kernel's result to ``result``, which begins at the address ``start``.

        Args:
            operands, given: the operands as they were passed and as they were read; vectors all have one shape.

        Raises:
            MomagenError: an operand is out of its range; then nothing is written. Or memory is short.
        """
        places = [place for _, place, _ in given]
        counts = self._counts(given[-1][0].shape)
        code = self._call(self._this, *counts, start, *places, *self._missing)
        if code:
            self._refuse(code, operands, given)

    def _refuse(self, code: int, operands: Sequence[object], given: list[Operand]) -> None:
        if code > 0:
            raise failed(code)
        at = -1 - code
        self._readers[at].blame(operands[at], given[at])
        raise MomagenError("operands that nothing changes during a call", "others", self._readers[at].name)

    def within(self, at: int, rows: Words) -> Callable[[], bool]:
        """Return the check alone: whether the contiguous vector ``rows`` is in the range of operand ``at``."""
        counts, place = self._counts(rows.shape), rows.ctypes.data
        return lambda: bool(self._operand(self._this, at, *counts, place))


def _tops(reader: Reader) -> Words:
    """Return the numbers above an operand's range, one for each modulus, in the words of the operand.

    Zero stands for the number above all that the words hold.
    """
    bits = 8 * reader.own.itemsize * reader.words
    tops = to_words([top % (1 << bits) for top in reader.tops], -(-bits // 64))
    words = tops.astype("<u8").view(reader.own.newbyteorder("<"))[:, : reader.words]
    return np.ascontiguousarray(words, reader.own)


@cache
def _functions(compiler: Compiler, flags: tuple[str, ...]) -> tuple[Callable[..., int], Callable[..., int]]:
    """Return ``checked_call`` and ``checked_operand``."""
    path = compile_shared(
        SOURCE.read_text(encoding="utf-8"), name="checked", flags=flags,
        includes={WORDS.name: WORDS.read_text(encoding="utf-8")}, compiler=compiler,
    )  # fmt: skip
    library, pointer, size = load(path), ctypes.c_void_p, ctypes.c_size_t
    call, check = library.checked_call, library.checked_operand
    call.argtypes, check.argtypes = [pointer, size, size, *[pointer] * 4], [pointer, size, size, size, pointer]
    call.restype = check.restype = ctypes.c_int
    return call, check
