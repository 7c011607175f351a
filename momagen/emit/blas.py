"""The files of a BLAS kernel: one codelet in a loop, and a plan with the constants that it shares."""

from __future__ import annotations

from momagen.kernels.blas import elementwise, lanes_for
from momagen.kernels.frame import Elementwise
from momagen.kernels.spec import Spec
from momagen.kernels.stage import USER

from .c import templates
from .loop import offsets, write_loop
from .source import Source, Writer, banner

NEEDS = {
    "qi": ("newton", "add"), "square": ("newton", "add"), "mu": ("add",), "u1": ("newton", "add", "quot"),
    "v0": ("newton", "add", "mont"), "u0": ("quot",),
}  # fmt: skip
"""The scalar functions that a codelet's constants are computed with."""


def blas_source(spec: Spec) -> Source:
    """The C file and header of the BLAS kernel that ``spec`` asks for."""
    writer = Writer(spec)
    codelet = elementwise(spec.kind, writer.arith, spec.choices)
    full = writer.target.lanes
    lanes = lanes_for(codelet, spec.arith, full)
    for step in sorted({lanes, 1}, reverse=True):
        write_loop(writer, f"by_{step}", codelet, step, USER)
    needs = {name for constant in codelet.constants for name in NEEDS.get(constant, ())}
    core = writer.scalars(needs)
    numbers = {**writer.numbers(), **_layout(codelet), **_signature(spec), "lanes": lanes, "field": "newton" in needs}
    head = banner(spec, writer, f"z = {spec.formula}, element by element, on vectors of any length.")
    functions = list(writer.texts.values())
    source = templates().get_template("c/blas.c.j2").render(head=head, core=core, functions=functions, **numbers)
    header = templates().get_template("c/blas.h.j2").render(head=head, **numbers)
    note = f"moving {spec.arith.words} words into lanes costs more than adding them: scalar code"
    return Source(spec, spec.name, source, header, writer.trace.fired, writer.operations, [note] * (lanes < full))


def _layout(codelet: Elementwise) -> dict[str, object]:
    """Where the codelet's constants stand, and how many words they are."""
    return {
        "at": dict(zip(codelet.constants, offsets(codelet), strict=True)), "given": codelet.given,
        "constant_words": sum(codelet.constants.values()), "mu_words": codelet.constants.get("mu", 0),
        "plan_words": sum(words for name, words in codelet.constants.items() if name not in codelet.given),
    }  # fmt: skip


def _signature(spec: Spec) -> dict[str, object]:
    """What execute takes, and what it does with it."""
    return {
        "formula": spec.formula, "ranges": spec.ranges,
        "scalars": spec.ranges.scalars, "vectors": spec.ranges.vectors,
    }  # fmt: skip
