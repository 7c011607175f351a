"""A program as the files of one kernel, in the language of its target."""

from __future__ import annotations

from collections.abc import Callable

from momagen.kernels.spec import Spec
from momagen.lower.kernels import Lowered, lowered

from .c.file import numbers
from .c.text import templates
from .ntt import TITLES, ends, headed, ring_numbers
from .python import module
from .source import Source, banner

Emitter = Callable[[str, Lowered], tuple[str, str]]


def kernel(spec: Spec) -> Source:
    """The files of the kernel that ``spec`` asks for."""
    made = lowered(spec)
    writer = made.writer
    head = banner(spec, writer, headed(spec, TITLES[spec.kind](spec)))
    text, header = EMITTERS[writer.target.syntax](head, made)
    applied, operations = writer.trace.rules_applied, writer.operations
    return Source(spec, spec.name, text, header, applied, operations, [*made.notes], writer.moduli)


def _c(head: str, made: Lowered) -> tuple[str, str]:
    program, spec = made.program, made.writer.spec
    given = {
        **numbers(made.writer), **ring_numbers(spec), **(ends(spec) if spec.kind == "ntt" else {}),
        "head": head, "program": program, "scalars": spec.ranges.scalars, "vectors": spec.ranges.vectors,
        "pages": bool(program.room) or any(field.lined for field in program.kept), "result": RESULTS[spec.kind],
    }  # fmt: skip
    source, header = (templates().get_template(f"c/{name}.j2").render(given) for name in ("kernel.c", f"{spec.kind}.h"))
    return source, header


def _python(head: str, made: Lowered) -> tuple[str, str]:
    head = head.strip().removeprefix("/*").removesuffix("*/").strip()
    return module(made.writer, made.program, head, RESULTS[made.writer.spec.kind]), ""


EMITTERS: dict[str, Emitter] = {"c": _c, "python": _python}
"""By the syntax of a target."""
RESULTS = {"ntt": "y", "polymul": "z"}
"""What execute calls its result."""
