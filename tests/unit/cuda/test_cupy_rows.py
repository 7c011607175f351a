"""Kernels on the rows of an RNS basis on arrays of a GPU through CuPy. A stand-in for CuPy runs their PTX."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.cupy_standin import StandArray
from support.switching import check_divided, defined, dividends, operands, rows

import momagen as mg
from momagen.cuda.nvrtc import nvrtc_version
from momagen.errors import MomagenError

pytestmark = [pytest.mark.compiles, pytest.mark.skipif(nvrtc_version() is None, reason="no NVRTC")]
NUMBERS = [*range(-20, 21)]


def conversion(long: bool = False) -> Any:
    return mg.convert([101, 103, 2**40 - 87 if long else 107], to=[109, 64], target="cuda")


@pytest.mark.parametrize(("long", "dtype"), [(False, np.uint32), (True, np.uint64)])
def test_arrays_of_the_gpu_stay_there(cupy: Any, long: bool, dtype: type) -> None:
    k = conversion(long)
    x = rows(NUMBERS, k.moduli).astype(dtype)
    both = cupy.asarray(np.stack([x, x[:, ::-1]]))
    found = k(both)
    assert isinstance(found, StandArray) and found.dtype == dtype and found.shape == (2, 2, len(NUMBERS))
    assert np.array_equal(found.host[0], rows(NUMBERS, k.goals))
    assert np.array_equal(found.host[1], rows(NUMBERS[::-1], k.goals))
    out = cupy.empty((2, len(NUMBERS)), dtype)
    assert k(cupy.asarray(x), out=out) is out and np.array_equal(out.host, rows(NUMBERS, k.goals))
    assert np.array_equal(k(x), rows(NUMBERS, k.goals))  # arrays of the host are copied there and back


def test_divisions_of_arrays_of_the_gpu(cupy: Any) -> None:
    k: Any = mg.rescale([193, 257, 97], target="cuda")
    numbers = [*range(1000, 2000, 7)]
    found = k(cupy.asarray(rows(numbers, k.moduli).astype(np.uint32)))
    assert np.array_equal(found.host, rows([(a + 48) // 97 for a in numbers], k.goals))
    assert [launch[0] for launch in cupy.launches] == ["set_rows", "divide_rows"]


@pytest.mark.parametrize("method", ["exact", "corrected", "fast"])
def test_moddown_of_arrays_of_the_gpu(cupy: Any, method: Any) -> None:
    k: Any = mg.moddown([193, 257, 97, 101], drop=2, method=method, plaintext_modulus=3, target="cuda")
    numbers = dividends(k, 150)
    x = cupy.asarray(rows(numbers, k.moduli).astype(np.uint32))
    found, out = k(x), cupy.empty((2, len(numbers)), np.uint32)
    check_divided(k, numbers, found.host)
    assert k(x, out=out) is out and np.array_equal(out.host, found.host)
    assert [launch[0] for launch in cupy.launches] == ["set_rows", "divide_rows", "divide_rows"]


@pytest.mark.parametrize(("moduli", "dtype"), [([193, 97], np.uint32), ([(1 << 40) - 87, 97], np.uint64)])
def test_key_switching_of_arrays_of_the_gpu(cupy: Any, moduli: list[int], dtype: type) -> None:
    k: Any = mg.keyswitch(moduli, input_factor=2, target="cuda")
    d, keys = operands(k, 3, 150)
    order, out = np.random.default_rng(1).permutation(150), cupy.empty((2, 2, 150), dtype)
    given, of_keys = cupy.asarray(np.stack([d, d[::-1]]).astype(dtype)), cupy.asarray(keys.astype(dtype))
    found = k(given, of_keys)
    assert isinstance(found, StandArray) and found.dtype == dtype and found.shape == (2, 2, 2, 150)
    assert np.array_equal(found.host[0], defined(k, d, keys))
    assert np.array_equal(found.host[1], defined(k, d[::-1], keys))
    permuted = defined(k, d, keys, order)
    for columns in (order, order.tolist(), cupy.asarray(order.astype(np.uint32))):
        assert k(given[0], of_keys, columns, out=out) is out and np.array_equal(out.host, permuted)
    assert np.array_equal(k(d, keys, order), permuted)  # arrays of the host are copied there and back
    assert k(given[0][:1], of_keys[:1]).shape == (2, 2, 150)  # another number of digits: the same plan
    assert [launch[0] for launch in cupy.launches].count("set_rows") == 1


def test_other_operands_of_key_switching_are_refused(cupy: Any) -> None:
    k: Any = mg.keyswitch([193, 97], target="cuda")
    d, keys = (cupy.asarray(each.astype(np.uint32)) for each in operands(k, 3, 10))
    host, out = keys.host, cupy.empty((2, 2, 10), np.uint32)
    wrong: list[tuple[tuple[Any, ...], Any, str]] = [
        ((d, host), None, "k: expected a GPU array like the others"),
        ((d.host, keys), None, "d: expected a GPU array like the others"),
        ((d, keys), host, "out: expected a GPU array like the others"),
        ((d, keys[:2]), None, r"k: expected uint32 of shape \(3, 2, 2, 10\)"),
        ((d[0], keys), None, r"d: expected uint32 of shape \(…, digits, 2, n\)"),
        ((d.view(np.int32), keys), None, r"d: expected uint32 of shape \(…, digits, 2, n\)"),
        ((d, keys, d), None, r"order: expected uint32 of shape \(10\)"), ((d, keys, [1, 2]), None, "a permutation"),
        ((d, keys), out[:1], r"out: expected uint32 of shape \(2, 2, 10\)"),
        ((d, keys), d[:2], "`out` shares memory with d"),
        ((d, keys), keys[1], "`out` shares memory with k"),
        ((cupy.asarray(np.zeros((65, 2, 10), np.uint32)), keys), None, "digits: expected from 1 to 64"),
    ]  # fmt: skip
    for given, result, said in wrong:
        with pytest.raises(MomagenError, match=said):
            k(*given, out=result)
    with pytest.raises(MomagenError, match="k: expected an array on GPU 0"):
        k(d, StandArray(host, device=1))


@pytest.mark.parametrize(("shape", "dtype", "said"), [
    ((3, 5), np.uint64, "x: expected uint32 of shape"), ((2, 5), np.uint32, r"x: expected uint32 of shape \(…, 3, n\)"),
    ((5,), np.uint32, "x: expected uint32 of shape"),
])  # fmt: skip
def test_other_arrays_are_refused(cupy: Any, shape: tuple[int, ...], dtype: type, said: str) -> None:
    with pytest.raises(MomagenError, match=said):
        conversion()(cupy.asarray(np.zeros(shape, dtype)))


def test_other_results_are_refused(cupy: Any) -> None:
    k, x = conversion(), cupy.asarray(np.zeros((3, 5), np.uint32))
    with pytest.raises(MomagenError, match=r"out: expected uint32 of shape \(2, 5\)"):
        k(x, out=cupy.empty((3, 5), np.uint32))
    with pytest.raises(MomagenError, match="`out` shares memory with x"):
        k(x, out=StandArray(x.host[1:]))
    square = mg.convert([101, 103], to=[107, 109], target="cuda")
    both: Any = cupy.asarray(np.zeros((2, 5), np.uint32))
    with pytest.raises(MomagenError, match="`out` shares memory with x"):
        square(both, out=both)  # type: ignore[call-arg]
    strided = StandArray(np.zeros((3, 10), np.uint32)[:, ::2])
    with pytest.raises(MomagenError, match="x: expected a contiguous array"):
        k(strided)
    with pytest.raises(MomagenError, match="x: expected an array on GPU 0"):
        k(StandArray(np.zeros((3, 5), np.uint32), device=1))


def test_a_failing_gpu_is_one_clear_error(cupy: Any) -> None:
    k = conversion()
    k(rows(NUMBERS, k.moduli))
    cupy.broken = True
    with pytest.raises(MomagenError, match="CUDA_ERROR_LAUNCH_FAILED"):
        k(rows(NUMBERS, k.moduli))
