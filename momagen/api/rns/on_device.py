"""Calls of kernels for CUDA on the rows of an RNS basis: base conversion, division by moduli, and key switching."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from momagen.api.calls.device_arrays import check_placed, share_memory
from momagen.api.calls.integers import check_rows
from momagen.api.calls.on_device import INTERFACE
from momagen.cuda.gpu import CupyDevice, why_no_gpu
from momagen.cuda.rows import NULL, DeviceRows
from momagen.errors import MomagenError, build_error
from momagen.kinds.rns.basis import RowsSpec
from momagen.kinds.rns.keyswitch import MOST_DIGITS, KeySwitchSpec
from momagen.values.numbers import count

from .keyswitch import KeySwitchCaller, keyswitch_operands, permutation
from .unary import UnaryRowsCaller, one_operand

COLUMN = np.dtype(np.uint32)
"""The dtype of a permutation of columns on the GPU."""


class RowsOnDevice:
    """Checks and results of calls whose operands are arrays of the GPU.

    Attributes:
        name: The name of the kernel.
        on_device: The plan on the GPU; without a GPU, a plan on the CPU, which emulates the PTX.
    """

    def __init__(self, name: str, on_device: DeviceRows) -> None:
        self.name, self.on_device = name, on_device

    def gpu(self) -> CupyDevice:
        """Return the GPU, for a call whose operands are arrays of the GPU.

        Raises:
            MomagenError: The kernel runs on the CPU.
        """
        device = self.on_device.device
        if not isinstance(device, CupyDevice):
            wanted = "host arrays, because the kernel runs on the CPU"
            raise MomagenError(wanted, "a GPU array", self.name, why_no_gpu())
        return device

    def result(self, device: CupyDevice, out: Any, shape: tuple[int, ...], operands: Mapping[str, Any]) -> Any:
        """Return the array of the GPU for the result: ``out``, or a new one.

        Raises:
            MomagenError: ``out`` is not an array of this shape, or shares memory with an operand.
        """
        if out is None:
            return device.cupy.empty(shape, self.on_device.dtype)
        result = self.checked_array(device, "out", out, shape, shape)
        for name, array in operands.items():
            if share_memory(array, result):
                raise build_error(
                    f"`out` shares memory with {name}", "out", "use an array that shares no memory with it"
                )
        return result

    def checked_array(
        self, device: CupyDevice, name: str, array: Any, shape: tuple[int, ...], said: tuple[int | str, ...],
        dtype: np.dtype[Any] | None = None,
    ) -> Any:  # fmt: skip
        """Return an array of the GPU as a CuPy array.

        Args:
            device: The GPU of the plan.
            name: The name of the argument.
            array: The array.
            shape: The shape that it must have.
            said: The same shape as it is written in messages.
            dtype: The dtype that it must have (default: that of residues).

        Raises:
            MomagenError: It is not an array of the GPU, or not a contiguous one of this shape and dtype.
        """
        if not hasattr(array, INTERFACE):
            hint = "cupy.asarray copies it to the GPU"
            raise MomagenError("a GPU array like the others", f"a {type(array).__name__}", name, hint)
        wanted, found = dtype or self.on_device.dtype, device.cupy.asarray(array)
        if tuple(found.shape) != shape or found.dtype != wanted:
            axes = ", ".join(map(str, said))
            raise MomagenError(f"{wanted} of shape ({axes})", f"{found.dtype} of shape {tuple(found.shape)}", name)
        check_placed(device, name, found)
        return found


class CudaUnaryCaller(UnaryRowsCaller):
    """A caller of a kernel for CUDA with one operand."""

    def __init__(self, spec: RowsSpec, on_device: DeviceRows) -> None:
        self.spec, self.moduli = spec, spec.moduli
        self.rows, self.inner = len(spec.goals), len(spec.moduli)
        self.device_caller = RowsOnDevice(spec.name, on_device)

    def __call__(self, operands: Sequence[Any], out: Any = None) -> Any:
        """Return the rows of the result for rows of residues.

        Args:
            operands: One operand: an array of integers of shape (…, moduli, n), or lists; or an array of the GPU,
                uint32 if no modulus has more than 32 bits and uint64 otherwise, whose residues are not checked.
            out: For an array of the GPU, an array of shape (…, goals, n) for the result.

        Returns:
            A uint64 array of shape (…, goals, n), or lists for lists. For an array of the GPU, ``out`` or a new CuPy
            array, which is computed on the current stream.

        Raises:
            MomagenError: An array has another shape or dtype, or on the host a residue is not below its modulus.
        """
        (x,) = one_operand(operands, self.spec.name)
        if hasattr(x, INTERFACE):
            device = self.device_caller.gpu()
            with device.told(self.spec.name):
                return self._on_gpu(device, x, out)
        if out is not None:
            raise build_error(f"`out` can only be used if x is a GPU array, and x is a {type(x).__name__}", "out")
        array = self._read(x)
        check_rows(array, self.moduli, "x")
        outer, n = array.shape[:-2], array.shape[-1]
        result = np.empty((*outer, self.rows, n), np.uint64)
        vectors = prod(outer)
        shaped = result.reshape(vectors, self.rows, n), array.reshape(vectors, self.inner, n)
        self.device_caller.on_device.on_host(*shaped)
        return result if isinstance(x, np.ndarray) else result.tolist()

    def _on_gpu(self, device: CupyDevice, x: Any, out: Any) -> Any:
        """Return the result for an array of the GPU."""
        own = self.device_caller
        *outer, _, n = (*x.shape, 0, 0) if len(x.shape) < 2 else x.shape
        given = own.checked_array(device, "x", x, (*outer, self.inner, n), ("…", self.inner, "n"))
        result = own.result(device, out, (*outer, self.rows, n), {"x": given})
        vectors = prod(outer)
        sources, results = given.reshape(vectors, self.inner * n), result.reshape(vectors, self.rows * n)
        for at in range(vectors):
            own.on_device.run(n, results[at], sources[at])
        return result if out is None else out


class CudaKeySwitchCaller(KeySwitchCaller):
    """A caller of the inner product of key switching for CUDA."""

    def __init__(self, spec: KeySwitchSpec, on_device: DeviceRows) -> None:
        self.spec, self.device_caller = spec, RowsOnDevice(spec.name, on_device)

    def __call__(self, operands: Sequence[Any], out: Any = None) -> Any:
        """Return the sums of products of digits and keys, element by element.

        Args:
            operands: As for a kernel in C, or arrays of the GPU: digits and keys of uint32 if all such numbers have at
                most 32 bits and of uint64 otherwise, and a permutation of n uint32, none of which is checked.
            out: For arrays of the GPU, an array of shape (…, outputs, moduli, n) for the result.

        Returns:
            Residues of shape (…, outputs, moduli, n): a uint64 array if d is an array, otherwise lists. For arrays of
            the GPU, ``out`` or a new CuPy array, which is computed on the current stream.

        Raises:
            MomagenError: An array has another shape or dtype, or on the host a number is out of its range, or the order
                is not a permutation.
        """
        d, k, order = keyswitch_operands(operands, self.spec.name)
        if any(hasattr(each, INTERFACE) for each in (d, k, order, out)):
            device = self.device_caller.gpu()
            with device.told(self.spec.name):
                return self._on_gpu(device, d, k, order, out)
        if out is not None:
            problem = f"`out` can only be used if d and k are GPU arrays, and d is a {type(d).__name__}"
            raise build_error(problem, "out")
        return super().__call__(operands)

    def _run(
        self, result: npt.NDArray[np.uint64], digits: npt.NDArray[np.uint64], keys: npt.NDArray[np.uint64],
        columns: npt.NDArray[np.uintp] | None,
    ) -> None:  # fmt: skip
        plan = self.device_caller.on_device.of(digits=digits.shape[-3])
        n, vectors = digits.shape[-1], prod(digits.shape[:-3])
        order = NULL if columns is None else plan.device.given(columns.astype(COLUMN))
        flat = (each.reshape(vectors, prod(each.shape[-3:-1]), n) for each in (result, digits))
        plan.on_host(*flat, plan.given(keys), order)

    def _on_gpu(self, device: CupyDevice, d: Any, k: Any, order: Any, out: Any) -> Any:
        """Return the result for arrays of the GPU."""
        own = self.device_caller
        outputs, moduli = self.spec.outputs, len(self.spec.moduli)
        shape = tuple(getattr(d, "shape", ()))
        *outer, digits, _, n = (0,) * (3 - len(shape)) + shape
        given = own.checked_array(device, "d", d, (*outer, digits, moduli, n), ("…", "digits", moduli, "n"))
        count(digits, "digits", 1, MOST_DIGITS)
        of_keys = digits, outputs, moduli, n
        keys = own.checked_array(device, "k", k, of_keys, of_keys)
        operands = {"d": given, "k": keys}
        if hasattr(order, INTERFACE):
            operands["order"] = own.checked_array(device, "order", order, (n,), (n,), COLUMN)
        elif order is not None:
            operands["order"] = device.given(permutation(order, n).astype(COLUMN))
        result = own.result(device, out, (*outer, outputs, moduli, n), operands)
        plan, vectors = own.on_device.of(digits=digits), prod(outer)
        sources, results = given.reshape(vectors, digits * moduli * n), result.reshape(vectors, outputs * moduli * n)
        for at in range(vectors):
            plan.run(n, results[at], sources[at], keys.reshape(-1), operands.get("order", NULL))
        return result if out is None else out
