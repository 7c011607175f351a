"""A C library of several kernels in several ISA variants: which it holds, what its files say, where they go."""

from __future__ import annotations

from .library import Library, library

__all__ = ["Library", "library"]
