"""One butterfly of a transform as a separate kernel, whose instructions can be counted."""

from __future__ import annotations

from momagen.kernels.butterflies.codelets import Codelet
from momagen.kinds.modular.spec import Spec
from momagen.lower.names import TABLES, C, X, Y
from momagen.plan.schedule.passes import shared_codelet
from momagen.plan.schedule.ranges import range_classes
from momagen.program import Function
from momagen.program.device import BLOCK, THREAD, DeviceProgram, Launch
from momagen.program.statements import Transfer

from .codelets import write_codelet
from .ends import chunk_of
from .writer import DeviceWriter

NAME = "butterfly"
APART = 1 << 20
"""The number of elements from x to y, which is the distance in the first level of a transform of 2^21 points."""
LEVELS = 16
"""The number of levels after which the range of values no longer changes."""


def butterfly_program(spec: Spec) -> DeviceProgram:
    """Return a kernel whose threads each load x, y and a twiddle, do a radix-2 butterfly, and store both results.

    The butterfly is that of a level in the middle of a transform, whose ranges no longer change. Those of the
    first and the last level differ.
    """
    stride, threads = spec.arith.stride, spec.target.threads
    writer = DeviceWriter(spec, spec.arith.shortest, stride)
    columns = len(writer.arith.columns)
    f = Function(NAME, (Y, X, C, TABLES), copies=f"kernel {threads}")
    at = f.let("at", (BLOCK * threads + THREAD) * stride)
    arrays = [f.array(f"x{i}", writer.arith.words) for i in range(2)]
    aligned = chunk_of(writer.arith.word, stride)
    for i, array in enumerate(arrays):
        f.add(Transfer(array, 0, X + (at + i * APART * stride), writer.arith.words, aligned, False))
    name = write_codelet(writer, settled(spec), False)
    f.do(writer.call(name, *arrays, C, TABLES + at, columns * APART * stride))
    for i, array in enumerate(arrays):
        f.add(Transfer(array, 0, Y + (at + i * APART * stride), writer.arith.words, aligned, True))
    writer.put(f)
    size = 2 * APART * stride
    run = [Launch(NAME, threads, APART // threads, operands=("y", "x"))]
    return DeviceProgram(
        writer.functions, writer.statics, [], run, writer.constants, columns * APART * stride, 0, 0, stride, size
    )  # fmt: skip


def settled(spec: Spec) -> Codelet:
    """Return the radix-2 codelet whose results have the range of its operands, or the codelet of level ``LEVELS``."""
    arith, m, back = spec.arith, spec.ranges.input, spec.inverse
    for _ in range(LEVELS):
        made = shared_codelet(arith, 2, range_classes(arith, m, 2, back)[0], 0, False, False, back=back)
        m = made.out[1]
    return made
