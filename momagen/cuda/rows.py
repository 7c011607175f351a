"""A kernel on the rows of an RNS basis on a device: its plan, and its calls."""

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
    """A plan of a kernel on the rows of an RNS basis, and what a call launches.

    Attributes:
        device: where the kernel runs: the GPU if there is one, else the CPU, which runs the PTX.
        dtype: the type of a residue in memory.
    """

    def __init__(
        self, program: RowsProgram, name: str, device: Device, arrays: Sequence[Sequence[int]],
        numbers: Mapping[str, int],
    ) -> None:  # fmt: skip
        """Make the plan.

        Args:
            program: the program of the kernel.
            name: its name.
            device: where it runs.
            arrays: the words of each array that set-up reads, the moduli of the rows first.
            numbers: the numbers of the plan by their names; "goals" is the number of rows that blocks compute.

        Raises:
            MomagenError: the kernel does not serve the moduli, or the device fails.
        """
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
        device.settle()  # a call may be on another stream

    def of(self, **numbers: int) -> DeviceRows:
        """Return the same plan with other ``numbers``, except for goals."""
        found = copy(self)
        found._numbers = [numbers.get(name, number) for name, number in
                          zip(self.program.numbers, self._numbers, strict=True)]  # fmt: skip
        return found

    def run(self, n: int, *operands: Any) -> None:
        """Launch the kernel on arrays of the device.

        Args:
            n: the number of residues of a row.
            operands: the result and the operands, as the kernel takes them; ``NULL`` in place of one that is optional.

        Raises:
            MomagenError: too many columns for one launch.
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
            z: the results, of shape (vectors, rows, n).
            x: the first operand, (vectors, rows, n).
            others: the other operands, arrays of the device, which all vectors share.
        """
        device, n = self.device, z.shape[-1]
        for result, rows in zip(z, x, strict=True):
            if n:
                goal = device.zeros(result.size * self.dtype.itemsize // 4)
                self.run(n, goal, self.given(rows), *others)
                result[...] = device.taken(goal).view(self.dtype).reshape(result.shape)


class RowsModule:
    """A kernel for CUDA on a device, ready for plans.

    Attributes:
        spec: The request.
        name: The name of the kernel.
        device: The GPU if there is one, else the CPU, which runs the PTX.
    """

    def __init__(self, source: Source) -> None:
        assert isinstance(source.program, RowsProgram)
        self.spec, self.name, self.program = source.spec, source.name, source.program
        self.device: Device = PtxDevice(source.source) if why_no_gpu() else CupyDevice(source.source)

    @property
    def missing(self) -> tuple[str, ...]:
        """What is emulated: the GPU, or nothing."""
        return self.device.missing

    @property
    def compiler(self) -> str:
        """What compiled the kernel."""
        return self.device.compiler

    def plan(self, arrays: Sequence[Sequence[int]], numbers: Mapping[str, int]) -> DeviceRows:
        """Return a plan; arguments and errors are those of :class:`DeviceRows`."""
        return DeviceRows(self.program, self.name, self.device, arrays, numbers)
