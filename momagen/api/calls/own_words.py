"""The words of kernels that have 16- or 32-bit words, and copies of their arrays in 64-bit words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from momagen.kinds.modular.fields import ROW
from momagen.kinds.modular.spec import Spec
from momagen.params.words import Words

NATIVE = np.dtype(np.uint64)
SHORT = (16, 32)
"""The numbers of bits of words, other than 64, that arrays of NumPy may have."""


class OwnWords(NamedTuple):
    """The form of a residue in arrays of the kernel's own words: ``words`` words of ``dtype``, the low one first.

    Attributes:
        dtype: uint16 or uint32, in native byte order.
        words: The number of these words in a residue.
        row: The number of 64-bit words in a residue.
    """

    dtype: np.dtype[Any]
    words: int
    row: int

    def describes(self, value: object) -> bool:
        """Return whether ``value`` is an array of these words, in either byte order and without a mask."""
        if type(value) is np.ndarray and value.dtype == self.dtype:
            return True
        plain = isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray)
        return plain and is_words(value, self.dtype)  # type: ignore[arg-type]

    def widened(self, residues: npt.NDArray[Any]) -> Words:
        """Return residues, an array of shape (…, words), in 64-bit words, with shape (…, row)."""
        if self.words == self.row == 1:
            return residues.astype(np.uint64)
        little = self.dtype.newbyteorder("<")
        found = np.zeros((*residues.shape[:-1], ROW * self.row // (8 * self.dtype.itemsize)), little)
        found[..., : self.words] = residues
        return found.view("<u8").astype(np.uint64, copy=False)

    def narrowed(self, rows: Words) -> npt.NDArray[Any]:
        """Return residues of shape (…, row) in these words, with shape (…, words)."""
        if self.words == self.row == 1:
            return rows.astype(self.dtype)
        words = np.ascontiguousarray(rows, "<u8").view(self.dtype.newbyteorder("<"))
        return words[..., : self.words].astype(self.dtype)


def own_words(spec: Spec, count: int = 0) -> OwnWords | None:
    """Return the words of a kernel whose arrays may have words of 16 or 32 bits, or None for another kernel.

    Args:
        spec: The specification of the kernel.
        count: The number of words in a residue, if padding makes it more than the residue needs.
    """
    if spec.arith.word not in SHORT:
        return None
    return OwnWords(np.dtype(f"u{spec.arith.word // 8}"), count or spec.arith.words, spec.row)


def is_words(array: npt.NDArray[Any], words: np.dtype[Any] = NATIVE) -> bool:
    """Return whether the elements of ``array`` are ``words``, in either byte order."""
    return array.dtype.kind == "u" and array.dtype.itemsize == words.itemsize
