"""Low-degree extension: from the values of a polynomial at n roots of unity to its values on a larger coset.

An inverse transform computes the n coefficients of the polynomial; the other coefficients, up to n·blowup,
are 0. The first log2 blowup levels of the transform on the coset would only add zeros: all their blocks are
copies of the coefficients. Block b of the values in bit-reversed order is therefore a transform of n
coefficients, whose twiddles are those below node b of level log2 blowup. No level processes zeros.
"""

from __future__ import annotations

from momagen.errors import MomagenError, among
from momagen.kinds.limits import Limit
from momagen.languages import MachineModel

from .making.request import KernelRequest
from .sizes import ORDERS, check_size

LIMITS = (
    Limit(lambda asked: asked.target.machine is not MachineModel.PROCESSOR,
          "target", "lde is not available on {0.target}", "use a target in C or Python"),
)  # fmt: skip
"""The targets that do not support extensions."""


def check_extension(asked: KernelRequest) -> None:
    """Check the values that low-degree extensions require.

    Raises:
        MomagenError: The blow-up, the coset, an order or the number of residues is invalid.
    """
    blowup, columns, most = asked.blowup, asked.columns, asked.target.largest
    if blowup < 2 or blowup & (blowup - 1):
        raise MomagenError("a power of two of at least 2", blowup, "blowup")
    if not asked.coset:
        raise MomagenError("a positive number", asked.coset, "coset")
    if asked.input_order not in ORDERS:
        raise among("one of", ORDERS, asked.input_order, "input_order")
    if asked.n * blowup * columns > most:
        raise MomagenError(f"a result of at most {most} residues", asked.n * blowup * columns, "blowup")
    check_size(asked.n * blowup, columns)
