"""The arguments of a launch, packed as bytes: arrays as addresses of global memory, and numbers."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from momagen.errors import MomagenError, quoted

from ..syntax.parts import SIZES
from ..translate.layout import PtxKernel, PtxParameter

Array = NDArray[Any]
Argument = Array | int | float | bytes


def pack_arguments(kernel: PtxKernel, arguments: Sequence[Argument]) -> bytes:
    """Return the bytes of a kernel's parameters.

    Raises:
        MomagenError: The number of arguments or the type of an argument is wrong.
    """
    if len(arguments) != len(kernel.parameters):
        raise MomagenError(f"{len(kernel.parameters)} arguments", len(arguments), kernel.name)
    room = bytearray(kernel.parameter_bytes)
    for i, (parameter, value) in enumerate(zip(kernel.parameters, arguments, strict=True)):
        packed = _packed(parameter, value, f"{kernel.name}, argument {i}")
        room[parameter.offset : parameter.offset + len(packed)] = packed
    return bytes(room)


def check_array(array: Array, where: str) -> None:
    """Check that an array is contiguous.

    Raises:
        MomagenError: It is not.
    """
    if not array.flags.c_contiguous:
        raise MomagenError("a contiguous array", f"an array with the strides {array.strides}", where)


def _packed(parameter: PtxParameter, value: Argument, where: str) -> bytes:
    kind, array = parameter.variable.type, parameter.variable.array
    size = SIZES[kind]
    if array:
        if not isinstance(value, bytes) or len(value) != parameter.variable.bytes:
            raise MomagenError(f"{parameter.variable.bytes} bytes", quoted(value), where)
        return value
    if isinstance(value, np.ndarray):
        if size != 8 or kind[0] == "f":
            raise MomagenError(f"a number of type {kind}", "an array", where)
        return value.ctypes.data.to_bytes(8, "little")
    if kind[0] == "f" and isinstance(value, float):
        return struct.pack("<d" if size == 8 else "<f", value)
    if kind[0] == "f" or not isinstance(value, int | np.integer) or not -(1 << 8 * size - 1) <= value < 1 << 8 * size:
        raise MomagenError(f"a number of type {kind}", quoted(value), where)
    return (int(value) % (1 << 8 * size)).to_bytes(size, "little")
