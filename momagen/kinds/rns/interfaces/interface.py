"""The C interface of a kernel on the rows of RNS bases: the arguments of its functions, and their documentation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from momagen.kernels.rns.format import LONGEST
from momagen.params.primes import MAX_MODULI

BAD_ANY = f"the number of moduli is not from 1 to {MAX_MODULI}, or a modulus is out of range"
"""When ``create`` returns BAD_MODULUS, if moduli may share factors."""
BELOW = "residues of a row are below its modulus"
ROW_FOR_MODULUS = "A row of z may be the row of x for the same modulus."


def any_below(bits: int) -> str:
    """Return the moduli that a kernel supports which reduces sums if moduli have at most LONGEST bits, in words."""
    return f"odd moduli below 2^{bits}" if bits > LONGEST else f"moduli from 2 to 2^{bits} - 1"


class RowsInterface(NamedTuple):
    """The C interface of a kernel for the target of its request.

    Attributes:
        purpose: A sentence for the top of the file.
        counts: What the numbers of ``create`` count.
        bad: When ``create`` returns BAD_MODULUS.
        served: The moduli that the kernel supports.
        execute: What ``execute`` does.
        aliases: Whether the result may be an operand.
        goals: The number of rows of the result, or of a group of them, by the arguments of ``create``.
        operands: The names of the vectors of rows that a call reads.
        bases: The number and the moduli of each basis of a plan.
        sizes: The names of other numbers of a plan.
        wrong_size: When ``create`` returns BAD_SIZE, in C and in words.
        numbers: The names of words that ``create`` takes for the tables of a plan.
        permutations: The names of optional arrays by which a call permutes the columns of its first operand.
        scratch: The number of a plan that decides how much scratch memory a call needs.
        least: The smallest number of moduli.
        unrolled: The number of a plan for which a kernel in CUDA is unrolled, and what it counts.
        ranges: The ranges of residues.
        public: The values that are not secret, if they are not those of most kernels.
        is_odd: Whether the moduli of the first basis must be odd.
        is_in_place: Whether rows of the result may be rows of the first operand.
        constants: The values and descriptions of macros of a library's header, by name.
    """

    purpose: str
    counts: str
    bad: str
    served: str
    execute: str
    aliases: str
    goals: str
    operands: Sequence[str] = ("x",)
    bases: Sequence[tuple[str, str]] = (("moduli", "q"),)
    sizes: Sequence[str] = ()
    wrong_size: tuple[str, str] = ("", "")
    numbers: Sequence[str] = ()
    permutations: Sequence[str] = ()
    scratch: str = "moduli"
    least: int = 1
    unrolled: tuple[str, str] = ("", "")
    ranges: str = BELOW
    public: str = ""
    is_odd: bool = False
    is_in_place: bool = True
    constants: Mapping[str, tuple[int, str]] = {}
