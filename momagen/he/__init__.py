"""Operators of homomorphic encryption on generated kernels, as benchmarks of those: no library, and not secure.

Needs JAX, but for :func:`preset` and estimates.
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
