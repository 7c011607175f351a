"""C libraries of several kernels in several ISA variants, which the library selects from at run time."""

from __future__ import annotations

from .library import Library, library

__all__ = ["Library", "library"]
