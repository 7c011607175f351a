"""The files of a polynomial product: two forward transforms, products point by point, the inverse."""

from __future__ import annotations

from dataclasses import replace

from momagen.kernels.elements import montgomery_product
from momagen.kernels.ntt import Transform
from momagen.kernels.spec import Spec
from momagen.kernels.stage import LANES

from .aside import aside
from .loop import write_loop
from .ntt import Transforms, files, lanes_for, made
from .source import Source, Writer
from .stepped import stepped_product, stepped_product_source
from .tiled import product_source, tiled_product


def polymul_source(spec: Spec) -> Source:
    """The C file and header of the product modulo x^n - 1 or x^n + 1 that ``spec`` asks for.

    Between the transforms, points stay in bit-reversed order, in the layout that vectors like, and reduced no further
    than the product x·y < q·R and the words ask.
    """
    own = _way(spec)
    source = {"steps": stepped_product_source, "tiles": product_source, "words": _words_source}[own](spec)
    source.notes.extend(aside(spec, own, _way))
    return source


def _way(spec: Spec) -> str:
    """How the transforms go: a name in ``aside.WAYS``."""
    return "steps" if stepped_product(spec) else "tiles" if tiled_product(spec) else "words"


def _words_source(spec: Spec) -> Source:
    transforms, room = Transforms(Writer(spec)), spec.arith.room
    writer = transforms.writer
    lanes, lazy = lanes_for(spec.n, writer.target.lanes), spec.arith.lazy
    points = 1 << (room.bit_length() - 1) // 2  # points² ≤ room = R/2^bits
    transforms.add(_ending(made(writer, lanes, False, spec.ranges.input, points)))
    transforms.add(_beginning(made(writer, lanes, True, lazy, spec.ranges.output)), after_product=True)
    write_loop(writer, "product", montgomery_product(writer.arith, points, lazy), lanes, LANES)
    return files("polymul", f"Product of polynomials of {spec.n} coefficients", transforms, lanes, {"lanes": lanes})


def _ending(done: Transform) -> Transform:
    return replace(done, stages=(*done.stages[:-1], replace(done.stages[-1], store=LANES)))


def _beginning(done: Transform) -> Transform:
    return replace(done, stages=(replace(done.stages[0], load=LANES), *done.stages[1:]))
