"""A generator of verified modular-arithmetic kernels, at any width and for any machine.

momagen generates, compiles, verifies and times number theoretic transforms (NTTs), element-wise modular operations,
polynomial products and conversions between RNS bases. A function such as :func:`ntt` returns a :class:`Kernel`, which
is generated at once, compiled when it is first needed, and called like a function on NumPy arrays, lists of integers or
bytes:

>>> import momagen as mg
>>> k = mg.ntt(8, modulus=17)
>>> k([1, 2, 3, 4, 5, 6, 7, 8])
[2, 13, 14, 12, 8, 3, 6, 1]
>>> k.inverse()(k([1, 2, 3, 4, 5, 6, 7, 8]))
[1, 2, 3, 4, 5, 6, 7, 8]

The names in ``__all__`` and in :mod:`momagen.he` are public. All other modules are internal and may change without
notice. Names are imported when they are first used, so that ``import momagen`` is fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.errors import MomagenError
from momagen.lazy import on_demand

__version__ = "0.2.0"

if TYPE_CHECKING:
    from momagen.api import Kernel, basemul, blas, lde, load, ntt, polymul
    from momagen.api.automorphisms import automorphism
    from momagen.api.lookup.explaining import explain
    from momagen.api.lookup.supporting import supports
    from momagen.api.lookup.target_table import targets
    from momagen.api.make import kernel
    from momagen.api.makers import convert, keyswitch, matmul, moddown, rescale
    from momagen.api.sharded import sharded_ntt
    from momagen.api.sweep import sweep
    from momagen.api.tune import tune
    from momagen.bench.x86.assembly import inspect
    from momagen.clib.library import Library, library
    from momagen.rns_context import rns_context
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "momagen.api": ("Kernel", "basemul", "blas", "lde", "load", "ntt", "polymul", "sweep", "tune"),
            "momagen.api.automorphisms": ("automorphism",),
            "momagen.api.lookup.explaining": ("explain",),
            "momagen.api.make": ("kernel",),
            "momagen.api.makers": ("convert", "keyswitch", "matmul", "moddown", "rescale"),
            "momagen.api.sharded": ("sharded_ntt",),
            "momagen.api.lookup.supporting": ("supports",),
            "momagen.api.lookup.target_table": ("targets",),
            "momagen.bench.x86.assembly": ("inspect",),
            "momagen.clib": ("Library", "library"),
            "momagen.rns_context": ("rns_context",),
        },
    )

__all__ = [
    "Kernel", "Library", "MomagenError", "__version__", "automorphism", "basemul", "blas", "convert", "explain",
    "inspect", "kernel", "keyswitch", "lde", "library", "load", "matmul", "moddown", "ntt", "polymul", "rescale",
    "rns_context", "sharded_ntt", "supports", "sweep", "targets", "tune",
]  # fmt: skip
