"""A program as the files of one kernel, in the language of its target."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from momagen.kernels.spec.kinds import BLAS
from momagen.kernels.spec.spec import Spec
from momagen.lower.kernels import Lowered, lowered

from . import blas, ntt
from .c.file import numbers
from .c.text import templates
from .python import module
from .source import Source, banner

Emitter = Callable[[str, Lowered], tuple[str, str]]


class Interface(NamedTuple):
    """What files say of a kernel to those who call it.

    Attributes:
        header: the template of the C header. headline: begins the comment on top. numbers: what the template asks for.
    """

    header: str
    headline: Callable[[Spec], str]
    numbers: Callable[[Spec], dict[str, object]]


INTERFACES = {
    "ntt": Interface("ntt.h", ntt.transform_headline, ntt.transform_numbers),
    "polymul": Interface("polymul.h", ntt.product_headline, ntt.ring_numbers),
    **dict.fromkeys(BLAS, Interface("blas.h", blas.headline, blas.numbers)),
}
"""By the kind of kernel."""


def kernel(spec: Spec) -> Source:
    """The files of the kernel that ``spec`` asks for."""
    made = lowered(spec)
    writer = made.writer
    head = banner(spec, writer, INTERFACES[spec.kind].headline(spec))
    text, header = EMITTERS[writer.target.syntax](head, made)
    applied, operations = writer.trace.rules_applied, writer.operations
    return Source(spec, spec.name, text, header, applied, operations, [*made.notes], writer.moduli)


def _c(head: str, made: Lowered) -> tuple[str, str]:
    program, spec = made.program, made.writer.spec
    interface, ranges = INTERFACES[spec.kind], spec.ranges
    given = {
        **numbers(made.writer), **interface.numbers(spec), "head": head, "program": program, "ranges": ranges,
        "scalars": ranges.scalars, "vectors": ranges.vectors, "result": ranges.result,
        "pages": bool(program.room) or any(field.lined for field in program.kept),
    }  # fmt: skip
    source, header = (templates().get_template(f"c/{name}.j2").render(given) for name in ("kernel.c", interface.header))
    return source, header


def _python(head: str, made: Lowered) -> tuple[str, str]:
    head = head.strip().removeprefix("/*").removesuffix("*/").strip()
    return module(made.writer, made.program, head), ""


EMITTERS: dict[str, Emitter] = {"c": _c, "python": _python}
"""By the syntax of a target."""
