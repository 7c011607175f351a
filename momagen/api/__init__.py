"""What users call: kernels made from a few words, called on arrays or integers, verified, timed, saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.lazy import on_demand

if TYPE_CHECKING:
    from .kernel import Kernel
    from .make import basemul, blas, lde, ntt, polymul
    from .saved import load
    from .sweep import sweep
    from .tune import tune
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "momagen.api.kernel": ("Kernel",), "momagen.api.saved": ("load",), "momagen.api.sweep": ("sweep",),
            "momagen.api.make": ("basemul", "blas", "lde", "ntt", "polymul"), "momagen.api.tune": ("tune",),
        },
    )  # fmt: skip

__all__ = ["Kernel", "basemul", "blas", "lde", "load", "ntt", "polymul", "sweep", "tune"]
