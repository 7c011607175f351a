"""The C interface of division by the product of the last moduli of an RNS basis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.kernels.rns.format import LONGEST
from momagen.kernels.rns.quotients import MARGIN, MOST_MODULI
from momagen.languages import MachineModel
from momagen.params.primes import MAX_MODULI

from .interface import ROW_FOR_MODULUS, RowsInterface, any_below

if TYPE_CHECKING:
    from momagen.kinds.rns.moddown import ModDownSpec

FACTORS = (
    "and for the factors s (1, or BFV's plaintext modulus) and t (1, or BGV's plaintext modulus), which are from 1 to"
    f" 2^{LONGEST} - 1"
)
BAD = (
    f"the number of moduli is not from 2 to {MAX_MODULI}, a modulus is out of range, or a divisor shares a factor with"
    " another modulus or with t"
)
NEAREST = (
    "r is the number nearest to 0 that is congruent to s*a/t modulo P, so that s*a/P is rounded to the nearest integer"
    " if t is 1"
)
REPRESENTATIVES = {
    "exact": f"{NEAREST}.",
    "corrected": f"{NEAREST}. There is one exception: if this number is within P/2^{MARGIN} of -P/2 or P/2, the kernel"
                 " may use r + P or r - P instead of r, the same for all rows.",
    "fast": "r is congruent to s*a/t modulo P, satisfies 0 <= r < drop·P and is the same for all rows.",
}  # fmt: skip
SIZE = "drop < 1 || drop >= moduli", "drop is not from 1 to moduli - 1"
UNROLLED_SIZE = "drop != {drop} || drop >= moduli", "drop is not {drop}, or not below the number of moduli"


def moddown_interface(spec: ModDownSpec) -> RowsInterface:
    """Return the C interface of a division."""
    on_gpu = spec.target.machine is MachineModel.THREADS
    condition, words = (each.format(drop=spec.drop) for each in (UNROLLED_SIZE if on_gpu else SIZE))
    return RowsInterface(
        purpose="Divides numbers by the product P of the last moduli of an RNS basis (ModDown).",
        counts=f"`moduli` moduli q, the last `drop`{f' = {spec.drop}' * on_gpu} of which are the divisors, {FACTORS}",
        bad=f"{BAD}, or drop is above {MOST_MODULI}" if spec.corrected and not on_gpu else BAD,
        served=f"odd divisors and any other moduli, all below 2^{spec.bits}" if spec.exact
        else any_below(spec.bits),
        execute="Computes (s*a - t*r)/P modulo every q_i except the last `drop`, for n numbers a, where P is the"
        f" product of the last `drop` moduli. {REPRESENTATIVES[spec.method]} Row i of x holds the n residues modulo"
        " q_i, and row i of z receives the n residues of the results modulo q_i; z has no rows for the divisors. Rows"
        " are contiguous.",
        aliases=ROW_FOR_MODULUS, goals="moduli - drop", sizes=("drop",), wrong_size=(condition, words),
        numbers=("s", "t"), scratch="drop", least=2, unrolled=("drop", "divisors"),
    )  # fmt: skip
