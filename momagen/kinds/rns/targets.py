"""The targets of kernels on the rows of an RNS basis, and what a target in CUDA does not support."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.kernels.rns.format import LONGEST
from momagen.kinds.limits import Limit
from momagen.kinds.modular.fields import ROW
from momagen.kinds.modular.making.limits import THREADS_IN_C
from momagen.languages import COMPILED, CUDA, JAX
from momagen.targets import Target

if TYPE_CHECKING:
    from .basis import SummedSpec

MOST_SOURCES = {"exact": 32, "corrected": 64, "fast": 64}
"""The largest number of source moduli of a kernel for CUDA by method; loops over them are unrolled."""
IN_REGISTERS = "a GPU thread keeps a factor of each modulus in registers; use a target in C for more moduli"


def _too_many(spec: SummedSpec) -> tuple[int, int] | None:
    """Return the largest number of source moduli in CUDA, and the number, if that is larger."""
    most, number = MOST_SOURCES.get(spec.method, 0), len(spec.sources)
    return (most, number) if spec.target.syntax == CUDA and number > most else None


def limit_of_sources(where: str) -> Limit:
    """Return the limit of source moduli, of which a thread of a GPU keeps factors; ``where`` is their argument."""
    expected = "at most {1[0]} moduli on a target in CUDA with method {0.method}"
    return Limit(_too_many, where, "{1[1]}", IN_REGISTERS, expected=expected)


TARGETS = (
    Limit(lambda spec: spec.target.syntax != CUDA and (spec.target.syntax != COMPILED or spec.target.word != ROW),
          "target", "{0.target}", expected=f"a target in C with words of {ROW} bits, or a target in CUDA"),
    Limit(lambda spec: spec.target.syntax == CUDA and spec.bits > LONGEST,
          "moduli", "{0.bits} bits", expected=f"moduli of at most {LONGEST} bits on targets in CUDA"),
)  # fmt: skip
"""The targets and moduli of no kernel on the rows of a basis."""
LIMITS = (
    *TARGETS,
    Limit(lambda spec: spec.bits > LONGEST,
          "moduli", "{0.bits} bits", expected=f"moduli of at most {LONGEST} bits on targets in C"),
    THREADS_IN_C,
)  # fmt: skip
"""What kernels lack that sum products before they are reduced."""
LIMITS_OF_TERMS = (
    *TARGETS,
    Limit(lambda spec: spec.bits > ROW and JAX in spec.kind.sources, "moduli", "{0.bits} bits",
          "for conversions, the target jax supports longer ones",
          expected=f"moduli of at most {ROW} bits on targets in C"),
    Limit(lambda spec: spec.bits > ROW,
          "moduli", "{0.bits} bits", expected=f"moduli of at most {ROW} bits on targets in C"),
)  # fmt: skip
"""What kernels lack that reduce every product."""


def computing_target(target: Target) -> Target:
    """Return the target that computes a kernel: on a GPU, the one for rows."""
    return target.rows_target if target.syntax == CUDA else target
