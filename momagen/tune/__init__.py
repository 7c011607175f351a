"""The tuner, which finds the options that make one kernel fastest on one CPU and keeps them as wisdom.

It times candidates against each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.lazy import on_demand

if TYPE_CHECKING:
    from .advice import Advice, advise, check
    from .tuned import Tuned
    from .tuner import tune
    from .wisdom import Wisdom
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "momagen.tune.advice": ("Advice", "advise", "check"), "momagen.tune.tuned": ("Tuned",),
            "momagen.tune.tuner": ("tune",), "momagen.tune.wisdom": ("Wisdom",),
        },
    )  # fmt: skip

__all__ = ["Advice", "Tuned", "Wisdom", "advise", "check", "tune"]
