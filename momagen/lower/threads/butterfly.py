"""One butterfly of a transform as a kernel by itself, for counting what it consists of."""

from __future__ import annotations

from momagen.kernels.butterflies.codelets import Codelet
from momagen.kernels.flow.ntt_flow import range_class, shared_codelet
from momagen.kinds.modular.spec import Spec
from momagen.lower.names import TABLES, C, X, Y
from momagen.plan.thread_plan import ThreadPlan
from momagen.program import Function
from momagen.program.device import BLOCK, THREAD, DeviceProgram, Launch
from momagen.program.statements import Transfer

from .codelets import write_codelet
from .ends import chunk_of
from .writer import DeviceWriter

NAME = "butterfly"
APART = 1 << 20
"""Elements from x to y: what a transform of 2^21 points has in its first level."""
LEVELS = 16
"""After so many levels ranges have settled."""


def butterfly_program(spec: Spec) -> DeviceProgram:
    """A kernel whose threads each load x, y and a twiddle, do one butterfly of radix 2, and store both results.

    It is that of a level in the middle of a transform, whose ranges have settled: the first one and the last differ.
    """
    plan = ThreadPlan(spec)
    writer = DeviceWriter(spec, plan.shortest, plan.stride)
    stride, columns, threads = plan.stride, len(writer.arith.columns), plan.target.threads
    f = Function(NAME, (Y, X, C, TABLES), copies=f"kernel {threads}")
    at = f.let("at", (BLOCK * threads + THREAD) * stride)
    arrays = [f.array(f"x{i}", writer.arith.words) for i in range(2)]
    aligned = chunk_of(writer.arith.word, stride)
    for i, array in enumerate(arrays):
        f.add(Transfer(array, 0, X + (at + i * APART * stride), writer.arith.words, aligned, False))
    name = write_codelet(writer, settled(plan), False)
    f.do(writer.call(name, *arrays, C, TABLES + at, columns * APART * stride))
    for i, array in enumerate(arrays):
        f.add(Transfer(array, 0, Y + (at + i * APART * stride), writer.arith.words, aligned, True))
    writer.put(f)
    size = 2 * APART * stride
    run = [Launch(NAME, threads, APART // threads, operands=("y", "x"))]
    return DeviceProgram(
        writer.functions, writer.statics, [], run, writer.constants, columns * APART * stride, 0, 0, stride, size
    )  # fmt: skip


def settled(plan: ThreadPlan) -> Codelet:
    """The codelet of radix 2 whose results have the range of its operands, or the last of so many levels."""
    arith, m, back = plan.arith, plan.spec.ranges.input, plan.spec.inverse
    for _ in range(LEVELS):
        made = shared_codelet(arith, 2, range_class(arith, m, 2, back), 0, False, False, back=back)
        m = made.out[1]
    return made
