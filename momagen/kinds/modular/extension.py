"""Low-degree extension: from values of a polynomial on the roots of unity of order n to those on a larger coset.

An inverse transform finds the polynomial's n coefficients; beyond them, up to n·blowup, coefficients are 0. The first
log2 blowup levels of the transform on the coset then add zeros: all their blocks are copies of the coefficients. So
block b of its values, in bit-reversed order, is a transform of n coefficients whose twiddles hang under node b of level
log2 blowup. No level is spent on zeros.
"""

from __future__ import annotations

from momagen.errors import MomagenError, among, build_error
from momagen.targets import Target

from .kinds import LDE, ORDERS, check_size


def check_extension(
    kind: str, n: int, blowup: int, coset: int, columns: int, input_order: str, target: Target, basis: bool
) -> None:
    """Refuse an extension where there is none, or of another kernel than ``LDE``.

    Raises:
        MomagenError: in one line.
    """
    if kind != LDE:
        for given, name in ((blowup if blowup != 1 else "", "blowup"), (input_order, "input_order")):
            if given:
                raise build_error(f"`{name}` applies only to lde, not to {kind}", name, f"omit `{name}`")
        return
    if blowup < 2 or blowup & (blowup - 1):
        raise MomagenError("a power of two of at least 2", blowup, "blowup")
    if not coset:
        raise MomagenError("a positive number", coset, "coset")
    if input_order not in ORDERS:
        raise among("one of", ORDERS, input_order, "input_order")
    if basis:
        raise build_error(
            "`moduli` does not apply to lde, which works modulo a single number", "moduli", "use `modulus`"
        )
    if target.threads or target.minor or target.modular:
        raise build_error(f"lde is not available on {target}", "target", "use a target in C or Python")
    if n * blowup * columns > target.largest:
        raise MomagenError(f"a result of at most {target.largest} residues", n * blowup * columns, "blowup")
    check_size(n * blowup, blas=False, columns=columns)
