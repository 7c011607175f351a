"""The memory of results during measurements."""

from __future__ import annotations

import ctypes
import functools

TRIM, MAPPED = -1, -3
"""The parameters ``M_TRIM_THRESHOLD`` and ``M_MMAP_THRESHOLD`` of glibc's ``mallopt``."""
KEPT = 1 << 30
"""The size in bytes below which freed memory stays in the process."""


@functools.cache
def keep_memory() -> bool:
    """Let this process keep freed memory, and return whether the C library supports it.

    By default, glibc returns large arrays to the system, which then clears every page of the next result. For arrays
    of some 30 MB this takes ten times as long as an addition.
    """
    change = getattr(ctypes.CDLL(None), "mallopt", None)
    return change is not None and all(change(name, KEPT) == 1 for name in (TRIM, MAPPED))
