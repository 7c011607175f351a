"""Kernels for CUDA on the rows of an RNS basis: base conversion, division by moduli, and key switching."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from momagen.api.calls.device_arrays import check_placed, share_memory
from momagen.api.calls.integers import check_rows
from momagen.api.calls.on_device import INTERFACE
from momagen.api.numbers import count
from momagen.arguments import checked_methods
from momagen.cuda.gpu import CupyDevice, why_no_gpu
from momagen.cuda.rows import NULL, DeviceRows
from momagen.emit.cuda.rows import cuda_rows_source
from momagen.errors import MomagenError, build_error
from momagen.kernels.matrices.keyswitch import MOST_DIGITS

from .kernels import RowsConversion, RowsKernel, RowsRescale, UnaryRowsKernel
from .key_switching import KeySwitch, permutation
from .mod_down import ModDown

COLUMN = np.dtype(np.uint32)
"""The dtype of a permutation of columns on the GPU."""


class CudaRows(RowsKernel):
    """A kernel for CUDA on rows of residues."""

    _make_source = staticmethod(cuda_rows_source)

    @cached_property
    def on_device(self) -> DeviceRows:
        """The plan on the GPU; without a GPU, a plan on the CPU, which emulates the PTX."""
        return DeviceRows(self.generated, self._arrays, self._numbers)

    @property
    def _arrays(self) -> Sequence[Sequence[int]]:
        """The arrays of numbers that set-up reads."""
        return self._bases

    @property
    def _numbers(self) -> Mapping[str, int]:
        """The numbers of a plan, by name."""
        return {"goals": self.rows}

    @property
    def _missing(self) -> tuple[str, ...]:
        return tuple(self.on_device.device.missing)

    def _gpu(self) -> CupyDevice:
        """Return the GPU, for a call whose operands are arrays of the GPU.

        Raises:
            MomagenError: The kernel runs on the CPU.
        """
        device = self.on_device.device
        if not isinstance(device, CupyDevice):
            wanted = "host arrays, because the kernel runs on the CPU"
            raise MomagenError(wanted, "a GPU array", self.name, why_no_gpu())
        return device

    def _result(self, device: CupyDevice, out: Any, shape: tuple[int, ...], operands: Mapping[str, Any]) -> Any:
        """Return the array of the GPU for the result: ``out``, or a new one.

        Raises:
            MomagenError: ``out`` is not an array of this shape, or shares memory with an operand.
        """
        if out is None:
            return device.cupy.empty(shape, self.on_device.dtype)
        result = self._checked_array(device, "out", out, shape, shape)
        for name, array in operands.items():
            if share_memory(array, result):
                raise build_error(
                    f"`out` shares memory with {name}", "out", "use an array that shares no memory with it"
                )
        return result

    def _checked_array(
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


class CudaUnaryRows(CudaRows, UnaryRowsKernel):
    """A kernel for CUDA on rows of residues with one operand."""

    def __call__(self, x: Any, *, out: Any = None) -> Any:
        """Return the rows of the result for rows of residues.

        Args:
            x: An array of integers of shape (…, moduli, n), or lists; or an array of the GPU, uint32 if no modulus has
                more than 32 bits and uint64 otherwise, whose residues are not checked.
            out: For an array of the GPU, an array of shape (…, goals, n) for the result.

        Returns:
            A uint64 array of shape (…, goals, n), or lists for lists. For an array of the GPU, ``out`` or a new CuPy
            array, which is computed on the current stream.

        Raises:
            MomagenError: An array has another shape or dtype, or on the host a residue is not below its modulus.
        """
        if hasattr(x, INTERFACE):
            device = self._gpu()
            with device.told(self.name):
                return self._on_gpu(device, x, out)
        if out is not None:
            raise build_error(f"`out` can only be used if x is a GPU array, and x is a {type(x).__name__}", "out")
        array = self._taken(x)
        check_rows(array, self.moduli, "x")
        outer, n = array.shape[:-2], array.shape[-1]
        result = np.empty((*outer, self.rows, n), np.uint64)
        vectors = prod(outer)
        self.on_device.on_host(result.reshape(vectors, self.rows, n), array.reshape(vectors, self.inner, n))
        return result if isinstance(x, np.ndarray) else result.tolist()

    def _on_gpu(self, device: CupyDevice, x: Any, out: Any) -> Any:
        """Return the result for an array of the GPU."""
        *outer, _, n = (*x.shape, 0, 0) if len(x.shape) < 2 else x.shape
        given = self._checked_array(device, "x", x, (*outer, self.inner, n), ("…", self.inner, "n"))
        result = self._result(device, out, (*outer, self.rows, n), {"x": given})
        vectors = prod(outer)
        sources, results = given.reshape(vectors, self.inner * n), result.reshape(vectors, self.rows * n)
        for at in range(vectors):
            self.on_device.run(n, results[at], sources[at])
        return result if out is None else out


@checked_methods
class CudaConversion(CudaUnaryRows, RowsConversion):
    """A conversion of residues from one RNS basis to another for CUDA; built by :func:`momagen.convert`."""


@checked_methods
class CudaRescale(CudaUnaryRows, RowsRescale):
    """A division by the last modulus of an RNS basis for CUDA; built by :func:`momagen.rescale`."""


@checked_methods
class CudaModDown(CudaUnaryRows, ModDown):
    """A division by the product of the last moduli for CUDA; built by :func:`momagen.moddown`."""

    @property
    def _arrays(self) -> Sequence[Sequence[int]]:
        return [self.moduli, [self.spec.scale], [self.spec.plaintext_modulus]]


@checked_methods
class CudaKeySwitch(CudaRows, KeySwitch):
    """The inner product of key switching for CUDA; built by :func:`momagen.keyswitch`."""

    @property
    def _numbers(self) -> Mapping[str, int]:
        return {"goals": self.inner, "digits": self.spec.digits}

    def __call__(self, d: Any, k: Any, order: Any = None, *, out: Any = None) -> Any:
        """Return the sums of products of digits and keys, element by element.

        Args:
            d: The digits: integers of shape (…, digits, moduli, n) below ``input_factor`` times their modulus; or an
                array of the GPU, uint32 if all such numbers have at most 32 bits and uint64 otherwise, which is not
                checked.
            k: The keys: integers of shape (digits, outputs, moduli, n) below their modulus, the same for all leading
                axes of d; an array of the GPU of the same dtype if d is one.
            order: A permutation of the n elements of a row: element c of the result is computed from element order[c]
                of the digits and element c of the keys; or an array of the GPU of n uint32, which is not checked.
            out: For arrays of the GPU, an array of shape (…, outputs, moduli, n) for the result.

        Returns:
            Residues of shape (…, outputs, moduli, n): a uint64 array if d is an array, otherwise lists. For arrays of
            the GPU, ``out`` or a new CuPy array, which is computed on the current stream.

        Raises:
            MomagenError: An array has another shape or dtype, or on the host a number is out of its range, or the order
                is not a permutation.
        """
        if any(hasattr(each, INTERFACE) for each in (d, k, order, out)):
            device = self._gpu()
            with device.told(self.name):
                return self._on_gpu(device, d, k, order, out)
        if out is not None:
            problem = f"`out` can only be used if d and k are GPU arrays, and d is a {type(d).__name__}"
            raise build_error(problem, "out")
        return super().__call__(d, k, order)

    def _run(
        self, result: npt.NDArray[np.uint64], digits: npt.NDArray[np.uint64], keys: npt.NDArray[np.uint64],
        columns: npt.NDArray[np.uintp] | None,
    ) -> None:  # fmt: skip
        plan, n, vectors = self.on_device.of(digits=digits.shape[-3]), digits.shape[-1], prod(digits.shape[:-3])
        order = NULL if columns is None else plan.device.given(columns.astype(COLUMN))
        flat = (each.reshape(vectors, prod(each.shape[-3:-1]), n) for each in (result, digits))
        plan.on_host(*flat, plan.given(keys), order)

    def _on_gpu(self, device: CupyDevice, d: Any, k: Any, order: Any, out: Any) -> Any:
        """Return the result for arrays of the GPU."""
        outputs, moduli = self.spec.outputs, self.inner
        shape = tuple(getattr(d, "shape", ()))
        *outer, digits, _, n = (0,) * (3 - len(shape)) + shape
        given = self._checked_array(device, "d", d, (*outer, digits, moduli, n), ("…", "digits", moduli, "n"))
        count(digits, "digits", 1, MOST_DIGITS)
        of_keys = digits, outputs, moduli, n
        keys = self._checked_array(device, "k", k, of_keys, of_keys)
        operands = {"d": given, "k": keys}
        if hasattr(order, INTERFACE):
            operands["order"] = self._checked_array(device, "order", order, (n,), (n,), COLUMN)
        elif order is not None:
            operands["order"] = device.given(permutation(order, n).astype(COLUMN))
        result = self._result(device, out, (*outer, outputs, moduli, n), operands)
        plan, vectors = self.on_device.of(digits=digits), prod(outer)
        sources, results = given.reshape(vectors, digits * moduli * n), result.reshape(vectors, outputs * moduli * n)
        for at in range(vectors):
            plan.run(n, results[at], sources[at], keys.reshape(-1), operands.get("order", NULL))
        return result if out is None else out
