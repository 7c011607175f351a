"""Kernels on a GPU through CuPy: what is asked of it, and what is refused. A stand-in for CuPy runs their PTX."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

import numpy as np
import pytest
from support.cupy_standin import StandArray, stand_cupy
from support.oracle import values

import momagen as mg
from momagen.cuda import gpu
from momagen.cuda.nvrtc import compile_cuda, nvrtc_version
from momagen.errors import MomagenError
from momagen.params import from_words, to_words

pytestmark = [pytest.mark.compiles, pytest.mark.skipif(nvrtc_version() is None, reason="no NVRTC")]
N = 16


def kernel(cupy: Any, bits: int = 64, **more: Any) -> mg.Kernel:
    return mg.ntt(N, bits=bits, target="cuda", **more)


def rows(k: mg.Kernel, *shape: int) -> np.ndarray[Any, Any]:
    count = int(np.prod(shape))
    return to_words([pow(3, i + 1, k.modulus) for i in range(count)], k.words).reshape(*shape, k.words)


def definition(k: mg.Kernel, x: Any) -> list[int]:
    return values(from_words(x), k.points(), k.modulus)


@pytest.mark.parametrize("bits", [64, 128, 160])
def test_an_array_of_the_gpu_comes_back_as_one(cupy: Any, bits: int) -> None:
    k = kernel(cupy, bits)
    x = rows(k, 3, N)
    given = cupy.asarray(x)
    y = k(given)
    assert isinstance(y, StandArray) and y.dtype == np.uint64 and y.shape == x.shape
    assert [from_words(row) for row in y.host] == [definition(k, row) for row in x]
    assert (given.host == x).all()


@pytest.mark.thorough
def test_words_of_32_bits_are_taken_as_they_stand(cupy: Any) -> None:
    k = kernel(cupy, 32)
    x = rows(k, 2, N)[..., 0]
    expected = [definition(k, row[:, None]) for row in x]
    for given in (x.astype(np.uint32), x, x[..., None]):
        y = k(cupy.asarray(given))
        assert y.dtype == given.dtype and y.shape == given.shape
        assert y.host.reshape(2, N).tolist() == expected
    wide = kernel(cupy, 96)
    x = rows(wide, N)
    y = wide(cupy.asarray(np.ascontiguousarray(x).view(np.uint32)))
    assert y.dtype == np.uint32 and from_words(y.host.view(np.uint64)) == definition(wide, x)


@pytest.mark.parametrize("bits", [32, 128])
def test_out_may_be_the_operand(cupy: Any, bits: int) -> None:
    k = kernel(cupy, bits)
    x = rows(k, N)
    given, other = cupy.asarray(x), cupy.asarray(np.zeros_like(x))
    assert k(given, out=other) is other and from_words(other.host) == definition(k, x)
    assert k(given, out=given) is given and (given.host == other.host).all()


def test_moduli_have_an_axis(cupy: Any) -> None:
    k = mg.ntt(N, bits=64, moduli=3, target="cuda")
    x = np.stack([to_words([pow(5, i, q) for i in range(N)], 1) for q in k.moduli])
    y = k(cupy.asarray(np.stack([x, x])))
    host = mg.ntt(N, moduli=k.moduli, roots=k.spec.roots, target="c")(x)
    assert (y.host[0] == host).all() and (y.host[1] == host).all()
    assert (k(x) == host).all()


def test_the_host_goes_to_the_gpu_and_back(cupy: Any) -> None:
    k = kernel(cupy)
    x = rows(k, N)
    assert from_words(k(x)) == definition(k, x) and k(from_words(x)) == definition(k, x)
    assert cupy.launches and k.compiled.missing == () and not k.emulated
    assert k.verify().ok


def test_a_kernel_is_compiled_once_and_launched_as_planned(cupy: Any) -> None:
    k = kernel(cupy)
    x = cupy.asarray(rows(k, 5, N))
    k(x)
    cupy.launches.clear()
    k(x)
    assert cupy.compiled == 1
    [launch] = k.generated.program.run  # type: ignore[union-attr]
    blocks = launch.blocks * -(-5 // launch.group)
    assert cupy.launches == [(launch.kernel, (blocks, 1), (launch.threads,), launch.shared)]


REVERSED = """
extern "C" __global__ void reversed(unsigned *y, const unsigned *x, unsigned n)
{
    extern __shared__ unsigned shared[];
    for (unsigned i = threadIdx.x; i < n; i += 32)
        shared[n - 1 - i] = x[i];
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += 32)
        y[i] = shared[i];
}
"""


def test_shared_memory_beyond_48_kib_is_asked_for(cupy: Any) -> None:
    device, size, n = gpu.CupyDevice(REVERSED), 64 * 1024, 1 << 14
    x, y = np.arange(n, dtype=np.uint32), device.zeros(n)
    device.launch("reversed", (1, 1), 32, size, [y, device.given(x), n])
    assert (device.taken(y) == x[::-1]).all()
    cupy.cuda.Device.attributes = {"MaxSharedMemoryPerBlockOptin": size - 1}
    with pytest.raises(MomagenError, match=f"needs {size} bytes of shared memory .* this GPU has {size - 1};"):
        gpu.CupyDevice(REVERSED).launch("reversed", (1, 1), 32, size, [y, y, n])


def test_our_own_nvrtc_compiles_where_the_driver_is_no_older(cupy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    k = kernel(cupy)
    cupy.source = k.source
    monkeypatch.setattr(gpu, "nvrtc_version", lambda: nvrtc_version())
    assert gpu.CupyDevice(k.source).compiler == "NVRTC"
    cupy.cuda.runtime.driverGetVersion = lambda: 12040
    assert gpu.CupyDevice(k.source).compiler == "CuPy's NVRTC"


def test_scalars_come_from_the_host_or_stand_on_the_gpu(cupy: Any) -> None:
    k = mg.blas("axpy", bits=128, target="cuda")
    a, x, y = (to_words([pow(s, i + 1, k.modulus) for i in range(5)], k.words) for s in (3, 5, 7))
    expected = [(3 * u + v) % k.modulus for u, v in zip(from_words(x), from_words(y), strict=True)]
    for scalar in (3, a[0], cupy.asarray(a[0])):
        assert from_words(k(scalar, cupy.asarray(x), cupy.asarray(y)).host) == expected
    with pytest.raises(MomagenError, match="a: expected uint64 of shape"):
        k(cupy.asarray(a), cupy.asarray(x), cupy.asarray(y))
    for scalar in (k.modulus, to_words([k.modulus], k.words)[0]):
        with pytest.raises(MomagenError, match=f"a: expected residues below the modulus .*, got {k.modulus}$"):
            k(scalar, cupy.asarray(x), cupy.asarray(y))
    basis = mg.blas("axpy", bits=64, moduli=2, target="cuda")
    x, scalars = np.arange(24, dtype=np.uint64).reshape(2, 2, 6, 1), [3, 4]
    expected = x * np.array(scalars, np.uint64).reshape(2, 1, 1) + x
    for given in (x, x[..., 0]):
        assert (basis(scalars, cupy.asarray(given), cupy.asarray(given)).host.reshape(x.shape) == expected).all()


# What is refused


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: x[:, ::2], "shape"),
        (lambda x: x.astype(np.int64), "expected uint64 of shape"),
        (lambda x: x.reshape(N * 3, 2), "expected uint64 of shape"),
        (lambda x: x.astype(np.float64), "float64"),
        (lambda x: np.zeros((3, N, 4), np.uint64)[..., ::2], "a contiguous array"),
        (lambda x: np.zeros(3 * N * 2 + 1, np.uint64)[1:].reshape(3, N, 2), "address"),
    ],
)
def test_arrays_that_no_kernel_takes(cupy: Any, change: Any, message: str) -> None:
    k = kernel(cupy, 128)
    host = change(rows(k, 3, N))
    if message == "address" and host.ctypes.data % 16 == 0:
        host = np.zeros(3 * N * 2 + 2, np.uint64)[2:].reshape(3, N, 2)
    with pytest.raises(MomagenError, match=message):
        k(StandArray(host))


def test_host_and_gpu_do_not_mix(cupy: Any) -> None:
    k = kernel(cupy)
    x = rows(k, N)
    with pytest.raises(MomagenError, match="out: expected a GPU array like the others, got a ndarray"):
        k(cupy.asarray(x), out=np.zeros_like(x))
    with pytest.raises(MomagenError, match="x: expected a GPU array like the others, got a ndarray"):
        k(x, out=cupy.asarray(x))
    with pytest.raises(MomagenError, match="an array on GPU 1"):
        k(StandArray(x, device=1))
    with pytest.raises(MomagenError, match="out: expected uint64 of shape"):
        k(cupy.asarray(x), out=cupy.asarray(np.zeros((2, N, 1), np.uint64)))
    both = cupy.asarray(rows(k, 3, N))
    with pytest.raises(MomagenError, match="partially overlaps x"):
        k(both[:2], out=both[1:])


def test_every_vector_has_the_shape_of_the_first(cupy: Any) -> None:
    k = mg.blas("vmuladd", bits=64, target="cuda")
    x = rows(k, 3, 4)
    for wrong in (x[:2], x[0], x[:, :3].copy(), x[..., 0]):
        for at, name in enumerate("yyw"):
            given = [cupy.asarray(wrong if at == place else x) for place in range(3)]
            with pytest.raises(MomagenError, match=f"^{name}: expected uint64 of shape .*, like x, got uint64"):
                k(*given)


def test_what_the_gpu_refuses_is_no_result(cupy: Any) -> None:
    k = kernel(cupy)
    x = cupy.asarray(rows(k, N))
    k(x)
    cupy.broken = True
    out = cupy.asarray(np.full((N, 1), 7, np.uint64))
    with pytest.raises(MomagenError, match=r"the CUDA driver reports an error \(CUDA_ERROR_LAUNCH_FAILED"):
        k(x, out=out)
    with pytest.raises(MomagenError, match="CUDA_ERROR_LAUNCH_FAILED"):
        k(from_words(x.host))
    cupy.broken, cupy.most = False, 64
    with pytest.raises(MomagenError, match=r"the GPU has too little free memory \(Out of memory"):
        k(x)


def test_more_than_a_launch_takes(cupy: Any) -> None:
    k = kernel(cupy)
    [launch] = k.generated.program.run  # type: ignore[union-attr]
    most = min((1 << 32) - 1, ((1 << 31) - 1) // launch.blocks * launch.group)
    cupy.launches.clear()
    empty = StandArray(np.zeros((1, N, 1), np.uint64))
    with pytest.raises(MomagenError, match=f"at most {most} transforms in one call, got {most + 1}"):
        k.tables.run(empty, [empty], most + 1)  # type: ignore[attr-defined]


# No GPU


def _without(monkeypatch: pytest.MonkeyPatch, found: Any) -> str:
    monkeypatch.setitem(sys.modules, "cupy", found)
    gpu.find_cupy.cache_clear()
    return gpu.why_no_gpu()


def test_why_there_is_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "CuPy" in _without(monkeypatch, None) and "pip install cupy" in _without(monkeypatch, None)
    cupy = stand_cupy()
    cupy.cuda.Device.compute_capability = "61"
    assert "expected a GPU with compute capability 7.0 or higher, got 6.1" in _without(monkeypatch, cupy)
    cupy.cuda.runtime.getDeviceCount = lambda: 0
    assert "the NVIDIA driver reports no GPU; check" in _without(monkeypatch, cupy)

    def refused() -> int:
        raise cupy.cuda.runtime.CUDARuntimeError("cudaErrorInsufficientDriver")

    cupy.cuda.runtime.getDeviceCount = refused
    assert "CuPy cannot use a GPU (cudaErrorInsufficientDriver" in _without(monkeypatch, cupy)
    cupy.cuda.runtime.driverGetVersion = lambda: 0
    assert "no NVIDIA driver was found; check it with nvidia-smi" in _without(monkeypatch, cupy)
    gpu.find_cupy.cache_clear()


def test_the_cpu_runs_kernels_where_there_is_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    _without(monkeypatch, None)
    k = mg.ntt(N, bits=64, target="cuda")
    x = rows(k, N)
    assert from_words(k(x)) == definition(k, x) and k.compiled.missing == ("gpu",)
    with pytest.raises(MomagenError, match="because the kernel runs on the CPU, got a GPU array"):
        k(StandArray(x))


@pytest.mark.device
@pytest.mark.skipif(importlib.util.find_spec("cupy") is None, reason="no CuPy")
def test_the_real_cupy_says_whether_there_is_a_gpu() -> None:
    import cupy

    gpu.find_cupy.cache_clear()
    assert bool(gpu.why_no_gpu()) != cupy.cuda.is_available()


def test_a_cubin_is_what_the_driver_gets() -> None:
    assert compile_cuda('extern "C" __global__ void k() {}', "sm_90").cubin[:4] == b"\x7fELF"
