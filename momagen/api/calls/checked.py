"""The C function that checks a kernel's operands and calls it: checked.c, compiled once for each target's flags."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from momagen.build import Compiler, compile_shared, load
from momagen.build.compiled import Compiled, Plan
from momagen.params import to_words
from momagen.targets import load_target

SOURCE = Path(__file__).with_suffix(".c")
FLAGS = ("-std=c99",)


class _Kernel(ctypes.Structure):
    """``kernel`` in checked.c."""

    _fields_ = [
        ("execute", ctypes.c_void_p), ("plan", ctypes.c_void_p), ("tops", ctypes.c_void_p * 3),
        ("operands", ctypes.c_uint64), ("scalars", ctypes.c_uint64), ("words", ctypes.c_uint64),
        ("unit", ctypes.c_uint64),
    ]  # fmt: skip


class CheckedCall:
    """Calls a kernel with one plan on operands below ``tops``.

    ``call(this, count, result, *operands)`` takes addresses (of operands also bytes that hold them), the number of
    residues in each vector, and three operands, the missing ones None. It gives what execute answers, or -1 - i where
    operand i is out of its range, and has then written nothing.
    """

    def __init__(self, compiled: Compiled, plan: Plan, tops: Sequence[int]) -> None:
        spec = compiled.spec
        words, count = spec.row, len(tops)
        self._plan = plan
        self._tops = [to_words([top], words) if not top >> 64 * words else None for top in tops]
        addresses = [None if top is None else top.ctypes.data for top in self._tops] + [None] * (3 - count)
        self._kernel = _Kernel(
            ctypes.cast(plan.function, ctypes.c_void_p), plan.address, (ctypes.c_void_p * 3)(*addresses),  # type: ignore[arg-type]
            count, len(spec.ranges.scalars), words, spec.elements,
        )  # fmt: skip
        self.this = ctypes.addressof(self._kernel)
        flags = () if compiled.missing else load_target(spec.target).flags
        self.call, self._in_range = _functions(compiled.compiler, (*FLAGS, *flags))

    def within(self, at: int, place: int, count: int) -> Callable[[], bool]:
        """Whether ``count`` numbers at an address are in the range of operand ``at``; as the call checks it."""
        top = self._kernel.tops[at]
        return lambda: top is None or bool(self._in_range(place, count, top, self._kernel.words))


@cache
def _functions(compiler: Compiler, flags: tuple[str, ...]) -> tuple[Callable[..., int], Callable[..., int]]:
    """``checked_call`` and ``in_range``."""
    path = compile_shared(SOURCE.read_text(encoding="utf-8"), name="checked", flags=flags, compiler=compiler)
    library, pointer, size = load(path), ctypes.c_void_p, ctypes.c_size_t
    call, check = library.checked_call, library.in_range
    call.argtypes, check.argtypes = [pointer, size, pointer, pointer, pointer, pointer], [pointer, size] * 2
    call.restype = check.restype = ctypes.c_int
    return call, check
