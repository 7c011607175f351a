"""Kernels for CUDA on the rows of an RNS basis: conversions between bases, and division by a modulus."""

from __future__ import annotations

from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from momagen.api.calls.device_arrays import overlap
from momagen.api.calls.integers import check_rows
from momagen.api.calls.on_device import INTERFACE
from momagen.arguments import checked_methods
from momagen.cuda.gpu import CupyDevice, why_no_gpu
from momagen.cuda.rows import DeviceRows
from momagen.emit.cuda.rows import cuda_rows_source
from momagen.errors import MomagenError
from momagen.kernels.matrices.spec import ConversionSpec

from .kernels import RowsConversion, RowsRescale, UnaryRowsKernel


class CudaRows(UnaryRowsKernel):
    """A kernel for CUDA that takes a row of residues for each of its moduli."""

    _make_source = staticmethod(cuda_rows_source)

    @cached_property
    def on_device(self) -> DeviceRows:
        """The plan on the GPU, or on a machine without one on the CPU, which runs the PTX."""
        bases = [self.moduli, self.goals] if isinstance(self.spec, ConversionSpec) else [self.moduli]
        return DeviceRows(self.generated, bases, self.rows)

    def __call__(self, x: Any, *, out: Any = None) -> Any:
        """Return the rows of the result for rows ``x`` of residues.

        Args:
            x: an array of integers of shape (…, moduli, n), or lists; or an array of the GPU, uint32 if no modulus has
                more than 32 bits and uint64 otherwise, whose residues are not checked.
            out: for an array of the GPU, where the result of shape (…, goals, n) goes.

        Returns:
            A uint64 array of shape (…, goals, n), or lists for lists. For an array of the GPU, ``out`` or a new array
            of CuPy, which is computed on the current stream.

        Raises:
            MomagenError: another shape or type, or on the host a residue that is not below its modulus.
        """
        if hasattr(x, INTERFACE):
            return self._on_gpu(x, out)
        if out is not None:
            raise MomagenError("an array of the GPU as x if out is given", f"a {type(x).__name__}", "x")
        array = self._taken(x)
        check_rows(array, self.moduli, "x")
        outer, n = array.shape[:-2], array.shape[-1]
        result = np.empty((*outer, self.rows, n), np.uint64)
        vectors = prod(outer)
        self.on_device.on_host(array.reshape(vectors, self.inner, n), result.reshape(vectors, self.rows, n))
        return result if isinstance(x, np.ndarray) else result.tolist()

    @property
    def _missing(self) -> tuple[str, ...]:
        return tuple(self.on_device.device.missing)

    def _on_gpu(self, x: Any, out: Any) -> Any:
        device = self.on_device.device
        if not isinstance(device, CupyDevice):
            wanted = "arrays of the host: the kernel runs on the CPU"
            raise MomagenError(wanted, "an array of a GPU", self.name, why_no_gpu())
        with device.told(self.name):
            cupy, dtype = device.cupy, self.on_device.dtype
            given = cupy.asarray(x)
            shape = tuple(given.shape)
            self._check(device, given, (*shape[:-2], self.inner, *shape[-1:]), "x")
            goal = (*shape[:-2], self.rows, shape[-1])
            result = cupy.empty(goal, dtype) if out is None else cupy.asarray(out)
            self._check(device, result, goal, "out")
            if overlap(given, result):
                raise MomagenError("an array that shares no memory with x", "one that overlaps x in part", "out")
            n, count = shape[-1], prod(shape[:-2])
            sources, results = given.reshape(count, self.inner * n), result.reshape(count, self.rows * n)
            for at in range(count):
                self.on_device.run(results[at], sources[at], n)
            return result if out is None else out

    def _check(self, device: CupyDevice, array: Any, shape: tuple[int, ...], name: str) -> None:
        """Reject an array of the GPU that is not a contiguous one of ``shape`` on the GPU of the plan."""
        dtype = self.on_device.dtype
        found = tuple(array.shape)
        if len(found) < 2 or found != shape or array.dtype != dtype:
            rows = self.rows if name == "out" else self.inner
            raise MomagenError(f"{dtype} of shape (…, {rows}, n)", f"{array.dtype} of shape {found}", name)
        if not array.flags.c_contiguous:
            hint = "cupy.ascontiguousarray(…) copies it"
            raise MomagenError("a contiguous array", f"strides {array.strides}", name, hint)
        if int(array.device.id) != device.number:
            wanted = f"an array of GPU {device.number}, where the kernel's tables are"
            raise MomagenError(wanted, f"one of GPU {array.device.id}", name)


@checked_methods
class CudaConversion(CudaRows, RowsConversion):
    """A conversion for CUDA of residues from one RNS basis to another; built by :func:`momagen.convert`."""


@checked_methods
class CudaRescale(CudaRows, RowsRescale):
    """Division by the last modulus for CUDA; built by :func:`momagen.rescale`."""
