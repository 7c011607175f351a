"""Calls on arrays of a GPU: nothing is copied to the host, and the call does not wait for the result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from momagen.cuda.gpu import CupyDevice, why_no_gpu
from momagen.cuda.runner import DeviceKernel, DevicePlan
from momagen.errors import MomagenError
from momagen.runtime.runner import Runner, RunnerPlan

from .answers import overlapping
from .device_arrays import DeviceArrays, overlap
from .operands import Reader
from .rows import RowsReader
from .words.callers import HostCaller, caller_of

INTERFACE = "__cuda_array_interface__"
"""The attribute that every array of a GPU has, such as those of CuPy, PyTorch and Numba."""


class DeviceCaller:
    """A caller of a kernel for CUDA with one plan.

    Arrays of the GPU are processed on the current stream, other operands by ``host``.

    Numbers in arrays of the GPU are not checked to be in the kernel's range.
    """

    def __init__(self, kernel: DeviceKernel, plan: DevicePlan, host: HostCaller) -> None:
        spec = kernel.spec
        self._kernel, self._plan, self._host = kernel, plan, host
        self._arrays = DeviceArrays(spec, kernel.program.stride * kernel.program.parts)
        names = tuple(spec.ranges.operands)
        self._scalars, self._names = names[: len(spec.ranges.scalars)], names[len(spec.ranges.scalars) :]
        self._each = prod(self._arrays.inner) if spec.n else 1
        rows = bool(spec.basis)
        self._read = [(RowsReader(spec, name) if rows else Reader(spec, plan.modulus, name)).in_range
                      for name in self._scalars]  # fmt: skip

    def __call__(self, operands: Sequence[Any], out: Any) -> Any:
        """Return the result; if the vectors are arrays of the GPU, it is a CuPy array of their shape and dtype.

        Args:
            operands: The scalars, then the vectors.
            out: An array for the result, or None.

        Raises:
            MomagenError: Only some vectors are arrays of the GPU; they have another dtype or shape, are on another GPU,
                have strides, are misaligned, or partially overlap ``out``; or they exceed the limits of a launch or of
                memory.
        """
        vectors = [*operands[len(self._scalars) :], *[out] * (out is not None)]
        if not any(hasattr(value, INTERFACE) for value in vectors):
            return self._host(operands, out)
        device, name = self._kernel.device, self._kernel.name
        if not isinstance(device, CupyDevice):
            wanted = "host arrays, because the kernel runs on the CPU"
            raise MomagenError(wanted, "a GPU array", name, why_no_gpu())
        if len(operands) != len(self._scalars + self._names):
            names = self._scalars + self._names
            raise MomagenError(f"the {len(names)} operands {', '.join(names)}", len(operands), name)
        for where, value in zip((*self._names, "out"), vectors, strict=False):
            if not hasattr(value, INTERFACE):
                hint = "cupy.asarray copies it to the GPU"
                raise MomagenError("a GPU array like the others", f"a {type(value).__name__}", where, hint)
        with device.told(name):
            return self._on(device, operands, out)

    def _on(self, device: CupyDevice, operands: Sequence[Any], out: Any) -> Any:
        """Return the result for arrays of the GPU."""
        cupy, flat = device.cupy, self._arrays.flat
        scalars = [self._scalar(device, at, value) for at, value in enumerate(operands[: len(self._scalars)])]
        vectors = {name: cupy.asarray(each) for name, each in zip(self._names, operands[len(scalars) :], strict=True)}
        words = [flat(device, *each) for each in vectors.items()]
        first = vectors[self._names[0]]
        result = cupy.empty(first.shape, first.dtype) if out is None else cupy.asarray(out)
        for name, array in [*vectors.items(), ("out", result)]:
            if array.shape != first.shape or array.dtype != first.dtype:
                wanted = f"{first.dtype} of shape {first.shape}, like {self._names[0]}"
                raise MomagenError(wanted, f"{array.dtype} of shape {array.shape}", name)
        goal = flat(device, "out", result)
        for name, array in vectors.items():
            if overlap(array, result):
                raise overlapping(name)
        for to, *given, count in self._parts([goal, *words], self._arrays.residues(first)):
            self._plan.run(to, [*scalars, *given], count)
        if self._arrays.copied(result):
            result[...] = goal.reshape(result.shape)
        return result if out is None else out

    def _parts(self, words: list[Any], shape: tuple[int, ...]) -> Iterator[tuple[Any, ...]]:
        """Yield the arrays and the count of each call.

        There is one call for all vectors; for element-wise kernels of several moduli, there is one for each vector of
        the leading axes.
        """
        arrays, size = self._arrays, words[0].size
        if self._kernel.spec.n or not arrays.rows:
            each = self._each * arrays.stride
            if size:
                yield (*words, size // each)
            return
        length = shape[-1]
        each = length * arrays.rows[0] * arrays.stride
        for at in range(0, size, each or 1):
            yield (*(part[at : at + each] for part in words), length)

    def _scalar(self, device: CupyDevice, at: int, value: Any) -> Any:
        """Return a residue, or one for each modulus, in the kernel's form."""
        if hasattr(value, INTERFACE):
            return self._arrays.flat(device, self._scalars[at], device.cupy.asarray(value), self._arrays.rows)
        return device.given(self._plan.own(self._read[at](value)))


def device_caller(kernel: Runner, plan: RunnerPlan) -> DeviceCaller:
    """Return the caller of a kernel for CUDA."""
    assert isinstance(kernel, DeviceKernel) and isinstance(plan, DevicePlan)
    return DeviceCaller(kernel, plan, caller_of(kernel, plan, plan.stride))
