"""A kernel on the rows of an RNS basis on a device: its plan, and its calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from momagen.emit import Source
from momagen.emit.codes import BAD_MODULUS, CUDA_CODES
from momagen.errors import MomagenError
from momagen.program.device import BLOCKS_OF_PROCESSOR, RowsProgram

from .device import Device, PtxDevice
from .gpu import CupyDevice, why_no_gpu
from .runner import MOST_BLOCKS

HALVES = 2
"""The number of 32-bit words of a word of 64 bits."""


class DeviceRows:
    """A plan of a kernel on the rows of an RNS basis, and what a call launches.

    Attributes:
        device: where the kernel runs: the GPU if there is one, else the CPU, which runs the PTX.
        dtype: the type of a residue in memory.
    """

    def __init__(self, source: Source, bases: Sequence[Sequence[int]], goals: int) -> None:
        """Make the plan for ``bases``, the source moduli and of a conversion the target moduli.

        Args:
            goals: the number of rows of the result.

        Raises:
            MomagenError: the kernel does not serve the moduli, or the device fails.
        """
        program = source.program
        assert isinstance(program, RowsProgram)
        self.program, self.name, self.goals = program, source.name, goals
        self.device: Device = PtxDevice(source.source) if why_no_gpu() else CupyDevice(source.source)
        self.dtype = np.dtype(f"u{program.residue // 8}")
        device = self.device
        self._blocks = BLOCKS_OF_PROCESSOR * device.processors
        self._tables = device.zeros(HALVES * (program.fixed + goals * program.each))
        status = device.zeros(HALVES)
        given = [device.given(np.array(basis, np.uint64).view(np.uint32)) for basis in bases]
        for launch in program.setup:
            args = [self._tables, status, *given, *map(len, bases)]
            device.launch(launch.kernel, (launch.blocks, 1), launch.threads, launch.shared, args)
        if not device.taken(status)[0]:
            raise MomagenError("moduli that the kernel serves", CUDA_CODES[BAD_MODULUS], self.name)
        device.settle()  # a call may be on another stream

    def run(self, z: Any, x: Any, n: int) -> None:
        """Launch the kernel on arrays of the device: x has rows of ``n`` residues each, z rows of results.

        Raises:
            MomagenError: too many columns for one launch.
        """
        if n >= MOST_BLOCKS:
            raise MomagenError(f"fewer than {MOST_BLOCKS} columns", n, self.name)
        for run in self.program.run if n else ():
            args, blocks = [z, x, self._tables, self.goals, n], -(-n // run.group)
            shares = min(self.goals, max(1, self._blocks // blocks))
            self.device.launch(run.kernel, (blocks, shares), run.threads, run.shared, args)

    def on_host(self, x: NDArray[Any], z: NDArray[Any]) -> None:
        """Copy the rows ``x`` of each vector, (vectors, moduli, n), to the device, and the results back to ``z``."""
        device, n = self.device, x.shape[-1]
        for rows, result in zip(x, z, strict=True):
            goal = device.zeros(max(1, result.size * self.dtype.itemsize // 4))
            self.run(goal, device.given(np.ascontiguousarray(rows, self.dtype).view(np.uint32).reshape(-1)), n)
            if n:
                result[...] = device.taken(goal).view(self.dtype).reshape(result.shape)
