"""The C interface of conversions from one RNS basis to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.kernels.rns.format import LONGEST
from momagen.kernels.rns.methods import MONTGOMERY, SHENOY_KUMARESAN
from momagen.kernels.rns.quotients import MARGIN, MOST_MODULI
from momagen.languages import MachineModel
from momagen.params.primes import MAX_MODULI

from .interface import RowsInterface, any_below

if TYPE_CHECKING:
    from momagen.kinds.rns.conversion import ConversionSpec

BAD = f"a number of moduli is not from 1 to {MAX_MODULI}, a modulus is out of range, or two moduli q share a factor"
BAD_LONG = f"{BAD}, or a source modulus is too large for a target modulus"
BAD_MANY = f"{BAD}, or `moduli` is above {MOST_MODULI}"
BAD_REDUNDANT = (
    f"`moduli` is not from 2 to {MAX_MODULI} or `goals` not from 1 to {MAX_MODULI}, a modulus is out of range, two"
    " moduli q share a factor, or m <= L"
)
BAD_UNROLLED = (
    f"`moduli` is not {{sources}}, `goals` is not from 1 to {MAX_MODULI}, a modulus is out of range, or two moduli q"
    " share a factor"
)
FROM_HALF = "Each number a satisfies |a| < Q/2, where Q is the product of all q_i"
FROM_ZERO = "Each number a satisfies 0 <= a < Q, where Q is the product of all q_i"
MARGINS = {
    False: f"; if a is within Q/2^{MARGIN} of -Q/2 or of Q/2, the result may be off by Q",
    True: f"; if a > Q - Q/2^{MARGIN - 1}, the result may be off by Q",
}
FAST = f"{FROM_ZERO}. The result is the residues of a + u·Q, where 0 <= u < moduli and u is the same for all p_j."
NEAREST = (
    "Each number a is scaled: the result is P*a/Q, rounded to the nearest integer, where P is the product of all p_j"
    " and Q is the product of all q_i"
)
SCALED = {
    "exact": f"{NEAREST}.",
    "corrected": f"{NEAREST}; if P*a modulo Q is within Q/2^{MARGIN} of Q/2, it may be rounded to the other neighbour.",
    "fast": "Each number a is scaled: the result is (P*a - r)/Q, where P is the product of all p_j, Q is the product of"
            " all q_i, and r satisfies 0 <= r < moduli*Q and is the same for all rows.",
}  # fmt: skip
POWERS = {
    False: "; if |a| > Q/2 - moduli*Q/2^{bits}, the result may be off by Q",
    True: "; if a > Q - 2*moduli*Q/2^{bits}, the result may be off by Q",
}
REDUNDANT = (
    "The last modulus, m, is redundant: with the product Q of the other L = moduli - 1 moduli, each number a satisfies"
    " {range}."
)
REDUNDANT_RANGES = {False: "|a| <= Q*(m - L)/2", True: "0 <= a <= Q*(m - L)"}


def conversion_interface(spec: ConversionSpec) -> RowsInterface:
    """Return the C interface of a conversion."""
    unrolled = f" = {len(spec.moduli)}" * (spec.target.machine is MachineModel.THREADS)
    return RowsInterface(
        purpose="Converts residues from one RNS basis, q_i, to another, p_j.",
        counts=f"`moduli`{unrolled} source moduli q and `goals` target moduli p",
        bad=BAD_UNROLLED.format(sources=len(spec.moduli)) if unrolled else _bad(spec),
        served=_served(spec),
        execute="Computes residues modulo every p_j from the residues of n numbers a modulo every q_i. Row i of x holds"
        " the n residues modulo q_i, and row j of z receives the n residues modulo p_j; rows are contiguous."
        f" {_numbers(spec)}",
        aliases="z must not overlap x.",
        goals="goals",
        bases=(("moduli", "q"), ("goals", "p")),
        unrolled=("moduli", "source moduli"),
        is_odd=spec.bits > LONGEST or spec.method in ("exact", MONTGOMERY),
        is_in_place=False,
    )


def _served(spec: ConversionSpec) -> str:
    """Return the moduli that a kernel supports, in words."""
    if spec.bits > LONGEST or spec.method == MONTGOMERY:
        return f"odd moduli below 2^{spec.bits}"
    if spec.exact:
        return f"odd moduli q and any moduli p, all below 2^{spec.bits}"
    return any_below(spec.bits)


def _bad(spec: ConversionSpec) -> str:
    """Return when ``create`` returns BAD_MODULUS, in words."""
    if spec.method == SHENOY_KUMARESAN:
        return BAD_REDUNDANT
    bad = BAD_MANY if spec.corrected else BAD_LONG if spec.bits > LONGEST else BAD
    return f"{bad}, or a modulus q shares a factor with a modulus p" if spec.scaled else bad


def _numbers(spec: ConversionSpec) -> str:
    """Return the numbers that a kernel converts, and the exceptions, in words."""
    if spec.scaled:
        return SCALED[spec.method]
    if spec.method == "fast":
        return FAST
    if spec.method == SHENOY_KUMARESAN:
        return REDUNDANT.format(range=REDUNDANT_RANGES[spec.positive])
    margins = {"corrected": MARGINS[spec.positive], MONTGOMERY: POWERS[spec.positive].format(bits=spec.bits)}
    return f"{FROM_ZERO if spec.positive else FROM_HALF}{margins.get(spec.method, '')}."
