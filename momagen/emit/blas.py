"""The files of a BLAS kernel: vector sum, difference and product, and a·x + y."""

from __future__ import annotations

from momagen.kernels.blas import Elementwise, elementwise, lanes_for
from momagen.kernels.spec import Spec
from momagen.kernels.stage import USER

from .c import templates
from .loop import offsets, write_loop
from .source import Source, Writer, banner

FORMULAS = {"vadd": "x + y", "vsub": "x - y", "vmul": "x·y", "axpy": "a·x + y"}
NEEDS = {
    "q": (), "qi": ("newton", "add"), "mu": ("add",), "square": ("newton", "add"),
    "v0": ("newton", "add", "mont"), "u0": ("quot",),
}  # fmt: skip
"""The scalar functions that each of a codelet's constants is computed with."""


def blas_source(spec: Spec) -> Source:
    """The C file and header of the BLAS kernel that ``spec`` asks for."""
    writer, formula = Writer(spec), FORMULAS[spec.kind]
    codelet = elementwise(spec.kind, spec.arith, spec.product)
    full = writer.target.lanes
    lanes = lanes_for(spec.kind, spec.arith, full)
    for step in sorted({lanes, 1}, reverse=True):
        write_loop(writer, f"by_{step}", codelet, step, USER)
    core = writer.scalars({name for constant in codelet.constants for name in NEEDS[constant]})
    numbers = {**writer.numbers(), **_layout(codelet), "lanes": lanes, "formula": formula}
    head = banner(spec, writer, f"z = {formula} modulo q, element by element, on vectors of any length.")
    functions = list(writer.texts.values())
    source = templates().get_template("c/blas.c.j2").render(head=head, core=core, functions=functions, **numbers)
    header = templates().get_template("c/blas.h.j2").render(head=head, **numbers)
    note = f"moving {spec.arith.words} words into lanes costs more than adding them: scalar code"
    return Source(spec, spec.name, source, header, writer.trace.fired, writer.operations, [note] * (lanes < full))


def _layout(codelet: Elementwise) -> dict[str, object]:
    """Where the codelet's constants stand, and how many words they are."""
    return {
        "at": dict(zip(codelet.constants, offsets(codelet), strict=True)),
        "constant_words": sum(codelet.constants.values()), "mu_words": codelet.constants.get("mu", 0),
        "scaled": "v0" in codelet.constants,
    }  # fmt: skip
