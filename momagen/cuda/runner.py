"""A CUDA kernel that Python can call, on a device that is a GPU or the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from momagen.emit import Source
from momagen.emit.codes import BAD_MODULUS, BAD_ROOT, OK, refusal
from momagen.errors import MomagenError
from momagen.kinds.modular.spec import Spec
from momagen.params.words import Words, to_words
from momagen.program.device import DeviceProgram, Launch

from .device import Device, Device32, PtxDevice
from .gpu import CupyDevice, why_no_gpu

RUNNING = "NVRTC"
"""The default name of the compiler."""
STATUS = (OK, BAD_MODULUS, BAD_ROOT)
"""The error codes for a modulus, by the number that set-up returns."""
MOST_BLOCKS, MOST_ROWS, MOST_COUNT = 1 << 31, 65535, 1 << 32
"""The limits of a launch: the number of blocks (exclusive), the number of moduli, and the number of
transforms or residues (exclusive), which kernels count in 32 bits."""


@dataclass(frozen=True)
class DeviceKernel:
    """A kernel on a device; it implements :class:`momagen.runtime.runner.Runner`.

    Attributes:
        spec: The specification.
        name: The name of the kernel.
        moduli: A description of the supported moduli.
        program: The program.
        device: The device.
        compiler: The name of the compiler.
        missing: The emulated features.
    """

    spec: Spec
    name: str
    moduli: str
    program: DeviceProgram = field(repr=False)
    device: Device = field(repr=False)
    compiler: str = RUNNING
    missing: tuple[str, ...] = ("gpu",)

    def plan(self, modulus: int, root: int) -> DevicePlan:
        """Return a plan for one modulus and root.

        Raises:
            MomagenError: The kernel does not support this modulus, or the root is wrong.
        """
        return DevicePlan(self, [modulus], [root])

    def basis_plan(self) -> DevicePlan:
        """Return a plan for all moduli of the basis."""
        return DevicePlan(self, self.spec.basis, self.spec.told_roots)


class DevicePlan:
    """A plan: the constants and tables of a kernel's moduli on a device.

    Args:
        kernel: The kernel.
        moduli: The moduli.
        roots: The root of unity modulo each of them.

    Attributes:
        kernel: The kernel.
        spec: The specification.
        words: The number of 64-bit words of a residue in the arrays of calls.
        rows: The number of moduli.
        moduli: The moduli.
        modulus: The smallest modulus.
        root: The root modulo the first modulus.
        constants: The constants on the device.
        tables: The tables on the device.

    Raises:
        MomagenError: The kernel does not support a modulus, or a root is wrong.
    """

    def __init__(self, kernel: DeviceKernel, moduli: Sequence[int], roots: Sequence[int]) -> None:
        spec, program, device = kernel.spec, kernel.program, kernel.device
        self.kernel, self.spec, self.words, self.rows = kernel, spec, spec.row, len(moduli)
        self.moduli, self.modulus, self.root = tuple(moduli), min(moduli), roots[0]
        given = {BAD_MODULUS: moduli, BAD_ROOT: roots} if spec.n else {BAD_MODULUS: moduli}
        for code, numbers in given.items():
            for at, number in enumerate(numbers):
                if number >> spec.arith.held:
                    raise refusal(kernel, code, moduli[at], roots[at])
        q, root = (device.given(self.own(to_words([*each], self.words))) for each in (moduli, roots))
        each = self.rows * program.parts
        status, self.constants = device.zeros(each), device.zeros(each * program.constants)
        self.tables, powers = (device.zeros(max(1, each * words)) for words in (program.tables, program.powers))
        for at, launch in enumerate(program.setup):
            args = [self.tables, powers, self.constants] if at else [self.constants, status, q, root]
            self._launch(launch, launch.blocks, args)
            for row, number in enumerate(device.taken(status)[:: program.parts]) if at == 0 else ():
                if number:
                    raise refusal(kernel, STATUS[number], moduli[row], roots[row])
        device.settle()  # a call may be on another stream

    def execute(self, result: Words, *inputs: Words, count: int) -> None:
        """Write the results for ``count`` transforms, products or residues of each modulus to ``result``.

        Args:
            result: The array for the result, which may be one of the inputs.
            inputs: The operands.
            count: The number of transforms, products or residues.
        """
        if count == 0:
            return
        device = self.kernel.device
        given = {id(array): device.given(self.own(array)) for array in inputs}
        goal = given.get(id(result))
        goal = device.zeros(result.size // self.words * self.stride) if goal is None else goal
        self.run(goal, [given[id(array)] for array in inputs], count)
        result.reshape(-1, self.words)[:] = self._back(device.taken(goal))

    def run(self, result: Any, inputs: Sequence[Any], count: int) -> None:
        """Launch the kernel on device arrays of 32-bit words; it may still run when this method returns.

        Args:
            result: The array for the result.
            inputs: The operands.
            count: The number of transforms, products or residues.

        Raises:
            MomagenError: The batch is too large for one launch, or the device reports an error.
        """
        program, ranges = self.kernel.program, self.spec.ranges
        vectors = dict(zip(ranges.operands, inputs, strict=True))
        room = self.rows * max(1, self._room(count)) * program.parts
        vectors |= {ranges.result: result, "t": self.kernel.device.room(room)}
        for launch in program.run:
            operands = [vectors[name] for name in launch.operands]
            blocks = launch.blocks * (-(-count // launch.group) if launch.group else 1)
            if count >= MOST_COUNT or blocks >= MOST_BLOCKS:
                most = min(MOST_COUNT - 1, (MOST_BLOCKS - 1) // launch.blocks * launch.group)
                what = "transforms" if self.spec.n else "residues"
                raise MomagenError(f"at most {most} {what} in one call", count, self.kernel.name)
            self._launch(launch, blocks, [*operands, self.constants, self.tables, count])

    def _room(self, count: int) -> int:
        """Return the number of scratch words of a call for each modulus."""
        return self.kernel.program.room * count + self.kernel.program.numbers

    def _launch(self, launch: Launch, blocks: int, args: Sequence[Any]) -> None:
        if self.rows > MOST_ROWS:
            raise MomagenError(f"at most {MOST_ROWS} moduli", self.rows, self.kernel.name)
        self.kernel.device.launch(launch.kernel, (blocks, self.rows), launch.threads, launch.shared, args)

    @property
    def stride(self) -> int:
        """The number of 32-bit words of a residue on the device."""
        return self.kernel.program.stride * self.kernel.program.parts

    def own(self, residues: Words) -> Device32:
        """Return residues in 64-bit words as 32-bit words in the layout of the device."""
        words = np.ascontiguousarray(residues).view("<u4").reshape(-1, 2 * self.words)
        return np.ascontiguousarray(words[:, : self.stride]).reshape(-1).astype(np.uint32)

    def _back(self, words: Device32) -> Words:
        """Return residues in the layout of the device as 64-bit words."""
        stride = self.stride
        found = np.zeros((len(words) // stride, 2 * self.words), "<u4")
        found[:, :stride] = words.reshape(-1, stride)
        return found.view("<u8").astype(np.uint64)


def run_cuda(source: Source) -> DeviceKernel:
    """Return a kernel that can be called, on the GPU if there is one, otherwise on the CPU."""
    program = source.program
    assert isinstance(program, DeviceProgram)
    device = PtxDevice(source.source) if why_no_gpu() else CupyDevice(source.source)
    return DeviceKernel(source.spec, source.name, source.moduli, program, device, device.compiler, device.missing)
