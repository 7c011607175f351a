"""A program as the files of one kernel, in the language of its target."""

from __future__ import annotations

from collections.abc import Callable

from momagen.lower.writer import ProgramWriter
from momagen.program import Program

from .c.file import numbers
from .c.text import templates
from .ntt import ends, headed, ring_numbers
from .python import module
from .source import Source, banner

Emitter = Callable[[str, str, ProgramWriter, Program], tuple[str, str]]


def kernel(kind: str, what: str, writer: ProgramWriter, program: Program, lanes: int) -> Source:
    """The files of ``program``; ``kind``: of its interface, "ntt" or "polymul". ``what`` begins the comment on top.
    ``lanes``: of its vectors."""
    spec, target = writer.spec, writer.target
    head = banner(spec, writer, headed(spec, what))
    text, header = EMITTERS[target.syntax](kind, head, writer, program)
    notes = [f"scalar code: n = {spec.n} is too short for {target.lanes} lanes"] * (lanes != target.lanes)
    return Source(spec, spec.name, text, header, writer.trace.rules_applied, writer.operations, notes, writer.moduli)


def _c(kind: str, head: str, writer: ProgramWriter, program: Program) -> tuple[str, str]:
    ranges = writer.spec.ranges
    given = {
        **numbers(writer), **ring_numbers(writer.spec), **(ends(writer.spec) if kind == "ntt" else {}),
        "head": head, "program": program, "scalars": ranges.scalars, "vectors": ranges.vectors,
        "pages": bool(program.room) or any(field.lined for field in program.kept), "result": RESULTS[kind],
    }  # fmt: skip
    source, header = (templates().get_template(f"c/{name}.j2").render(given) for name in ("kernel.c", f"{kind}.h"))
    return source, header


def _python(kind: str, head: str, writer: ProgramWriter, program: Program) -> tuple[str, str]:
    head = head.strip().removeprefix("/*").removesuffix("*/").strip()
    return module(writer, program, head, RESULTS[kind]), ""


EMITTERS: dict[str, Emitter] = {"c": _c, "python": _python}
"""By the syntax of a target."""
RESULTS = {"ntt": "y", "polymul": "z"}
"""What execute calls its result."""
