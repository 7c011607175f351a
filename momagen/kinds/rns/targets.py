"""The targets of kernels on the rows of an RNS basis, and what a target in CUDA does not support."""

from __future__ import annotations

from momagen.errors import MomagenError
from momagen.kernels.rns.format import LONGEST
from momagen.kinds.modular.fields import ROW
from momagen.languages import COMPILED, CUDA
from momagen.targets import Target

MOST_SOURCES = {"exact": 32, "corrected": 64, "fast": 64}
"""The largest number of source moduli of a kernel for CUDA by method; loops over them are unrolled."""
IN_REGISTERS = "a GPU thread keeps a factor of each modulus in registers; use a target in C for more moduli"


def computing_target(target: Target, bits: int, longest: int = LONGEST, hint: str = "") -> Target:
    """Return the target that computes a kernel for moduli of at most ``bits`` bits.

    Args:
        target: the target of the request.
        bits: the length of the longest modulus.
        longest: the largest length of a modulus in C.
        hint: what the user can do about a longer one.

    Raises:
        MomagenError: a target of another language or with other words, or a modulus that is too long.
    """
    on_gpu = target.syntax == CUDA
    if not on_gpu and (target.syntax != COMPILED or target.word != ROW):
        raise MomagenError(f"a target in C with words of {ROW} bits, or a target in CUDA", target, "target")
    most, language = (LONGEST, "CUDA") if on_gpu else (longest, "C")
    if bits > most:
        raise MomagenError(f"moduli of at most {most} bits on targets in {language}", f"{bits} bits", "moduli", hint)
    return target.rows_target if on_gpu else target


def check_sources(target: Target, method: str, number: int, where: str) -> None:
    """Reject more source moduli than a thread of a target in CUDA keeps factors of.

    Args:
        target: the target.
        method: how numbers are converted.
        number: the number of source moduli.
        where: the argument that names them.

    Raises:
        MomagenError: there are more.
    """
    if target.syntax == CUDA and number > (most := MOST_SOURCES[method]):
        wanted = f"at most {most} moduli on a target in CUDA with method {method}"
        raise MomagenError(wanted, number, where, IN_REGISTERS)
