"""The files of a polynomial product: two forward transforms, products point by point, the inverse."""

from __future__ import annotations

from momagen.kernels.elements import montgomery_product
from momagen.kernels.spec import Spec
from momagen.kernels.stage import LANES
from momagen.lower.element_loops import write_loop
from momagen.lower.transforms import words_product
from momagen.lower.writer import ProgramWriter

from .aside import aside
from .flow import flow_of
from .kernel import kernel
from .ntt import check_reduction, lanes_for, product_title
from .source import Source
from .stepped import stepped_product, stepped_product_source
from .tiled import product_source, tiled_product


def polymul_source(spec: Spec) -> Source:
    """The files of the product modulo x^n - 1 or x^n + 1 that ``spec`` asks for.

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
    check_reduction(spec)
    writer, room, lazy = ProgramWriter(spec), spec.arith.room, spec.arith.lazy
    lanes = lanes_for(spec.n, writer.target.lanes)
    points = 1 << (room.bit_length() - 1) // 2  # points² ≤ room = R/2^bits
    forward = flow_of(writer, lanes, False, spec.ranges.input, points, LANES)
    inverse = flow_of(writer, lanes, True, lazy, spec.ranges.output, LANES)
    write_loop(writer, "product", montgomery_product(writer.arith, points, lazy), lanes, LANES)
    program = words_product(writer, forward, inverse, lanes)
    return kernel("polymul", product_title(spec), writer, program, lanes)
