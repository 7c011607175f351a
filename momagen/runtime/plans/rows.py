"""Plans of compiled kernels on the rows of RNS bases, created through ctypes."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from momagen.emit.codes import BAD_MODULUS, text
from momagen.errors import build_error
from momagen.runtime.compiled import Compiled, address, failed, function_of, named

POINTER, COUNT = ctypes.c_void_p, ctypes.c_size_t
WORDS = ("s", "t")
"""The numbers of ``create`` that are words; the others are counts."""


class RowsPlan:
    """A kernel's plan for some bases, which is destroyed with this object and may be used by several threads.

    Attributes:
        compiled: The loaded library.
        address: The address of the plan.
    """

    def __init__(self, compiled: Compiled, bases: Sequence[Sequence[int]], numbers: Mapping[str, int]) -> None:
        """Create the plan.

        Args:
            compiled: The loaded library.
            bases: The bases that ``create`` takes.
            numbers: The other numbers that ``create`` takes, by name, in order.

        Raises:
            MomagenError: The kernel does not support the moduli, or there is not enough memory.
        """
        self.compiled, self._bases, self._numbers = compiled, bases, numbers
        self._others = dict[tuple[int, ...], RowsPlan]()
        arrays = [np.array(basis, np.uint64) for basis in bases]
        given = [each for array in arrays for each in (len(array), address(array))]
        types: list[Any] = [ctypes.c_uint64 if name in WORDS else COUNT for name in numbers]
        why = ctypes.c_int()
        arguments: list[Any] = [*[COUNT, POINTER] * len(arrays), *types, POINTER]
        create = function_of(compiled, "create", arguments, POINTER)
        found = create(*given, *numbers.values(), ctypes.addressof(why))
        if not found:
            unsupported = named(why.value) == BAD_MODULUS
            problem = "the kernel does not support these moduli" if unsupported else "the plan cannot be created"
            raise build_error(f"{problem}: {text(why.value)}", compiled.name)
        self.address = int(found)
        weakref.finalize(self, function_of(compiled, "destroy", [POINTER], None), self.address)

    def of(self, **numbers: int) -> RowsPlan:
        """Return the plan for the same bases and other ``numbers``, which is created once."""
        wanted = {**self._numbers, **numbers}
        if wanted == self._numbers:
            return self
        key = tuple(wanted.values())
        if key not in self._others:
            self._others[key] = RowsPlan(self.compiled, self._bases, wanted)
        return self._others[key]

    def execute(self, n: int, *pointers: int | None) -> None:
        """Run the kernel on ``n`` columns of contiguous rows: the result, the operands and optional arguments.

        Raises:
            MomagenError: There is not enough memory for the scratch buffer.
        """
        execute = function_of(self.compiled, "execute", [POINTER] * (1 + len(pointers)) + [COUNT], ctypes.c_int)
        if code := execute(self.address, *pointers, n):
            raise failed(code)
