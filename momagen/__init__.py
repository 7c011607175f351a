"""momagen: verified modular-arithmetic kernels, generated at any width for any machine."""

from __future__ import annotations

__version__ = "0.1.0"
