"""Conversions and divisions on arrays of a GPU through CuPy. A stand-in for CuPy runs their PTX."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from support.cupy_standin import StandArray, stand_cupy

import momagen as mg
from momagen.cuda import gpu
from momagen.cuda.nvrtc import nvrtc_version
from momagen.errors import MomagenError

pytestmark = [pytest.mark.compiles, pytest.mark.skipif(nvrtc_version() is None, reason="no NVRTC")]
NUMBERS = [*range(-20, 21)]


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The stand-in, in CuPy's place."""
    found = stand_cupy()
    monkeypatch.setitem(sys.modules, "cupy", found)
    monkeypatch.setattr(gpu, "nvrtc_version", lambda: None)  # so that CuPy compiles: a cubin runs on no CPU
    gpu.find_cupy.cache_clear()
    yield found
    gpu.find_cupy.cache_clear()


def rows(moduli: tuple[int, ...], dtype: type, numbers: list[int] = NUMBERS) -> np.ndarray[Any, Any]:
    return np.array([[a % q for a in numbers] for q in moduli], dtype)


def conversion(long: bool = False) -> Any:
    return mg.convert([101, 103, 2**40 - 87 if long else 107], to=[109, 64], target="cuda")


@pytest.mark.parametrize(("long", "dtype"), [(False, np.uint32), (True, np.uint64)])
def test_arrays_of_the_gpu_stay_there(cupy: Any, long: bool, dtype: type) -> None:
    k = conversion(long)
    x = rows(k.moduli, dtype)
    both = cupy.asarray(np.stack([x, rows(k.moduli, dtype, NUMBERS[::-1])]))
    found = k(both)
    assert isinstance(found, StandArray) and found.dtype == dtype and found.shape == (2, 2, len(NUMBERS))
    assert np.array_equal(found.host[0], rows(k.goals, dtype))
    assert np.array_equal(found.host[1], rows(k.goals, dtype, NUMBERS[::-1]))
    out = cupy.empty((2, len(NUMBERS)), dtype)
    assert k(cupy.asarray(x), out=out) is out and np.array_equal(out.host, rows(k.goals, dtype))
    assert np.array_equal(k(x), rows(k.goals, np.uint64))  # arrays of the host are copied there and back


def test_divisions_of_arrays_of_the_gpu(cupy: Any) -> None:
    k: Any = mg.rescale([193, 257, 97], target="cuda")
    numbers = [*range(1000, 2000, 7)]
    found = k(cupy.asarray(rows(k.moduli, np.uint32, numbers)))
    assert np.array_equal(found.host, rows(k.goals, np.uint32, [(a + 48) // 97 for a in numbers]))
    assert [launch[0] for launch in cupy.launches] == ["set_rows", "divide_rows"]


@pytest.mark.parametrize(("shape", "dtype", "said"), [
    ((3, 5), np.uint64, "x: expected uint32 of shape"), ((2, 5), np.uint32, r"x: expected uint32 of shape \(…, 3, n\)"),
    ((5,), np.uint32, "x: expected uint32 of shape"),
])  # fmt: skip
def test_other_arrays_are_refused(cupy: Any, shape: tuple[int, ...], dtype: type, said: str) -> None:
    with pytest.raises(MomagenError, match=said):
        conversion()(cupy.asarray(np.zeros(shape, dtype)))


def test_other_results_are_refused(cupy: Any) -> None:
    k, x = conversion(), cupy.asarray(np.zeros((3, 5), np.uint32))
    with pytest.raises(MomagenError, match=r"out: expected uint32 of shape \(…, 2, n\)"):
        k(x, out=cupy.empty((3, 5), np.uint32))
    with pytest.raises(MomagenError, match="out: expected an array that shares no memory with x"):
        k(x, out=StandArray(x.host[1:]))
    strided = StandArray(np.zeros((3, 10), np.uint32)[:, ::2])
    with pytest.raises(MomagenError, match="x: expected a contiguous array"):
        k(strided)
    with pytest.raises(MomagenError, match="x: expected an array of GPU 0"):
        k(StandArray(np.zeros((3, 5), np.uint32), device=1))


def test_a_failing_gpu_is_one_clear_error(cupy: Any) -> None:
    k = conversion()
    k(rows(k.moduli, np.uint32))
    cupy.broken = True
    with pytest.raises(MomagenError, match="CUDA_ERROR_LAUNCH_FAILED"):
        k(rows(k.moduli, np.uint32))
