"""The lowering of transforms, products of polynomials and low-degree extensions on a processor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from momagen.kinds.modular.spec import Spec
from momagen.lazy import on_call
from momagen.plan.schedule.transform import TransformPlans
from momagen.program import Field

from .lowered import Lowered
from .programs import TransformPart, whole_program
from .writer import ProgramWriter

if TYPE_CHECKING:
    from .elementwise.base_products import BaseProducts

WRITERS: dict[str, Callable[..., list[TransformPart]]] = {
    "words": on_call("momagen.lower.words.transforms", "write_words"),
    "steps": on_call("momagen.lower.register_blocking.transforms", "write_steps"),
    "tiles": on_call("momagen.lower.cache_blocking.transforms", "write_tiles"),
}
"""The functions that write the transforms of a kernel, by data flow. Only the module that is used is
imported."""
base_products: Callable[..., BaseProducts] = on_call("momagen.lower.elementwise.base_products", "BaseProducts")
write_product: Callable[..., None] = on_call("momagen.lower.elementwise.elements", "write_product")
squares_of: Callable[..., dict[str, int]] = on_call("momagen.lower.depth_first", "squares_of")


def transform_kernel(spec: Spec, plans: TransformPlans, reasons: Sequence[str]) -> Lowered:
    """Return the lowered kernel of a specification.

    Args:
        spec: The specification.
        plans: The planned transforms, which all use the same data flow.
        reasons: Notes that state why the kernel does not have a data flow that a user may expect.
    """
    own, planned = plans
    first, *_, last = [*planned.values()] * 2
    writer = ProgramWriter(spec, max(plan.shortest for plan in planned.values()))
    lanes = writer.target.lanes if own == "steps" else first.lanes
    vectors, factors = first.breakdown.n // lanes, list[Field]()
    if spec.kind.multiplies_remainders(spec):
        rows = base_products(writer, first.schedule.ranges[1], last.schedule.ranges[0], over=True)
        vectors, factors = rows.vectors, [rows.field]
        rows.write()
    elif spec.kind.joins_transforms:
        write_product(writer, first.schedule.ranges[1], last.schedule.ranges[0], lanes, first.layout)
    blocks, n, columns = first.breakdown.blocks, first.breakdown.n, first.schedule.columns
    if blocks > 1 and spec.order == "natural":
        writer.write("reorder", "reorder_values", **squares_of(writer, first.schedule, blocks))
    size = f"n = {n} is" if columns == 1 else f"{columns} columns of {n} points are"
    short = [f"scalar code: {size} too short for {writer.target.lanes} lanes"]
    notes = [*short * (lanes < writer.target.lanes), *(note for plan in planned.values() for note in plan.notes)]
    program = whole_program(writer, WRITERS[own](writer, planned), vectors, factors)
    return Lowered(spec, program, [writer], list(dict.fromkeys([*notes, *reasons])), writer.moduli)
