"""What users call: kernels made from a few words, called on arrays or integers, verified, timed, saved."""

from __future__ import annotations

from .kernel import Kernel
from .make import basemul, blas, lde, ntt, polymul
from .saved import load
from .sweep import sweep
from .tune import tune

__all__ = ["Kernel", "basemul", "blas", "lde", "load", "ntt", "polymul", "sweep", "tune"]
