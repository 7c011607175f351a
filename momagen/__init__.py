"""momagen: verified modular-arithmetic kernels, generated at any width for any machine."""

from __future__ import annotations

__version__ = "0.1.0"

from momagen.api import Kernel, blas, load, ntt, polymul, tune
from momagen.clib import Library, library
from momagen.errors import MomagenError

__all__ = ["Kernel", "Library", "MomagenError", "__version__", "blas", "library", "load", "ntt", "polymul", "tune"]
