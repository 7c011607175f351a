"""A prepared kernel on a device: constants and tables set up, calls on arrays of 32-bit words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from momagen.errors import MomagenError
from momagen.program.device import Launch

from .prepared import Prepared

Words32 = NDArray[np.uint32]


class BenchKernel:
    """One kernel with its plan; ``device`` is momagen.cuda's, of a GPU or the CPU.

    Attributes:
        scalars: what scalars of an element-wise kernel are, by name.
    """

    def __init__(self, row: Prepared, device: Any) -> None:
        self.row, self.device = row, device
        q, root = (device.given(words_of([number], row.stride)) for number in (row.modulus, row.root))
        status = device.zeros(1)
        self.constants = device.zeros(row.constants)
        self.tables = device.zeros(max(1, row.tables))
        powers = device.zeros(max(1, row.powers))
        for at, launch in enumerate(row.setup):
            args = [self.tables, powers, self.constants] if at else [self.constants, status, q, root]
            self._launch(launch, launch.blocks, args)
        if int(device.taken(status)[0]):
            raise MomagenError("a modulus and a root that the kernel serves", hex(row.modulus), row.name)
        self.scalars = {name: 3 + at for at, name in enumerate(row.scalars)}
        self._given = {name: device.given(words_of([each], row.stride)) for name, each in self.scalars.items()}

    def room(self, count: int) -> Any:
        """What a call of ``count`` transforms or elements works in."""
        return self.device.room(max(1, self.row.room * count + self.row.numbers))

    def run(self, result: Any, vectors: Sequence[Any], count: int, room: Any) -> None:
        """Queue a call."""
        names = [name for name in self.row.operands if name not in self.row.scalars]
        arrays = {**self._given, **dict(zip(names, vectors, strict=True)), self.row.result: result, "t": room}
        for launch in self.row.run:
            blocks = launch.blocks * (-(-count // launch.group) if launch.group else 1)
            operands = [arrays[name] for name in launch.operands]
            self._launch(launch, blocks, [*operands, self.constants, self.tables, count])

    def _launch(self, launch: Launch, blocks: int, args: Sequence[Any]) -> None:
        self.device.launch(launch.kernel, (blocks, 1), launch.threads, launch.shared, args)


def words_of(numbers: Sequence[int], stride: int) -> Words32:
    """Numbers as residues of ``stride`` words, the low word first."""
    data = b"".join(number.to_bytes(4 * stride, "little") for number in numbers)
    return np.frombuffer(data, "<u4").astype(np.uint32)


def numbers_of(words: Words32, stride: int) -> list[int]:
    """The other way."""
    rows = np.ascontiguousarray(words, "<u4").reshape(-1, stride)
    return [int.from_bytes(row.tobytes(), "little") for row in rows]
