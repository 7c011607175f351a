"""Programs of transforms: of several moduli and of batches at once, pass by pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from momagen.errors import MomagenError
from momagen.rpu.backend.compile import compiled
from momagen.rpu.backend.steps import ALL, RECTANGLES, Steps
from momagen.rpu.backend.virtual import Code
from momagen.rpu.isa.elements import LANES
from momagen.rpu.isa.kernel import Powers, RpuKernel
from momagen.rpu.isa.program import RpuProgram
from momagen.rpu.machine.design import Design
from momagen.targets import Target

from .blocks import butterfly, usual_target, write_block
from .flow import PassFlow, passes
from .layout import ProgramLayout
from .transform import RpuTransform, TransformShape
from .wires import Rectangle, rectangles

MEMORY, WORD_BYTES = 4 << 20, 16
"""Bytes of the vector memory where no machine is named, as of the paper's; and of a word."""
RESIDENT = 16
"""Vectors of twiddles that stay in registers for all rectangles of a pass."""
VECTORS = ("x", "y", "room")


def transform_program(
    towers: Sequence[RpuTransform], design: Design | None = None, batch: int = 1, steps: Steps = ALL
) -> RpuProgram:
    """A program for ``batch`` transforms of each of ``towers``, which are alike but for their moduli and roots.

    Raises:
        MomagenError: towers that differ in more, or what :func:`transform_kernel` refuses.
    """
    shape = alike(towers)
    kernel = transform_kernel(shape, len(towers), design, batch, steps)
    return kernel.program([of.q for of in towers], [of.root for of in towers])


def alike(towers: Sequence[RpuTransform]) -> TransformShape:
    """Return the shape that all towers have.

    Raises:
        MomagenError: there are no towers, or their shapes differ.
    """
    if not towers or any(other.shape != towers[0].shape for other in towers):
        got = "no transform" if not towers else "transforms that also differ otherwise"
        raise MomagenError("transforms that differ only in their moduli and roots", got, "towers")
    return towers[0].shape


def transform_kernel(
    shape: TransformShape, towers: int = 1, design: Design | None = None, batch: int = 1, steps: Steps = ALL,
    target: Target | None = None,
) -> RpuKernel:  # fmt: skip
    """The same for any moduli. In x and y the transforms of the first tower come first.

    Made for ``design`` by ``steps`` of the back end, or in the order of the algorithm; ``target``: what spells
    operations.

    Raises:
        MomagenError: more towers than registers for moduli, a batch below 1, or memory that addresses do not reach.
    """
    code, layout = transform_code(shape, towers, design, batch, steps, target)
    return layout.kernel(compiled(code, layout.frame("room"), design, steps), shape.order)


def transform_code(
    shape: TransformShape, towers: int = 1, design: Design | None = None, batch: int = 1, steps: Steps = ALL,
    target: Target | None = None,
) -> tuple[Code, ProgramLayout]:  # fmt: skip
    """The same before registers are allocated."""
    shape = fitted(shaped(shape, steps), ProgramLayout(VECTORS, shape.n, towers, batch), design)
    code, layout = Code(), ProgramLayout(VECTORS, shape.n, towers, batch, target or usual_target())
    write_transforms(code, layout, shape, VECTORS)
    return code, layout


def shaped(shape: TransformShape, steps: Steps) -> TransformShape:
    """``shape``, stage by stage through memory where there are to be no rectangles."""
    return shape if RECTANGLES in steps else replace(shape, depth=1)


def fitted(shape: TransformShape, layout: ProgramLayout, design: Design | None) -> TransformShape:
    """``shape``, an inverse in time where the memory of ``design`` holds its tables beside what ``layout`` has, which
    is written to; else in frequency."""
    if not shape.inverse:
        return shape
    in_time = replace(shape, in_time=True)
    write_transforms(Code(), layout, in_time, VECTORS)
    return in_time if layout.end * WORD_BYTES <= (design.vdm_bytes if design else MEMORY) else shape


def write_transforms(code: Code, layout: ProgramLayout, shape: TransformShape, vectors: Sequence[str]) -> None:
    """Append transforms; ``vectors``: names of source and goal, and of room for what goes between passes."""
    found = passes(shape.flow, shape.stages, shape.depth)
    order = found[::-1] if shape.inverse else found
    places = [layout.vector(vectors[at]) for at in between(len(order))]
    for at, (each, source, goal) in enumerate(zip(order, places[:-1], places[1:], strict=True)):
        made = [*rectangles(each, shape.twiddles)]
        for tower in range(layout.towers):
            writer = _Writer(code, layout, shape, each, tower, at == len(order) - 1)
            for member in range(layout.batch):
                begin = (tower * layout.batch + member) * shape.n
                writer.write(made, source + begin, goal + begin)


def between(count: int) -> list[int]:
    """Which of source, goal and room each of ``count`` passes reads, and the last one writes: none what it reads."""
    return [0, *(1 if (count - at) % 2 == 0 else 2 for at in range(1, count)), 1]


class _Writer:
    """Writes one pass of one tower; ``last``: inverse transforms end with weights."""

    def __init__(
        self, code: Code, layout: ProgramLayout, shape: TransformShape, flow: PassFlow, tower: int, last: bool
    ) -> None:
        self.code, self.layout, self.shape, self.flow, self.tower, self.last = code, layout, shape, flow, tower, last
        self.known, self.source, self.goal = dict[Powers, int](), 0, 0
        self.block = layout.traced(butterfly(layout.target, back=shape.inverse and not shape.in_time))

    def write(self, made: Sequence[Rectangle], source: int, goal: int) -> None:
        """All rectangles of one transform, from the vector at ``source`` to the one at ``goal``."""
        self.source, self.goal = source, goal
        resident = len({each.twiddles for rectangle in made for each in rectangle.work if each.twiddles}) <= RESIDENT
        for rectangle in made:
            if not resident:
                self.known.clear()
            if self.shape.inverse:
                self._backward(rectangle)
            else:
                self._forward(rectangle)

    def _twiddle(self, powers: Powers) -> int:
        """A vector of powers that stays in its register."""
        if powers not in self.known:
            self.known[powers] = self._load(powers)
        return self.known[powers]

    def _load(self, powers: Powers) -> int:
        at = self.layout.place(self.tower, powers)
        if powers.words == 1:
            return self.code.broadcast(at)
        mode = ("repeated", len(powers.steps)) if powers.words < LANES else ("contiguous", 0)
        return self.code.load(at, *mode)

    def _butterfly(self, x: int, y: int, powers: Powers) -> tuple[int, int]:
        """x + v·y and x - v·y; in frequency x + y and v·(x - y)."""
        given = {"x0": x, "x1": y, "v1": self._twiddle(powers)}
        made = write_block(self.code, self.block, given, self.tower, self.layout.target)
        return made["y0"], made["y1"]

    def _forward(self, of: Rectangle) -> None:
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
        """Butterflies and packs from the last one to the first."""
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
        return ("strided", self.flow.spread) if self.flow.spread else ("contiguous", 0)
