"""The memory of a launch: arrays that are arguments, arrays that they point to, and the variables of the PTX."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from momagen.errors import MomagenError

from ..translate.layout import PtxKernel
from ..translate.source import PtxSource
from .arguments import Argument, Array, check_array, pack_arguments
from .border import CountOfAccess, LaunchInC, SpanOfMemory
from .counters import Counters, line_counts

NEAR = 1 << 16
"""The largest distance in bytes between the end of an array and an address that is described by the array."""


class LaunchMemory:
    """The memory that a launch may access.

    It keeps the arrays alive, and returns the counts of accesses afterwards.

    Args:
        source: The translated PTX.
        symbols: The arrays of its variables, by name.
        args: The arguments of the kernel.
        others: Other arrays to which arguments point.

    Raises:
        MomagenError: An array is not contiguous, or two arrays overlap. The same array may occur twice.
    """

    def __init__(
        self, source: PtxSource, symbols: Mapping[str, NDArray[Any]], args: Sequence[Argument], others: Sequence[Array]
    ) -> None:
        for each in others:
            check_array(each, "memory")
        self._source, self._args, self._symbols = source, args, symbols
        self._arrays = [each for each in args if isinstance(each, np.ndarray)]
        for i, each in enumerate(self._arrays):
            check_array(each, f"array {i} of args")
        _check_apart([*self._arrays, *others])
        spans = [_span(each, 0, each.flags.writeable) for each in [*self._arrays, *others]]
        for variable in source.symbols:
            constant = variable.space == "const"
            spans.append(_span(symbols[variable.name], int(constant), not constant))
        self._first_symbol, self._count = len(spans) - len(source.symbols), len(spans)
        self._spans = (SpanOfMemory * (len(spans) + 1))(*spans)
        self._counts = (CountOfAccess * (2 * len(source.sites) + 2))()

    def give(self, launch: LaunchInC, kernel: PtxKernel, count: bool) -> None:
        """Store the addresses of all memory in ``launch``.

        Args:
            launch: The launch.
            kernel: The kernel.
            count: Whether accesses are counted.
        """
        names, symbols = self._source.shared, [self._symbols[each.name] for each in self._source.symbols]
        packed = pack_arguments(kernel, self._args)
        parameters = (ctypes.c_uint8 * (len(packed) + 16)).from_buffer_copy(packed + bytes(16))
        addresses = (ctypes.c_uint64 * (len(symbols) + 1))(*(each.ctypes.data for each in symbols))
        shared_at = (ctypes.c_uint32 * (len(names) + 1))(*(kernel.shared.get(each, 0) for each in names))
        launch.parameters = ctypes.cast(parameters, ctypes.POINTER(ctypes.c_uint8))
        launch.symbols = ctypes.cast(addresses, ctypes.POINTER(ctypes.c_uint64))
        launch.shared_at = ctypes.cast(shared_at, ctypes.POINTER(ctypes.c_uint32))
        launch.spans = ctypes.cast(self._spans, ctypes.POINTER(SpanOfMemory))
        launch.parameter_bytes, launch.span_count = len(packed), self._count
        if count:
            launch.counts = ctypes.cast(self._counts, ctypes.POINTER(CountOfAccess))
        self._given = (parameters, addresses, shared_at)

    def place(self, address: int, space: str) -> str:
        """Return a description of an address.

        In global and constant memory, it names the array that begins nearest below the address.
        """
        if space not in ("global", "constant"):
            return f"byte {address}"
        named = [(each.ctypes.data, f"argument {i}", each.nbytes) for i, each in enumerate(self._args)
                 if isinstance(each, np.ndarray)]  # fmt: skip
        named += [(each.ctypes.data, name, each.nbytes) for name, each in self._symbols.items()]
        below = [each for each in named if each[0] <= address < each[0] + each[2] + NEAR]
        if not below:
            return hex(address)
        base, name, size = max(below)
        return f"byte {address - base} of {name}, which has {size} bytes"

    def counters(self, launch: LaunchInC) -> Counters:
        """Return the counts of a launch that is complete."""
        traffic = [(each.loaded, each.stored) for each in self._spans]
        numbers = iter(range(len(self._arrays)))
        arguments = tuple(traffic[next(numbers)] if isinstance(each, np.ndarray) else None for each in self._args)
        symbols = tuple(
            (each.name, *traffic[self._first_symbol + i]) for i, each in enumerate(self._source.symbols)
        )
        return Counters(line_counts(self._source.sites, list(self._counts)), arguments, symbols, launch.barriers)


def _check_apart(arrays: Sequence[Array]) -> None:
    """Check that arrays do not overlap, because accesses to a word are recorded by array.

    Raises:
        MomagenError: Two arrays overlap.
    """
    places = sorted({(each.ctypes.data, each.ctypes.data + each.nbytes) for each in arrays if each.nbytes})
    for (_, end), (start, _) in itertools.pairwise(places):
        if start < end:
            raise MomagenError("arrays that do not overlap", f"two that share {end - start} bytes", "args")


def _span(array: NDArray[Any], constant: int, writable: bool) -> SpanOfMemory:
    return SpanOfMemory(array.ctypes.data, array.nbytes, constant, int(writable), 0, 0, None)
