"""The constants of Barrett, Montgomery and Shoup reduction."""

from __future__ import annotations

from dataclasses import dataclass

from momagen.errors import MomagenError


def barrett_mu(q: int, k: int) -> int:
    """Return ⌊2^k / q⌋ for q ≥ 1 and k ≥ 0 (Barrett 1986).

    Raises:
        MomagenError: q or k is out of range.
    """
    if q < 1 or k < 0:
        raise MomagenError("a modulus of at least 1 and a power of at least 0", f"q = {q}, k = {k}", "Barrett constant")
    return (1 << k) // q


@dataclass(frozen=True)
class Montgomery:
    """The constants of Montgomery reduction (Montgomery 1985) for R = 2^width.

    Attributes:
        r: R mod q, the Montgomery form of 1.
        r2: R² mod q; a product with it converts to Montgomery form.
        qinv: q⁻¹ mod R, for the signed variant t = high(x) - high(low(x)·qinv·q).
        neg_qinv: -q⁻¹ mod R, for the classical variant t = (x + (low(x)·neg_qinv mod R)·q) / R.
    """

    r: int  # R mod q: the Montgomery form of 1
    r2: int  # R² mod q: multiplying by it enters Montgomery form
    qinv: int  # q⁻¹ mod R: the signed variant, t = high(x) − high(low(x)·qinv·q)
    neg_qinv: int  # −q⁻¹ mod R: the classical variant, t = (x + (low(x)·neg_qinv mod R)·q) / R


def montgomery(q: int, width: int) -> Montgomery:
    """Return the Montgomery constants of an odd q with 1 < q < 2^width.

    Raises:
        MomagenError: q is even or out of range.
    """
    if q % 2 == 0 or not 1 < q < 1 << max(width, 0):
        raise MomagenError(f"an odd modulus above 1 and below 2^{width}", q, "Montgomery modulus")
    radix = 1 << width
    qinv = pow(q, -1, radix)
    return Montgomery(r=radix % q, r2=radix * radix % q, qinv=qinv, neg_qinv=radix - qinv)


def shoup(w: int, q: int, width: int) -> int:
    """Return ⌊w·2^width / q⌋, the Shoup quotient of the constant factor w with 0 ≤ w < q (Shoup, NTL).

    It is below 2^width.

    Raises:
        MomagenError: w or the width is out of range.
    """
    if not 0 <= w < q or width < 0:
        raise MomagenError("a factor from 0 to q - 1", f"{w} with q = {q}", "Shoup constant")
    return (w << width) // q
