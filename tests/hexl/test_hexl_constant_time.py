"""The same instructions one after another, whatever the elements: of vectors that kernels take, and of shorter ones."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from built import Border, Vector, needs_cmake

from momagen.bench.x86.single_step import Walk, follow, obstacle

pytestmark = [needs_cmake, pytest.mark.skipif(bool(obstacle()), reason=obstacle())]
Q, SHORT, LENGTHS = (1 << 60) - 93, (1 << 44) - 17, (1, 2, 7, 8, 40)
Given = Callable[[int, int, int, int], tuple[int, ...]]
CALLS: dict[str, tuple[str, Given]] = {
    "add": ("add", lambda z, x, y, n: (z, x, y, n, Q)), "add one": ("adds", lambda z, x, y, n: (z, x, 5, n, Q)),
    "sub": ("sub", lambda z, x, y, n: (z, x, y, n, Q)), "sub one": ("subs", lambda z, x, y, n: (z, x, 5, n, Q)),
    "mult": ("mult", lambda z, x, y, n: (z, x, y, n, Q, 1)), "mult 4": ("mult", lambda z, x, y, n: (z, x, y, n, Q, 4)),
    "fma": ("fma_", lambda z, x, y, n: (z, x, 7, y, n, Q, 1)),
    "fma 8": ("fma_", lambda z, x, y, n: (z, x, 7, 0, n, Q, 8)),
    "reduce": ("reduce", lambda z, x, y, n: (z, x, n, Q, Q, 1)),
    "reduce 4": ("reduce", lambda z, x, y, n: (z, x, n, Q, 4, 1)),
    "mult 4, short": ("mult", lambda z, x, y, n: (z, x, y, n, SHORT, 4)),
    "fma 8, short": ("fma_", lambda z, x, y, n: (z, x, 7, 0, n, SHORT, 8)),
    "reduce, short": ("reduce", lambda z, x, y, n: (z, x, n, SHORT, SHORT, 1)),
    **{f"cmpadd {cmp}": ("cmpadd", lambda z, x, y, n, cmp=cmp: (z, x, n, cmp, Q // 2, 3)) for cmp in range(8)},
    **{f"cmpsub {cmp}": ("cmpsub", lambda z, x, y, n, cmp=cmp: (z, x, n, Q, cmp, Q // 2, 3)) for cmp in range(8)},
}  # fmt: skip


class Call(ctypes.Structure):
    """``border.cpp`` says what it is."""

    _fields_ = (("function", ctypes.c_void_p), ("given", ctypes.c_uint64 * 7))


def elements(n: int, top: int) -> Iterator[tuple[Vector, Vector]]:
    """Pairs of vectors below ``top``: zeros, the largest, one of each, what comparisons ask for, and random ones."""
    source = np.random.default_rng(n)
    least, most, bound = (np.full(n, value, np.uint64) for value in (0, top - 1, top // 2))
    yield from ((least, least), (most, most), (least, most), (most, least), (bound, bound))
    for _ in range(3):
        yield source.integers(0, top, n, np.uint64), source.integers(0, top, n, np.uint64)


def walks(border: Border, what: str, n: int) -> list[Walk]:
    """What one call runs on each of :func:`elements`."""
    name, given = CALLS[what]
    x, y, z = (np.zeros(n, np.uint64) for _ in range(3))
    function = ctypes.cast(getattr(border.library, name), ctypes.c_void_p).value
    numbers = given(*(vector.ctypes.data for vector in (z, x, y)), n)
    call = Call(function, (ctypes.c_uint64 * 7)(*numbers))
    border.library.call(ctypes.byref(call))  # what comes with the first call: a plan, and what is bound
    found = []
    for left, right in elements(n, 4 * SHORT if "short" in what else Q):
        x[:], y[:] = left, right
        found.append(follow(border.library.call, ctypes.byref(call)))
    return found


@pytest.mark.sampled(4)
@pytest.mark.thorough
@pytest.mark.parametrize("what", CALLS)
def test_no_instruction_depends_on_elements(fresh_border: Border, what: str) -> None:
    for n in LENGTHS:
        found = walks(fresh_border, what, n)
        assert len(found) == 8 and len(set(found)) == 1 and found[0].instructions > 10, n
