"""The tuner: which options make one kernel fastest on one CPU, found by racing them, and kept as wisdom."""

from __future__ import annotations

from .advice import Advice, advise, check
from .tuned import Tuned
from .tuner import tune
from .wisdom import Wisdom

__all__ = ["Advice", "Tuned", "Wisdom", "advise", "check", "tune"]
