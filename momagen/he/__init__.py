"""Operators of homomorphic encryption (RNS-CKKS) on generated kernels, as a benchmark of these kernels.

This is not a library for applications, and it is not secure: randomness is seeded. Everything except :func:`preset` and
estimates requires JAX.

>>> from momagen.he import preset
>>> parameters = preset("A")
>>> parameters.degree, parameters.limbs, parameters.bits
(4096, 4, 28)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.lazy import on_demand

if TYPE_CHECKING:
    from .ciphertext import Ciphertext
    from .parameters import HeParameters, preset
    from .scheme import Ckks
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "momagen.he.ciphertext": ("Ciphertext",),
            "momagen.he.parameters": ("HeParameters", "preset"),
            "momagen.he.scheme": ("Ckks",),
        },
    )

__all__ = ["Ciphertext", "Ckks", "HeParameters", "preset"]
