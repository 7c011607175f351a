"""The C interface of a kernel for GPUs on the rows of an RNS basis, by ctypes, on a stand-in for CUDA's runtime."""

from __future__ import annotations

import re
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint64, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.cuda_runtime import CudaRuntime, cpp

NUMBERS = {"s": "scale", "t": "plaintext_modulus"}
"""The fields of a request by the names of numbers that ``create`` takes."""


class RowsHost:
    """The functions of one kernel.

    Attributes:
        k: the kernel in Python. runtime: the stand-in. codes: the names of its codes, in their order.
    """

    create: Any
    execute: Any
    destroy: Any
    error_text: Any

    def __init__(self, k: Any, folder: Path) -> None:
        if cpp() is None:
            pytest.skip("there is no C++ compiler")
        self.k, self.runtime, self.interface = k, CudaRuntime(k.generated, folder), k.spec.interface
        enum = re.sub(r"/\*.*?\*/", "", k.header[k.header.index("enum {") + 6 : k.header.index("};")])
        self.codes = [code.strip().removeprefix(f"{k.name.upper()}_") for code in enum.split(",")]
        bases = [c_size_t, POINTER(c_uint64)] * len(self.interface.bases)
        others = [c_size_t] * len(self.interface.sizes) + [c_uint64] * len(self.interface.numbers)
        vectors = [c_void_p] * (1 + len(self.interface.operands) + len(self.interface.permutations))
        kinds = {
            "create": (c_void_p, [*bases, *others, POINTER(c_int)]),
            "destroy": (None, [c_void_p]),
            "execute": (c_int, [c_void_p, *vectors, c_size_t, c_void_p]),
            "error_text": (c_char_p, [c_int]),
        }
        for verb, (result, given) in kinds.items():
            function = getattr(self.runtime.library, f"{k.name}_{verb}")
            function.restype, function.argtypes = result, given
            setattr(self, verb, function)

    def plan(self, *bases: tuple[int, ...], others: tuple[int, ...] | None = None) -> tuple[int | None, str]:
        """Return a plan and the code.

        Args:
            bases: the moduli of each basis (default: those of the kernel).
            others: the other numbers of create (default: those of the kernel).
        """
        spec = self.k.spec
        own = [self.k.moduli, self.k.goals][: len(self.interface.bases)]
        arrays, why = [np.array(basis or [0], np.uint64) for basis in bases or own], c_int(-1)
        sizes = [len(basis) for basis in bases or own]
        given = [each for size, array in zip(sizes, arrays, strict=True)
                 for each in (size, array.ctypes.data_as(POINTER(c_uint64)))]  # fmt: skip
        if others is None:
            names = (*self.interface.sizes, *(NUMBERS[name] for name in self.interface.numbers))
            others = tuple(getattr(spec, name) for name in names)
        return self.create(*given, *others, byref(why)), self.codes[why.value]

    def given(self, rows: np.ndarray) -> int:
        """Return the address of a copy of rows in the memory of the GPU."""
        return self.runtime.given(np.ascontiguousarray(rows, self._dtype).view(np.uint32))

    def room(self, rows: int, n: int) -> int:
        """Return the address of memory of the GPU for rows of n residues."""
        return self.given(np.full((rows, n), 5))

    def taken(self, address: int, rows: int) -> np.ndarray:
        """Return the first rows that stand at an address, of all rows of ``n`` residues there."""
        return self.runtime.taken(address).view(self._dtype).reshape(rows, -1)

    @property
    def _dtype(self) -> np.dtype[Any]:
        return np.dtype(f"u{self.k.generated.program.residue // 8}")
