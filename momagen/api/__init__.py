"""The public Python interface: functions that build kernels, and kernels that are called, verified, timed and saved.

Users import these names from :mod:`momagen`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.lazy import on_demand

if TYPE_CHECKING:
    from .kernel import Kernel
    from .makers import basemul, blas, lde, ntt, polymul
    from .saved import load
    from .sweep import sweep
    from .tune import tune
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "momagen.api.kernel": ("Kernel",), "momagen.api.saved": ("load",), "momagen.api.sweep": ("sweep",),
            "momagen.api.makers": ("basemul", "blas", "lde", "ntt", "polymul"), "momagen.api.tune": ("tune",),
        },
    )  # fmt: skip

__all__ = ["Kernel", "basemul", "blas", "lde", "load", "ntt", "polymul", "sweep", "tune"]
