"""From a specification to its kernel: what is asked for, as far as the machine has it."""

from __future__ import annotations

from dataclasses import dataclass, field

from momagen.errors import MomagenError, among
from momagen.formula.breakdown import RING
from momagen.kernels.spec.kinds import BLAS
from momagen.kernels.spec.spec import Spec
from momagen.rpu.isa.kernel import RpuKernel
from momagen.rpu.isa.table import b512
from momagen.rpu.machine.design import Design, load_design
from momagen.targets import load_target

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
    """The kernel that ``spec`` asks for, scheduled for the design of its target.

    Raises:
        MomagenError: what the machine cannot do; says what it can.
    """
    design = load_design(load_target(spec.target).design)
    _check(spec)
    made = _elements(spec, design) if spec.kind in BLAS else _transform(spec, design)
    words = max((area.begin + area.words for area in made.kernel.areas.values()), default=0)
    if words * WORD_BYTES > design.vdm_bytes:
        expected = f"vectors and tables of at most {design.vdm_bytes} bytes, the vector memory of {design.name}"
        raise MomagenError(expected, words * WORD_BYTES, f"target {spec.target}")
    return made


def _check(spec: Spec) -> None:
    bits, place = b512().machine["bits"], f"target {spec.target}"
    if spec.kind not in (kinds := (*TRANSFORMS, *KINDS)):
        raise among("a kernel among", kinds, spec.kind, place)
    if spec.width > bits:
        hint = "--moduli gives the towers of a residue number system"
        raise MomagenError(f"moduli of at most {bits} bits", f"{spec.width} bits", place, hint)
    if (spec.ranges.input, spec.ranges.output) != (1, 1):
        raise MomagenError("vectors below q, and results below q", str(spec.ranges), place)
    if spec.columns > 1 or spec.coset or spec.montgomery:
        raise MomagenError("a complete transform of one column, on no coset", spec.stem, place)
    if spec.order != "bitrev":
        raise MomagenError("values in bit-reversed order", spec.order, f"{place}, order")
    for name, value in spec.options.items():
        if name not in ("algorithm", "input_factor", "output_factor"):
            raise MomagenError("no such option: its operations are instructions", f"{name} = {value}", place)


def flow_of(spec: Spec, design: Design) -> str:
    """The data flow of a transform.

    Raises:
        MomagenError: the machine has none for the algorithm.
    """
    if spec.algorithm not in ALGORITHMS:
        raise among("an algorithm among", ALGORITHMS, spec.algorithm, f"target {spec.target}")
    return ALGORITHMS[spec.algorithm] or best_flow(spec.n, design)


def _transform(spec: Spec, design: Design) -> MadeKernel:
    flow = flow_of(spec, design)
    shape = TransformShape(spec.n, spec.negacyclic, spec.inverse, flow)
    make = product_kernel if spec.kind == "polymul" else transform_kernel
    return MadeKernel(make(shape, spec.rows, design, target=spec.target), [f"data flow: {flow}"])


def _elements(spec: Spec, design: Design) -> MadeKernel:
    kernel = elementwise_kernel(spec.kind, ELEMENTS, spec.rows, design, target=spec.target)
    return MadeKernel(kernel, [f"{ELEMENTS} elements a launch"])
