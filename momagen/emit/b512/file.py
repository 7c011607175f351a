"""The generator of B512 assembly for Ring Processing Units."""

from __future__ import annotations

from collections import Counter

from momagen import __version__
from momagen.kinds.modular.spec import Spec
from momagen.rpu.isa.kernel_text import kernel_text
from momagen.rpu.programs.kernels import made_kernel
from momagen.templates import templates

from ..claim import claim_of
from ..source import Source, headline, wrapped


def assembly(spec: Spec) -> Source:
    """Return the source of the kernel that ``spec`` requests.

    Raises:
        MomagenError: The machine does not support the kernel.
    """
    made, target = made_kernel(spec), spec.target
    operations = Counter(each.opcode.name for each in made.kernel.instructions)
    text = templates().get_template("b512/kernel.s.j2").render(
        version=__version__, what=headline(spec), target=target, spec=spec, notes=made.notes,
        rules_applied=wrapped(made.kernel.rules_applied), operations=operations, text=kernel_text(made.kernel),
        claim=claim_of(spec),
    )  # fmt: skip
    return Source(spec, spec.name, text, "", made.kernel.rules_applied, operations, made.notes, spec.moduli)
