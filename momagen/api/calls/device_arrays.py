"""Arrays of a GPU in the form that kernels use: contiguous residues of 32-bit words, without copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from momagen.cuda.gpu import CupyDevice
from momagen.errors import MomagenError
from momagen.kinds.modular.spec import Spec

WORD, HALF = np.dtype(np.uint64), np.dtype(np.uint32)
LENGTH = -1
"""The length in ``inner`` of an axis that may have any length."""


class DeviceArrays:
    """The arrays of a GPU that a kernel accepts.

    They are uint64 of shape (…, n, words), or uint32 of shape (…, n, stride), or (…, n) if a residue is one such word.
    Axes of moduli and of columns are at the same positions as in arrays of the host.

    Attributes:
        inner: The axes of one vector, without the axis of words; () for element-wise kernels.
        rows: The axis of moduli, as a tuple; () for a kernel of one modulus.
        words: The number of 64-bit words of a residue.
        stride: The number of 32-bit words of a residue, including padding.
        aligned: The alignment of arrays in bytes.
    """

    def __init__(self, spec: Spec, stride: int) -> None:
        rows = (len(spec.basis),) * bool(spec.basis)
        self.rows, self.inner = rows, (*rows, *(spec.axes if spec.n else (LENGTH,) * bool(spec.basis)))
        self.words, self.stride = spec.row, stride
        self.aligned = 4 * min(4, stride & -stride)
        """The alignment in bytes: kernels move two or four words at once if the stride is a multiple of that."""

    def flat(self, device: CupyDevice, name: str, array: Any, inner: tuple[int, ...] | None = None) -> Any:
        """Return ``array`` as a flat array of 32-bit words.

        It is a view, or a copy if residues of one 32-bit word are in a uint64 array.

        Args:
            device: The GPU of the plan.
            name: The name of the operand.
            array: The array.
            inner: The axes of a scalar, which has no others; None for vectors.

        Raises:
            MomagenError: The array has another dtype or shape, is on another GPU, has strides, or is not ``aligned``.
        """
        if not self._fits(array, inner):
            raise MomagenError(self._wanted(inner), f"{array.dtype} of shape {tuple(array.shape)}", name)
        check_placed(device, name, array)
        if array.data.ptr % self.aligned:
            raise MomagenError(f"an address that is a multiple of {self.aligned}", hex(array.data.ptr), name)
        words = array.reshape(-1)
        if array.dtype == HALF:
            return words
        return words.astype(HALF) if self.stride == 1 else words.view(HALF)

    def copied(self, array: Any) -> bool:
        """Return whether :meth:`flat` returns a copy of ``array``."""
        return self.stride == 1 and array.dtype == WORD

    def residues(self, array: Any) -> tuple[int, ...]:
        """Return the shape of a correct array without its axis of words."""
        shape = tuple(array.shape)
        return shape[:-1] if _ends(shape, (*self.inner, self._last(array))) else shape

    def _last(self, array: Any) -> int:
        """Return the number of elements of a residue in ``array``."""
        return self.words if array.dtype == WORD else self.stride

    def _fits(self, array: Any, inner: tuple[int, ...] | None) -> bool:
        """Return whether ``array`` has a correct dtype and shape."""
        if array.dtype not in (WORD, HALF):
            return False
        last, shape = self._last(array), tuple(array.shape)
        if inner is not None:
            return shape == (*inner, last) or (last == 1 and shape == inner)
        if last == 1 and len(shape) >= max(1, len(self.inner)) and _ends(shape, self.inner):
            return True
        return _ends(shape, (*self.inner, last))

    def _wanted(self, inner: tuple[int, ...] | None) -> str:
        """Return a description of correct arrays."""
        axes = ["length" if axis == LENGTH else str(axis) for axis in (self.inner if inner is None else inner)]
        lead = ", ".join([*["…"] * (inner is None), *axes, ""])
        return f"uint64 of shape ({lead}{self.words}), or uint32 of shape ({lead}{self.stride})"


def check_placed(device: CupyDevice, name: str, array: Any) -> None:
    """Check that an array of the GPU is contiguous and on the GPU of a plan.

    Raises:
        MomagenError: It is not.
    """
    if not array.flags.c_contiguous:
        hint = "cupy.ascontiguousarray makes a contiguous copy"
        raise MomagenError("a contiguous array", f"strides {array.strides}", name, hint)
    if int(array.device.id) != device.number:
        wanted = f"an array on GPU {device.number}, where the kernel's tables are"
        raise MomagenError(wanted, f"an array on GPU {array.device.id}", name)


def overlap(x: Any, y: Any) -> bool:
    """Return whether two contiguous arrays share some memory without being the same."""
    return share_memory(x, y) and not (x.data.ptr == y.data.ptr and x.nbytes == y.nbytes)


def share_memory(x: Any, y: Any) -> bool:
    """Return whether two contiguous arrays share some memory."""
    return bool(x.data.ptr < y.data.ptr + y.nbytes and y.data.ptr < x.data.ptr + x.nbytes)


def _ends(shape: tuple[int, ...], tail: tuple[int, ...]) -> bool:
    """Return whether ``shape`` ends with ``tail``."""
    own = shape[len(shape) - len(tail) :]
    return len(shape) >= len(tail) and all(b in (a, LENGTH) for a, b in zip(own, tail, strict=True))
