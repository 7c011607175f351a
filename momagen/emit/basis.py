"""A kernel of several moduli: a plan for each modulus of a basis, and an operand row by row, a row for each."""

from __future__ import annotations

from momagen.kernels.spec.kinds import BLAS
from momagen.kernels.spec.spec import Spec
from momagen.lower.writer import host_of
from momagen.targets import load_target

from .c.text import templates, word_numbers
from .codes import CODES, UNKNOWN
from .inner import inner, private
from .kernel import INTERFACES, kernel
from .source import Source, banner_of

PREFIX = "row"
"""Of what the kernel of one modulus calls its plan and its functions."""


def basis_source(spec: Spec) -> Source:
    """The C file and header of the kernel whose moduli are arguments of create."""
    one = kernel(inner(spec.of_modulus(spec.basis.index(spec.modulus)), PREFIX))
    body = private(one.source, PREFIX, spec.name)
    for code in CODES:
        body = body.replace(f"{PREFIX}_{code}".upper(), f"{spec.name}_{code}".upper())
    interface, ranges = INTERFACES[spec.kind], spec.ranges
    what = interface.headline(spec).removesuffix(".") + ", for every modulus of a basis."
    given = {
        **word_numbers(host_of(load_target(spec.target))), **interface.numbers(spec), "body": body.strip(),
        "head": banner_of(spec, what, one.moduli, one.rules_applied), "name": spec.name, "upper": spec.name.upper(),
        "words": spec.arith.words, "n": spec.n, "elements": spec.elements, "moduli": one.moduli,
        "codes": CODES, "unknown_code": UNKNOWN,
        "blas": spec.kind in BLAS, "scalars": ranges.scalars, "vectors": ranges.vectors, "result": ranges.result,
        "ranges": ranges, "order_of_root": spec.order_of_root,
    }  # fmt: skip
    texts = [templates().get_template(f"c/basis.{end}.j2").render(given) for end in "ch"]
    return Source(spec, spec.name, texts[0], texts[1], one.rules_applied, one.operations, one.notes, one.moduli)
