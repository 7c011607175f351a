"""From a specification to its kernel: what is asked for, as far as the machine has it."""

from __future__ import annotations

from dataclasses import dataclass, field

from momagen.errors import among, build_error
from momagen.formula.breakdown import RING
from momagen.kinds.modular.spec import Spec
from momagen.rpu.isa.kernel import RpuKernel
from momagen.rpu.isa.table import b512
from momagen.rpu.machine.design import Design, load_design

from .elementwise import KINDS, elementwise_kernel
from .flow import CONSTANT_GEOMETRY
from .product import product_kernel
from .transform import TransformShape, best_flow
from .writer import WORD_BYTES, transform_kernel

ALGORITHMS = {RING: "", CONSTANT_GEOMETRY: "pease", "pease_dif": "pease"}
"""The flow of an algorithm, "" for what takes fewest cycles."""
ELEMENTS = 8192
"""Of element-wise kernels: a launch takes so many."""
TRANSFORMS = ("ntt", "polymul")
"""The kinds that are no element-wise kernels."""


@dataclass(frozen=True)
class MadeKernel:
    """A kernel, and what there is to tell of it."""

    kernel: RpuKernel
    notes: list[str] = field(default_factory=list)


def made_kernel(spec: Spec) -> MadeKernel:
    """Return the kernel for ``spec``, scheduled for the design of its target.

    Raises:
        MomagenError: the machine does not support the kernel; the message says what it supports.
    """
    design = load_design(spec.target.design)
    _check(spec)
    made = _elements(spec, design) if not spec.n else _transform(spec, design)
    words = max((area.begin + area.words for area in made.kernel.areas.values()), default=0)
    if words * WORD_BYTES > design.vdm_bytes:
        problem = f"the vectors and tables take {words * WORD_BYTES} bytes"
        problem += f", and the vector memory of {design.name} has {design.vdm_bytes}"
        raise build_error(problem, f"target {spec.target}", "use fewer points or moduli")
    return made


def _check(spec: Spec) -> None:
    bits, target = b512().machine["bits"], f'`target="{spec.target}"`'
    if spec.kind.name not in (kinds := (*TRANSFORMS, *KINDS)):
        raise among("one of the kernels", kinds, spec.kind, f"target {spec.target}")
    if spec.width > bits:
        problem = f"{target} supports moduli of at most {bits} bits, not {spec.width}"
        raise build_error(problem, "target", "pass the primes of an RNS basis as `moduli`")
    if (spec.ranges.input, spec.ranges.output) != (1, 1):
        problem = f"{target} needs inputs and results below q"
        raise build_error(problem, "target", "use `input_factor=1` and `output_factor=1`")
    if spec.columns > 1 or spec.coset or spec.montgomery:
        problem = f"{target} cannot be combined with `columns`, `coset` or `montgomery`"
        raise build_error(problem, "target")
    if spec.order != "bitrev":
        problem = f'`order="{spec.order}"` is not available with {target}'
        raise build_error(problem, "order", 'use `order="bitrev"`')
    for name, value in spec.options.texts().items():
        if name not in ("algorithm", "input_factor", "output_factor"):
            problem = f'`{name}="{value}"` is not available with {target}, which has modular instructions'
            raise build_error(problem, name, f"leave out `{name}`")


def flow_of(spec: Spec, design: Design) -> str:
    """Return the name of a transform's data flow.

    Raises:
        MomagenError: the machine does not support the algorithm.
    """
    if spec.algorithm not in ALGORITHMS:
        raise among("one of the algorithms", filter(None, ALGORITHMS), spec.algorithm, f"target {spec.target}")
    return ALGORITHMS[spec.algorithm] or best_flow(spec.n, design)


def _transform(spec: Spec, design: Design) -> MadeKernel:
    flow = flow_of(spec, design)
    shape = TransformShape(spec.n, spec.negacyclic, spec.inverse, flow)
    make = product_kernel if spec.kind.joins_transforms else transform_kernel
    return MadeKernel(make(shape, spec.rows, design, target=spec.target), [f"data flow: {flow}"])


def _elements(spec: Spec, design: Design) -> MadeKernel:
    kernel = elementwise_kernel(spec.kind.name, ELEMENTS, spec.rows, design, target=spec.target)
    return MadeKernel(kernel, [f"{ELEMENTS} elements a launch"])
