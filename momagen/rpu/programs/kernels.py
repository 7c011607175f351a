"""The kernels that specifications request, as far as the machine supports them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from momagen.errors import build_error
from momagen.formula.breakdown import RING
from momagen.kinds.limits import Limit, check
from momagen.kinds.modular.spec import Spec
from momagen.kinds.registry import kinds
from momagen.plan.schedule.types import Breakdown, Schedule
from momagen.rpu.isa.kernel import RpuKernel
from momagen.rpu.isa.table import b512
from momagen.rpu.machine.design import Design, load_design

from .elementwise import elementwise_kernel
from .flow import CONSTANT_GEOMETRY
from .layout import ProgramLayout
from .product import product_kernel
from .schedules import edited_schedule, transform_schedule
from .transform import TransformShape, best_flow
from .writer import VECTORS, WORD_BYTES, fitted, scheduled_kernel

ALGORITHMS = {RING: "", CONSTANT_GEOMETRY: "pease", "pease_dif": "pease"}
"""The data flow of each algorithm, or "" for the flow that takes the fewest cycles."""
ELEMENTS = 8192
"""The number of elements in one launch of an element-wise kernel."""
TAKEN = ("algorithm", "input_factor", "output_factor", "schedule")
"""The options that the machine supports."""
AS = '`target="{0.target}"`'
"""The target in an error."""
LIMITS = (
    Limit(lambda spec: "" if spec.kind.is_modular else ", ".join(n for n, kind in kinds().items() if kind.is_modular),
          "target {0.target}", "{0.kind}", expected="one of the kernels {1}"),
    Limit(lambda spec: spec.width > b512().machine["bits"] and b512().machine["bits"], "target",
          AS + " supports moduli of at most {1} bits, not {0.width}", "pass the primes of an RNS basis as `moduli`"),
    Limit(lambda spec: (spec.ranges.input, spec.ranges.output) != (1, 1), "target",
          AS + " needs inputs and results below q", "use `input_factor=1` and `output_factor=1`"),
    Limit(lambda spec: spec.columns > 1 or spec.coset or spec.montgomery, "target",
          AS + " cannot be combined with `columns`, `coset` or `montgomery`"),
    Limit(lambda spec: spec.order != "bitrev", "order",
          '`order="{0.order}"` is not available with ' + AS, 'use `order="bitrev"`'),
    Limit(lambda spec: next((pair for pair in spec.options.texts().items() if pair[0] not in TAKEN), ()), "{1[0]}",
          '`{1[0]}="{1[1]}"` is not available with ' + AS + ", which has modular instructions", "leave out `{1[0]}`"),
    Limit(lambda spec: spec.n and spec.algorithm not in ALGORITHMS and ", ".join(filter(None, ALGORITHMS)),
          "target {0.target}", "{0.algorithm}", expected="one of the algorithms {1}"),
)  # fmt: skip
"""The requests that the machine does not support."""


@dataclass(frozen=True)
class MadeKernel:
    """A kernel, and remarks for the report."""

    kernel: RpuKernel
    notes: list[str] = field(default_factory=list)


def made_kernel(spec: Spec) -> MadeKernel:
    """Return the kernel for ``spec``, scheduled for the design of its target.

    Raises:
        MomagenError: The machine does not support the kernel; the message says what it supports.
    """
    design = load_design(spec.target.design)
    check(spec, LIMITS)
    made = _elements(spec, design) if not spec.n else _transform(spec, design)
    words = max((area.begin + area.words for area in made.kernel.areas.values()), default=0)
    if words * WORD_BYTES > design.vdm_bytes:
        problem = f"the vectors and tables take {words * WORD_BYTES} bytes"
        problem += f", and the vector memory of {design.name} has {design.vdm_bytes}"
        raise build_error(problem, f"target {spec.target}", "use fewer points or moduli")
    return made


def flow_of(spec: Spec) -> str:
    """Return the data flow of a transform."""
    return ALGORITHMS[spec.algorithm] or best_flow(spec.n, load_design(spec.target.design))


def shape_of(spec: Spec) -> TransformShape:
    """Return the shape of a transform with the data flow for its machine."""
    return TransformShape(spec.n, spec.negacyclic, spec.inverse, flow_of(spec))


def schedule_of(spec: Spec) -> Schedule:
    """Return the schedule of a transform: the planned one, or the one that an option states.

    Raises:
        MomagenError: The schedule of the option does not compute the transform.
    """
    design = load_design(spec.target.design)
    shape = fitted(shape_of(spec), ProgramLayout(VECTORS, spec.n, spec.rows), design)
    return edited_schedule(text, shape) if (text := spec.options.schedule) else transform_schedule(shape)


def breakdown_of(spec: Spec) -> Breakdown:
    """Return the breakdown that explanations show: the schedule's, or that of an algorithm with shuffles."""
    found = schedule_of(spec).breakdown
    return replace(found, algorithm=spec.algorithm) if ALGORITHMS[spec.algorithm] else found


def _transform(spec: Spec, design: Design) -> MadeKernel:
    """Return the kernel of a transform, or of a product of polynomials."""
    shape = shape_of(spec)
    notes = [f"data flow: {shape.flow}"] * (not spec.options.schedule)
    if spec.kind.joins_transforms:
        return MadeKernel(product_kernel(shape, spec.rows, design, target=spec.target), notes)
    return MadeKernel(scheduled_kernel(schedule_of(spec), spec.rows, design, spec.target), notes)


def _elements(spec: Spec, design: Design) -> MadeKernel:
    """Return an element-wise kernel."""
    kernel = elementwise_kernel(spec.kind.name, ELEMENTS, spec.rows, design, target=spec.target)
    return MadeKernel(kernel, [f"{ELEMENTS} elements a launch"])
