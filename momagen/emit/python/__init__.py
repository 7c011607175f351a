"""Programs in Python: NumPy rows for vectors of lanes, views for pointers. Slow, portable, and to be read."""

from __future__ import annotations

from momagen.lower.writer import ProgramWriter
from momagen.program import Program

from ..c.text import templates
from .functions import function_text, procedure_text, static_text


def module(writer: ProgramWriter, program: Program, head: str) -> str:
    """The module with ``create`` and ``execute``; ``head``: its docstring."""
    texts = [procedure_text(procedure, writer.target) for made in program.procedures for procedure in made]
    texts += [static_text(static) for static in program.statics.values()]
    texts += [function_text(function, writer.target) for function in program.functions.values()]
    ranges = writer.spec.ranges
    return templates().get_template("python/module.py.j2").render(
        head=head, texts=texts, program=program, words=writer.arith.words, result=ranges.result,
        operands=[*ranges.scalars, *ranges.vectors],
    )  # fmt: skip
