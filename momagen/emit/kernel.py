"""A program as the files of one kernel, in the language of its target."""

from __future__ import annotations

from collections.abc import Callable

from momagen.kernels.spec import Spec
from momagen.lower.writer import ProgramWriter
from momagen.program import Program
from momagen.targets import load_target

from .ntt import ends, headed, rendered, ring_numbers
from .python import module
from .source import Source, Writer, banner

Emitter = Callable[[str, str, ProgramWriter, Program, int], Source]


def kernel(kind: str, what: str, writer: ProgramWriter, program: Program, lanes: int) -> Source:
    """The files of ``program``; ``kind``: of its interface, "ntt" or "polymul". ``what`` begins the comment on top.
    ``lanes``: of its vectors."""
    return EMITTERS[writer.target.syntax](kind, what, writer, program, lanes)


def writer_of(spec: Spec) -> ProgramWriter:
    """What collects the functions of a kernel."""
    return Writer(spec) if load_target(spec.target).syntax == "c" else ProgramWriter(spec)


def _c(kind: str, what: str, writer: ProgramWriter, program: Program, lanes: int) -> Source:
    assert isinstance(writer, Writer)
    spec = writer.spec
    numbers = {
        **ring_numbers(spec), **(ends(spec) if kind == "ntt" else {}), "program": program,
        "pages": bool(program.room) or any(field.lined for field in program.kept),
        "scalars": spec.ranges.scalars, "vectors": spec.ranges.vectors, "result": RESULTS[kind],
    }  # fmt: skip
    return rendered(kind, what, writer, lanes, numbers, "kernel")


def _python(kind: str, what: str, writer: ProgramWriter, program: Program, lanes: int) -> Source:
    spec = writer.spec
    head = banner(spec, writer, headed(spec, what)).strip().removeprefix("/*").removesuffix("*/").strip()
    text = module(writer, program, head, RESULTS[kind])
    return Source(spec, spec.name, text, "", writer.trace.rules_applied, writer.operations, [], writer.moduli)


EMITTERS: dict[str, Emitter] = {"c": _c, "python": _python}
"""By the syntax of a target."""
RESULTS = {"ntt": "y", "polymul": "z"}
"""What execute calls its result."""
