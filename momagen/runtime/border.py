"""The conversion between Python's arrays, which are rows of 64-bit words, and vectors of a kernel's own words."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from momagen.kinds.modular.fields import ROW
from momagen.kinds.modular.spec import Spec
from momagen.params.words import Words

Own = npt.NDArray[np.unsignedinteger]


@dataclass(frozen=True)
class Border:
    """The conversion for one kernel.

    Attributes:
        spec: The specification of the kernel.
    """

    spec: Spec

    @property
    def alike(self) -> bool:
        """Whether both forms have the same bytes, so that no conversion is needed."""
        arith = self.spec.arith
        return arith.word == ROW or (sys.byteorder == "little" and arith.held == ROW * self.spec.row)

    def own(self, rows: Words) -> Own:
        """Return ``rows``, an array of shape (…, row), in the kernel's words, of shape (…, words)."""
        arith, little = self.spec.arith, np.ascontiguousarray(rows, "<u8")
        words = little.view(f"<u{arith.word // 8}")[..., : arith.words]
        return np.ascontiguousarray(words, f"=u{arith.word // 8}")

    def copies(self, arrays: Sequence[Words]) -> list[Own]:
        """Return several arrays in the kernel's words; arrays that are the same object stay the same."""
        own = {id(array): self.own(array.reshape(-1, self.spec.row)) for array in arrays}
        return [own[id(array)] for array in arrays]

    def back(self, own: Own, rows: Words) -> None:
        """Write the vector ``own`` that a kernel has written to ``rows``."""
        arith = self.spec.arith
        words = np.zeros((*own.shape[:-1], ROW * self.spec.row // arith.word), f"<u{arith.word // 8}")
        words[..., : arith.words] = own
        rows[...] = words.view("<u8")
