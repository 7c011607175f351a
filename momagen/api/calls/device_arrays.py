"""Arrays of a GPU as a kernel takes them: 32-bit words, residue after residue, where they stand."""

from __future__ import annotations

from typing import Any

import numpy as np

from momagen.cuda.gpu import CupyDevice
from momagen.errors import MomagenError
from momagen.kernels.spec.spec import Spec

WORD, HALF = np.dtype(np.uint64), np.dtype(np.uint32)
LENGTH = -1
"""An axis of any length."""


class DeviceArrays:
    """What a kernel takes: uint64 of shape (…, n, words), or uint32 of shape (…, n, stride); where a residue is one
    such word also (…, n). Axes of moduli and of columns are where arrays of the host have them.

    Attributes:
        inner: the axes of one vector, without words; () for element-wise kernels.
    """

    def __init__(self, spec: Spec, stride: int) -> None:
        rows = (len(spec.basis),) * bool(spec.basis)
        self.rows, self.inner = rows, (*rows, *(spec.axes if spec.n else (LENGTH,) * bool(spec.basis)))
        self.words, self.stride = spec.row, stride
        self.aligned = 4 * min(4, stride & -stride)
        """Bytes: kernels move two or four words at once where residues have so many."""

    def flat(self, device: CupyDevice, name: str, array: Any, inner: tuple[int, ...] | None = None) -> Any:
        """``array`` as words; a view, but where a residue of 32 bits comes in 64 a copy.

        Args:
            inner: the axes of a scalar, which has no others.

        Raises:
            MomagenError: another dtype, shape or device, strides, or an address that is no multiple of ``aligned``.
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
        """Whether :meth:`flat` gives a copy of it."""
        return self.stride == 1 and array.dtype == WORD

    def residues(self, array: Any) -> tuple[int, ...]:
        """The shape of what fits, without its axis of words."""
        shape = tuple(array.shape)
        return shape[:-1] if _ends(shape, (*self.inner, self._last(array))) else shape

    def _last(self, array: Any) -> int:
        """Elements of a residue."""
        return self.words if array.dtype == WORD else self.stride

    def _fits(self, array: Any, inner: tuple[int, ...] | None) -> bool:
        if array.dtype not in (WORD, HALF):
            return False
        last, shape = self._last(array), tuple(array.shape)
        if inner is not None:
            return shape == (*inner, last) or (last == 1 and shape == inner)
        if last == 1 and len(shape) >= max(1, len(self.inner)) and _ends(shape, self.inner):
            return True
        return _ends(shape, (*self.inner, last))

    def _wanted(self, inner: tuple[int, ...] | None) -> str:
        axes = ["length" if axis == LENGTH else str(axis) for axis in (self.inner if inner is None else inner)]
        lead = ", ".join([*["…"] * (inner is None), *axes, ""])
        return f"uint64 of shape ({lead}{self.words}), or uint32 of shape ({lead}{self.stride})"


def check_placed(device: CupyDevice, name: str, array: Any) -> None:
    """Reject an array of the GPU that has strides, or is not on the GPU of a plan.

    Raises:
        MomagenError: it is such an array.
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
    own = shape[len(shape) - len(tail) :]
    return len(shape) >= len(tail) and all(b in (a, LENGTH) for a, b in zip(own, tail, strict=True))
