"""The generation of programs for transforms, pass by pass, for several moduli and batches at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from momagen.errors import MomagenError
from momagen.plan.schedule.types import OPERAND, REGISTERS, RESULT, SCRATCH, Schedule
from momagen.rpu.backend.compile import compiled
from momagen.rpu.backend.steps import ALL, RECTANGLES, Steps
from momagen.rpu.backend.virtual import Code
from momagen.rpu.isa.elements import LANES
from momagen.rpu.isa.kernel import Powers, RpuKernel
from momagen.rpu.isa.program import RpuProgram
from momagen.rpu.machine.design import Design
from momagen.targets import Target

from .blocks import butterfly, usual_target, write_block
from .layout import ProgramLayout
from .schedules import transform_schedule
from .transform import RpuTransform, TransformShape
from .wires import Rectangle, VectorPass, rectangles, vector_passes

MEMORY, WORD_BYTES = 4 << 20, 16
"""The number of bytes of the paper's vector memory, which is assumed if no machine is named, and of a word."""
RESIDENT = 16
"""The largest number of vectors of twiddles that stay in registers for all rectangles of a pass."""
VECTORS = ("x", "y", "room")
"""The names of the vectors: operand, result, and scratch memory."""


def transform_program(
    towers: Sequence[RpuTransform], design: Design | None = None, batch: int = 1, steps: Steps = ALL
) -> RpuProgram:
    """Return a program for ``batch`` transforms modulo each modulus.

    Args:
        towers: A transform for each modulus. They differ only in moduli and roots.
        design: The machine for which the program is scheduled, or None.
        batch: The number of transforms for each modulus.
        steps: The steps of the back end.

    Raises:
        MomagenError: The transforms differ in more than moduli and roots, or the machine does not support the
            program.
    """
    shape = alike(towers)
    code, layout = transform_code(shape, len(towers), design, batch, steps)
    kernel = layout.kernel(compiled(code, layout.frame("room"), design, steps), shape.order)
    return kernel.program([of.q for of in towers], [of.root for of in towers])


def alike(towers: Sequence[RpuTransform]) -> TransformShape:
    """Return the common shape of all towers.

    Raises:
        MomagenError: There are no towers, or their shapes differ.
    """
    if not towers or any(other.shape != towers[0].shape for other in towers):
        got = "no transform" if not towers else "transforms that also differ otherwise"
        raise MomagenError("transforms that differ only in their moduli and roots", got, "towers")
    return towers[0].shape


def transform_code(
    shape: TransformShape, towers: int = 1, design: Design | None = None, batch: int = 1, steps: Steps = ALL
) -> tuple[Code, ProgramLayout]:  # fmt: skip
    """Return the code and layout of transforms from the vector x to the vector y, before register allocation.

    The transforms of the first tower are first in both vectors.

    Args:
        shape: The shape of the transforms.
        towers: The number of moduli.
        design: The machine for which the program is scheduled, or None to keep the order of the algorithm.
        batch: The number of transforms for each modulus.
        steps: The steps of the back end.

    Raises:
        MomagenError: There are more towers than modulus registers, the batch is below 1, or the data exceed
            the vector memory.
    """
    shape = fitted(shaped(shape, steps), ProgramLayout(VECTORS, shape.n, towers, batch), design)
    code, layout = Code(), ProgramLayout(VECTORS, shape.n, towers, batch, usual_target())
    write_transforms(code, layout, transform_schedule(shape), VECTORS)
    return code, layout


def scheduled_kernel(schedule: Schedule, towers: int, design: Design, target: Target) -> RpuKernel:
    """Return the program of a schedule; see :func:`transform_code` for the arguments."""
    code, layout = Code(), ProgramLayout(VECTORS, schedule.breakdown.n, towers, target=target)
    write_transforms(code, layout, schedule, VECTORS)
    return layout.kernel(compiled(code, layout.frame("room"), design, ALL), schedule.breakdown.order_of_root)


def shaped(shape: TransformShape, steps: Steps) -> TransformShape:
    """Return ``shape``, or with one stage per rectangle if ``steps`` do not contain RECTANGLES."""
    return shape if RECTANGLES in steps else replace(shape, depth=1)


def fitted(shape: TransformShape, layout: ProgramLayout, design: Design | None) -> TransformShape:
    """Return ``shape``, for an inverse transform with decimation in time if its tables fit the memory.

    This function adds the tables to ``layout``, which the caller must not use afterwards.

    Args:
        shape: The shape.
        layout: A layout with the vectors and tables that the program has already.
        design: The machine, or None for the memory of the paper's.
    """
    if not shape.inverse:
        return shape
    in_time = replace(shape, in_time=True)
    write_transforms(Code(), layout, transform_schedule(in_time), VECTORS)
    return in_time if layout.end * WORD_BYTES <= (design.vdm_bytes if design else MEMORY) else shape


def write_transforms(code: Code, layout: ProgramLayout, schedule: Schedule, vectors: Sequence[str]) -> None:
    """Append transforms.

    Args:
        code: The code.
        layout: The layout.
        schedule: The schedule of the transforms.
        vectors: The names of the operand, the result, and the scratch memory for intermediate values.
    """
    names = dict(zip((OPERAND, RESULT, SCRATCH), vectors, strict=True))
    places = [layout.vector(names[edge.memory]) for edge in schedule.edges if edge.memory != REGISTERS]
    found = vector_passes(schedule)
    for at, (each, source, goal) in enumerate(zip(found, places[:-1], places[1:], strict=True)):
        made = [*rectangles(each)]
        for tower in range(layout.towers):
            writer = _Writer(code, layout, schedule, each, tower, at == len(found) - 1)
            for member in range(layout.batch):
                begin = (tower * layout.batch + member) * layout.n
                writer.write(made, source + begin, goal + begin)


class _Writer:
    """The writer of one pass of one tower. In the last pass of an inverse transform, it multiplies by the weights."""

    def __init__(
        self, code: Code, layout: ProgramLayout, schedule: Schedule, flow: VectorPass, tower: int, last: bool
    ) -> None:
        self.code, self.layout, self.flow, self.tower, self.last = code, layout, flow, tower, last
        self.inverse = schedule.breakdown.inverse
        self.known, self.source, self.goal = dict[Powers, int](), 0, 0
        self.block = layout.traced(butterfly(layout.target, back=schedule.computing[0].late))

    def write(self, made: Sequence[Rectangle], source: int, goal: int) -> None:
        """Append all rectangles of one transform, from the vector at ``source`` to the vector at ``goal``."""
        self.source, self.goal = source, goal
        resident = len({each.twiddles for rectangle in made for each in rectangle.work if each.twiddles}) <= RESIDENT
        for rectangle in made:
            if not resident:
                self.known.clear()
            if self.inverse:
                self._backward(rectangle)
            else:
                self._forward(rectangle)

    def _twiddle(self, powers: Powers) -> int:
        """Return a vector of powers, which stays in its register."""
        if powers not in self.known:
            self.known[powers] = self._load(powers)
        return self.known[powers]

    def _load(self, powers: Powers) -> int:
        """Append a load of a vector of powers, and return its register."""
        at = self.layout.place(self.tower, powers)
        if powers.words == 1:
            return self.code.broadcast(at)
        mode = ("repeated", len(powers.steps)) if powers.words < LANES else ("contiguous", 0)
        return self.code.load(at, *mode)

    def _butterfly(self, x: int, y: int, powers: Powers) -> tuple[int, int]:
        """Append a butterfly: x + v·y and x - v·y, or with decimation in frequency x + y and v·(x - y)."""
        given = {"x0": x, "x1": y, "v1": self._twiddle(powers)}
        made = write_block(self.code, self.block, given, self.tower, self.layout.target)
        return made["y0"], made["y1"]

    def _forward(self, of: Rectangle) -> None:
        """Append a rectangle of a forward transform."""
        code = self.code
        wires = {wire: code.load(self.source + address) for wire, address in of.loads}
        for each in of.work:
            x, y = (wires[wire] for wire in each.wires)
            if each.twiddles:
                made = self._butterfly(x, y, each.twiddles)
            else:
                made = code.shuffle("unpklo", x, y), code.shuffle("unpkhi", x, y)
            wires |= dict(zip(each.results, made, strict=True))
        for wire, address in of.stores:
            code.store(wires[wire], self.goal + address, *self._spread())

    def _backward(self, of: Rectangle) -> None:
        """Append a rectangle of an inverse transform, with butterflies and packs from the last one to the first."""
        code = self.code
        wires = {wire: code.load(self.source + address, *self._spread()) for wire, address in of.stores}
        for each in reversed(of.work):
            x, y = (wires[wire] for wire in each.results)
            if each.twiddles:
                made = self._butterfly(x, y, each.twiddles)
            else:
                made = code.shuffle("pklo", x, y), code.shuffle("pkhi", x, y)
            wires |= dict(zip(each.wires, made, strict=True))
        for (wire, address), weights in zip(of.loads, of.weights, strict=True):
            found = wires[wire]
            if self.last:
                factor = self._twiddle(weights) if weights.words == 1 else self._load(weights)
                found = code.arithmetic("vmul", found, factor, self.tower)
            code.store(found, self.goal + address)

    def _spread(self) -> tuple[str, int]:
        """Return the address mode for vectors whose lanes are spread, with its value."""
        return ("strided", self.flow.spread) if self.flow.spread else ("contiguous", 0)
