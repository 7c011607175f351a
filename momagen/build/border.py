"""Between Python's arrays, rows of 64-bit words, and vectors of a kernel's own words."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from momagen.kernels.spec.fields import ROW
from momagen.kernels.spec.spec import Spec
from momagen.params.words import Words

Own = npt.NDArray[np.unsignedinteger]


@dataclass(frozen=True)
class Border:
    """What a kernel that ``spec`` asks for reads and writes where Python has rows of ``spec.row`` words."""

    spec: Spec

    @property
    def alike(self) -> bool:
        """Whether both are the same bytes: low words first, and no word of a row that the kernel does not have."""
        arith = self.spec.arith
        return arith.word == ROW or (sys.byteorder == "little" and arith.held == ROW * self.spec.row)

    def own(self, rows: Words) -> Own:
        """``rows``, an array of shape (…, row), as the kernel's words, of shape (…, words)."""
        arith, little = self.spec.arith, np.ascontiguousarray(rows, "<u8")
        words = little.view(f"<u{arith.word // 8}")[..., : arith.words]
        return np.ascontiguousarray(words, f"=u{arith.word // 8}")

    def copies(self, arrays: Sequence[Words]) -> list[Own]:
        """The same of several; those that are one array stay one."""
        own = {id(array): self.own(array.reshape(-1, self.spec.row)) for array in arrays}
        return [own[id(array)] for array in arrays]

    def back(self, own: Own, rows: Words) -> None:
        """Write to ``rows`` what a kernel has written to ``own``."""
        arith = self.spec.arith
        words = np.zeros((*own.shape[:-1], ROW * self.spec.row // arith.word), f"<u{arith.word // 8}")
        words[..., : arith.words] = own
        rows[...] = words.view("<u8")
