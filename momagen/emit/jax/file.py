"""The JAX module of a kernel, printed from its program on arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from momagen.kinds.modular.spec import Spec
from momagen.lower.arrays.codelets import PART, ArrayCodelet, ArrayCodelets
from momagen.lower.arrays.matrices import DenseStep
from momagen.lower.arrays.program import ArrayProgram
from momagen.lower.kernels import Lowered
from momagen.templates import templates

from ..codes import BAD_MODULUS, BAD_ROOT
from ..source import plain
from .elements import elements
from .imports import imports_of
from .numbers import texts
from .parts import shapes
from .rows import ArrayRows
from .transforms import transforms

STEP = "    "


def array_module(head: str, made: Lowered) -> tuple[str, str]:
    """Return the text of the module, and an empty text, since there is no header.

    Args:
        head: The comment at the top of the file, in C, which becomes the docstring.
        made: The lowered kernel.
    """
    program, spec = made.program, made.spec
    assert isinstance(program, ArrayProgram)
    axis = -2 - (spec.columns > 1)
    axes = {name: axis if name in spec.ranges.vectors else 0 for name in spec.ranges.operands}
    dense = [step for steps in program.transforms.values() for step in steps if isinstance(step, DenseStep)]
    fused = any(step.lanes for step in dense)
    least = max([2, *(step.reduction.least for step in dense)])
    folds = program.reduction is not None or any(step.reduction.fold for step in dense)
    materialised = any(each.materialised for each in program.codelets.found.values())
    codelets, parts = program.codelets, transforms(program) if program.transforms else elements(program)
    return templates().get_template("jax/module.py.j2").render(
        head=plain(head), word=codelets.target.word, words=_words(spec),
        materialised=materialised, given=["q", "root"] if spec.n else ["q"],
        helpers=texts(transforms=spec.n > 0, cuts=folds),
        codelets=[codelet_lines(each, codelets) for each in codelets.found.values()],
        refused=_refused(spec, codelets.arith.bits, least), options=compiler_options(codelets), spec=spec, parts=parts,
        shapes=shapes(parts.tables), imports=imports_of(codelets, fused=fused, materialised=materialised),
        whole_products=not codelets.target.half_products,
        scalars=[*spec.ranges.scalars], vectors=[*spec.ranges.vectors],
        dense=bool(dense), fused=fused, folds=folds, axis=axis,
        axes=(0, *axes.values(), *[0] * len(parts.late)), shape=_shape(spec), ends=_ends(spec),
    ), ""  # fmt: skip


def compiler_options(codelets: ArrayCodelets) -> Mapping[str, bool]:
    """Return the options for the XLA compiler, which the target states for residues of several words."""
    return dict(codelets.target.wide) if codelets.arith.words > 1 else {}


def _words(spec: Spec) -> int:
    """Return the number of 32-bit words of the largest operand or result."""
    ranges = spec.ranges
    tops = (ranges.top(m, 1 << spec.width) for m in (*ranges.operands.values(), ranges.output))
    return -(-(max(tops) - 1).bit_length() // PART)


def _shape(spec: Spec) -> str:
    """Return the shape of an operand, as a message for users."""
    axes = ["…", *["moduli"] * bool(spec.basis), str(spec.n or "length"), *[str(spec.columns)] * (spec.columns > 1)]
    return f"({', '.join(axes)})"


def _ends(spec: Spec) -> str:
    """Return the test in Python that finds a wrong shape of an operand."""
    wanted = (spec.n,) * (spec.n > 0) + (spec.columns,) * (spec.columns > 1)
    return f"shape[{-len(wanted)}:] != {wanted}" if wanted else "False"


def _refused(spec: Spec, bits: int, least: int) -> Iterator[tuple[str, str]]:
    """Yield the tests with which ``create`` rejects arguments, with the names of the return codes."""
    yield f"not {least} <= q < 1 << {bits}{' or q % 2 == 0' * spec.odd}", BAD_MODULUS
    if spec.n:
        yield f"not 0 <= root < q or pow(root, {spec.order_of_root // 2}, q) != q - 1", BAD_ROOT


def codelet_lines(of: ArrayCodelet, codelets: ArrayCodelets) -> list[str]:
    """Return the lines of the function of a codelet, in which a residue is a tuple of its words."""
    rows = ArrayRows(codelets.target)
    names = [*of.operands, *(one.input for one in of.constants)]
    for key, value in of.block.inputs.items():
        for at, word in enumerate(codelets.words(value)):
            if not word.is_const:
                rows.called(word, f"{key}[{at}]")
    materialised = [codelets.words(of.block.outputs[key]) for key in of.materialised]
    lines = [f"def {of.name}({', '.join(names)}):", *(STEP + line for line in rows.lines(of.block, materialised))]
    made = (codelets.words(of.block.outputs[key])[: of.words] for key in of.results)
    tuples = [f"({', '.join(map(rows.name, some))},)" for some in made]
    return [*lines, f"{STEP}return {', '.join(tuples)}{',' * (len(tuples) == 1)}"]
