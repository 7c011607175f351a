"""Programs in Python: NumPy rows for vectors of lanes, views for pointers. Slow, portable, and to be read."""

from __future__ import annotations

from momagen.lower.writer import ProgramWriter
from momagen.program import Program

from ..c.text import templates
from .functions import function_text, procedure_text


def module(writer: ProgramWriter, program: Program, head: str) -> str:
    """The module with ``create`` and ``execute``; ``head``: its docstring."""
    target, preludes, ranges = writer.target, set[str](), writer.spec.ranges
    texts = [procedure_text(procedure, target, preludes) for made in program.procedures for procedure in made]
    texts += [function_text(function, target, preludes) for function in program.functions.values()]
    helpers = [templates().get_template(name).render().rstrip() for name in sorted(preludes)]
    return templates().get_template("python/module.py.j2").render(
        head=head, texts=helpers + texts, program=program, words=writer.arith.words, result=ranges.result,
        operands=[*ranges.scalars, *ranges.vectors],
    )  # fmt: skip
