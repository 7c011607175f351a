"""A kernel on the rows of an RNS basis on a device: its plan and its calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from momagen.emit import Source
from momagen.emit.codes import BAD_MODULUS, CUDA_CODES
from momagen.errors import MomagenError
from momagen.program.device import RowsProgram

from .device import Device, PtxDevice
from .gpu import CupyDevice, why_no_gpu
from .runner import MOST_BLOCKS

NULL = np.uint64(0)
"""A null pointer of the device."""
HALVES = 2
"""The number of 32-bit words of a word of 64 bits."""


class DeviceRows:
    """A plan of a kernel on the rows of an RNS basis on a device.

    Args:
        program: The program of the kernel.
        name: The name of the kernel.
        device: The device.
        arrays: The words of each array that set-up reads, the moduli of the rows first.
        numbers: The numbers of the plan by their names; "goals" is the number of rows that blocks compute.

    Attributes:
        device: The device: the GPU if there is one, otherwise the CPU, which emulates the PTX.
        dtype: The type of a residue in memory.

    Raises:
        MomagenError: The kernel does not support the moduli, or the device reports an error.
    """

    def __init__(
        self, program: RowsProgram, name: str, device: Device, arrays: Sequence[Sequence[int]],
        numbers: Mapping[str, int],
    ) -> None:  # fmt: skip
        self.program, self.name, self.device = program, name, device
        self._goals, self._numbers = numbers["goals"], [numbers[each] for each in program.numbers]
        self.dtype = np.dtype(f"u{program.residue // 8}")
        self._tables = device.zeros(HALVES * (program.fixed + self._goals * program.each))
        status = device.zeros(HALVES)
        given = [device.given(np.array(words, np.uint64).view(np.uint32)) for words in arrays]
        for launch in program.setup:
            args = [self._tables, status, *given, len(arrays[0]), self._goals]
            device.launch(launch.kernel, (launch.blocks, 1), launch.threads, launch.shared, args)
        if not device.taken(status)[0]:
            raise MomagenError("moduli that the kernel supports", CUDA_CODES[BAD_MODULUS], self.name)
        device.settle()  # calls may use another stream

    def of(self, **numbers: int) -> DeviceRows:
        """Return a plan that shares the tables of this one and has other ``numbers``, except for goals."""
        found = copy(self)
        found._numbers = [numbers.get(name, number) for name, number in
                          zip(self.program.numbers, self._numbers, strict=True)]  # fmt: skip
        return found

    def run(self, n: int, *operands: Any) -> None:
        """Launch the kernel on arrays of the device.

        Args:
            n: The number of residues of a row.
            operands: The result and the operands, in the order of the kernel's parameters; ``NULL`` for an
                omitted optional one.

        Raises:
            MomagenError: There are too many columns for one launch.
        """
        if n >= MOST_BLOCKS:
            raise MomagenError(f"fewer than {MOST_BLOCKS} columns", n, self.name)
        for run in self.program.run if n else ():
            args, blocks = [*operands, self._tables, *self._numbers, n], -(-n // run.group)
            rows = self.program.blocks_of_rows(blocks, self.device.processors, self._goals)
            self.device.launch(run.kernel, (blocks, rows), run.threads, run.shared, args)

    def given(self, rows: NDArray[Any]) -> Any:
        """Return a copy of rows of residues on the device."""
        return self.device.given(np.ascontiguousarray(rows, self.dtype).view(np.uint32).reshape(-1))

    def on_host(self, z: NDArray[Any], x: NDArray[Any], *others: Any) -> None:
        """Copy the rows of each vector to the device, run the kernel, and copy the results back.

        Args:
            z: The results, of shape (vectors, rows, n).
            x: The first operand, of shape (vectors, rows, n).
            others: The other operands, which are arrays of the device that all vectors share.
        """
        device, n = self.device, z.shape[-1]
        for result, rows in zip(z, x, strict=True):
            if n:
                goal = device.zeros(result.size * self.dtype.itemsize // 4)
                self.run(n, goal, self.given(rows), *others)
                result[...] = device.taken(goal).view(self.dtype).reshape(result.shape)


class RowsModule:
    """A kernel for CUDA that is loaded on a device and can create plans.

    Attributes:
        spec: The request.
        name: The name of the kernel.
        program: The program of the kernel.
        device: The GPU if there is one, otherwise the CPU, which emulates the PTX.
    """

    def __init__(self, source: Source) -> None:
        assert isinstance(source.program, RowsProgram)
        self.spec, self.name, self.program = source.spec, source.name, source.program
        self.device: Device = PtxDevice(source.source) if why_no_gpu() else CupyDevice(source.source)

    @property
    def missing(self) -> tuple[str, ...]:
        """The emulated features: the GPU, or none."""
        return self.device.missing

    @property
    def compiler(self) -> str:
        """The compiler of the kernel."""
        return self.device.compiler

    def plan(self, arrays: Sequence[Sequence[int]], numbers: Mapping[str, int]) -> DeviceRows:
        """Return a plan; arguments and errors are those of :class:`DeviceRows`."""
        return DeviceRows(self.program, self.name, self.device, arrays, numbers)
