"""The printer of programs in Python, which are slow, portable and meant to be read.

NumPy arrays with one element for each lane represent vectors, and views of arrays represent pointers.
"""

from __future__ import annotations

from momagen.lower.kernels import Lowered
from momagen.templates import templates

from ..source import plain
from .functions import function_text, procedure_text


def module(head: str, made: Lowered) -> tuple[str, str]:
    """Return the texts of the module, with ``create`` and ``execute``, and of its header, which is empty.

    Args:
        head: The comment at the top of the file, in C, which becomes the docstring.
        made: The lowered kernel.
    """
    target, preludes, ranges, program = made.target, set[str](), made.spec.ranges, made.host_program
    texts = [procedure_text(each, target, preludes) for procedures in program.procedures for each in procedures]
    texts += [function_text(function, target, preludes) for function in program.functions.values()]
    helpers = [text.rstrip() for text in sorted(preludes)]
    return templates().get_template("python/module.py.j2").render(
        head=plain(head), texts=helpers + texts, program=program,
        words=made.writer.arith.words, result=ranges.result, operands=[*ranges.scalars, *ranges.vectors],
    ), ""  # fmt: skip
