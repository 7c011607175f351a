"""The C function that checks a kernel's operands and calls it, in checked.c.

It is compiled once for each target's flags.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from momagen.api.calls.operands import WORD, Operand, Reader
from momagen.api.calls.own_words import OwnWords
from momagen.api.calls.shapes import Counts, counts_of, splits
from momagen.emit.codes import NO_MEMORY, SIZED_CODES
from momagen.errors import build_error
from momagen.params import to_words
from momagen.params.words import Words
from momagen.runtime import Compiler, compile_shared, load
from momagen.runtime.compiled import Compiled, Plan, failed

SOURCE = Path(__file__).with_suffix(".c")
WORDS = Path(__file__).with_name("checked_words.h")
FLAGS = ("-std=c99",)
MOST = 3
"""The largest number of operands of a kernel."""


class _Format(ctypes.Structure):
    """The struct ``format`` in checked.c."""

    _fields_ = [("bytes", ctypes.c_uint64), ("count", ctypes.c_uint64)]


class _Kernel(ctypes.Structure):
    """The struct ``kernel`` in checked.c."""

    _fields_ = [
        ("execute", ctypes.c_void_p), ("plan", ctypes.c_void_p), ("tops", ctypes.c_void_p * MOST),
        *((name, ctypes.c_uint64) for name in
          ("operands", "scalars", "moduli", "goals", "unit", "grow", "splits", "sums", "no_memory")),
        ("row", _Format), ("array", _Format), ("own", _Format),
    ]  # fmt: skip


class CheckedKernel:
    """A compiled kernel with one plan, and the C function that checks its operands and calls it.

    ``call(this, batches, each, result, *operands)`` takes the addresses of three operands (or bytes that hold them),
    None for missing ones. It returns the code that ``execute`` returns, or -1 - i if operand i is out of its range.

    Args:
        compiled: The loaded library.
        function: The kernel's ``execute``.
        plan: The address of its plan, which must outlive this object.
        tops: The numbers above the range of each operand, as :func:`tops_of` returns them.
        **fields: The other fields of ``kernel`` in checked.c.
    """

    def __init__(self, compiled: Compiled, function: object, plan: int, tops: Sequence[Words], **fields: Any) -> None:
        self._tops = tops  # C reads these arrays, so they must live as long as this object
        self.missing = (None,) * (MOST - len(tops))
        addresses = [top.ctypes.data for top in tops]
        numbers = {"operands": len(tops), "no_memory": [*SIZED_CODES].index(NO_MEMORY), **fields}
        self._kernel = _Kernel(
            execute=ctypes.cast(function, ctypes.c_void_p),  # type: ignore[arg-type]
            tops=(ctypes.c_void_p * MOST)(*addresses), plan=plan, **numbers,
        )  # fmt: skip
        self.this = ctypes.addressof(self._kernel)
        flags = () if compiled.missing else compiled.spec.target.flags
        self.call, self.check = _functions(compiled.compiler, (*FLAGS, *flags))


class CheckedCall:
    """A callable that checks the operands of a compiled kernel and runs it with one plan."""

    def __init__(self, compiled: Compiled, plan: Plan, readers: Sequence[Reader], own: OwnWords | None) -> None:
        spec, self._plan, self._readers = compiled.spec, plan, readers
        self._counts: Counts = counts_of(spec)
        row = words_format(spec.row)
        held = row if plan.border.alike and not own else _Format(spec.arith.word // 8, spec.arith.words)
        self._checked = CheckedKernel(
            compiled, plan.function, plan.address, [tops_of(each.tops, each.own, each.words) for each in readers],
            scalars=len(spec.ranges.scalars), moduli=spec.rows, goals=spec.rows, unit=spec.elements,
            grow=spec.results // spec.elements, splits=splits(spec), sums=spec.sums,
            row=row, array=held if own else row, own=held,
        )  # fmt: skip
        self._call, self._this, self._missing = self._checked.call, self._checked.this, self._checked.missing

    def __call__(self, result: Words, start: int, operands: Sequence[object], given: list[Operand]) -> None:
        """Write the kernel's result to ``result``, which begins at the address ``start``.

        Args:
            result: The array for the result.
            start: The address of ``result``.
            operands: The operands as they were passed.
            given: The operands as they were read; vectors all have one shape.

        Raises:
            MomagenError: An operand is out of its range, in which case nothing is written, or there is not enough
                memory.
        """
        places = [place for _, place, _ in given]
        counts = self._counts(given[-1][0].shape)
        code = self._call(self._this, *counts, start, *places, *self._missing)
        if code:
            self._refuse(code, operands, given)

    def _refuse(self, code: int, operands: Sequence[object], given: list[Operand]) -> None:
        """Raise the error for a code that the C function returned."""
        if code > 0:
            raise failed(code)
        at = -1 - code
        self._readers[at].blame(operands[at], given[at])
        remedy = "do not change operands before the call returns"
        raise build_error("the operand changed during the call", self._readers[at].name, remedy)

    def within(self, at: int, rows: Words) -> Callable[[], bool]:
        """Return a function that checks whether the contiguous vector ``rows`` is in the range of operand ``at``."""
        counts, place = self._counts(rows.shape), rows.ctypes.data
        return lambda: bool(self._checked.check(self._this, at, *counts, place))


def words_format(count: int) -> _Format:
    """Return the format of residues of ``count`` 64-bit words."""
    return _Format(WORD, count)


def tops_of(tops: Sequence[int], words: np.dtype[Any], count: int) -> Words:
    """Return the numbers above an operand's range, one for each modulus, in ``count`` words each.

    Zero represents the number above all that the words hold.
    """
    bits = 8 * words.itemsize * count
    wide = to_words([top % (1 << bits) for top in tops], -(-bits // 64)).astype("<u8")
    return np.ascontiguousarray(wide.view(words.newbyteorder("<"))[:, :count], words)


@cache
def _functions(compiler: Compiler, flags: tuple[str, ...]) -> tuple[Callable[..., int], Callable[..., int]]:
    """Return the C functions ``checked_call`` and ``checked_operand``."""
    path = compile_shared(
        SOURCE.read_text(encoding="utf-8"), name="checked", flags=flags,
        includes={WORDS.name: WORDS.read_text(encoding="utf-8")}, compiler=compiler,
    )  # fmt: skip
    library, pointer, size = load(path), ctypes.c_void_p, ctypes.c_size_t
    call, check = library.checked_call, library.checked_operand
    call.argtypes, check.argtypes = [pointer, size, size, *[pointer] * 4], [pointer, size, size, size, pointer]
    call.restype = check.restype = ctypes.c_int
    return call, check
