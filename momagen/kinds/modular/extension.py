"""Low-degree extension: from values of a polynomial on the roots of unity of order n to those on a larger coset.

An inverse transform finds the polynomial's n coefficients; beyond them, up to n·blowup, coefficients are 0. The first
log2 blowup levels of the transform on the coset then add zeros: all their blocks are copies of the coefficients. So
block b of its values, in bit-reversed order, is a transform of n coefficients whose twiddles hang under node b of level
log2 blowup. No level is spent on zeros.
"""

from __future__ import annotations

from momagen.errors import MomagenError, among, build_error
from momagen.languages import MachineModel

from .making.request import KernelRequest
from .sizes import ORDERS, check_size


def check_extension(asked: KernelRequest, several: bool) -> None:
    """Check what low-degree extensions require.

    Raises:
        MomagenError: The blow-up, the coset or an order is invalid, there are several moduli, or the target has none.
    """
    blowup, target, columns = asked.blowup, asked.target, asked.columns
    if blowup < 2 or blowup & (blowup - 1):
        raise MomagenError("a power of two of at least 2", blowup, "blowup")
    if not asked.coset:
        raise MomagenError("a positive number", asked.coset, "coset")
    if asked.input_order not in ORDERS:
        raise among("one of", ORDERS, asked.input_order, "input_order")
    if several:
        raise build_error(
            "`moduli` does not apply to lde, which works modulo a single number", "moduli", "use `modulus`"
        )
    if target.machine is not MachineModel.PROCESSOR:
        raise build_error(f"lde is not available on {target}", "target", "use a target in C or Python")
    if asked.n * blowup * columns > target.largest:
        raise MomagenError(f"a result of at most {target.largest} residues", asked.n * blowup * columns, "blowup")
    check_size(asked.n * blowup, blas=False, columns=columns)
