"""The structures that are passed to the C code of a launch, with the fields of those in ``templates/ptx/state.h``."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_uint8, c_uint32, c_uint64, c_void_p

Three = c_uint32 * 3


class SpanOfMemory(ctypes.Structure):
    """An array in global or constant memory (mg_span)."""

    _fields_ = (("base", c_uint64), ("size", c_uint64), ("constant", c_uint32), ("writable", c_uint32),
                ("loaded", c_uint64), ("stored", c_uint64), ("cells", c_void_p))  # fmt: skip


class FaultOfLaunch(ctypes.Structure):
    """The error that stopped a launch (mg_fault)."""

    _fields_ = (("code", c_uint32), ("line", c_uint32), ("other_line", c_uint32), ("size", c_uint32),
                ("address", c_uint64), ("block", Three), ("thread", Three), ("other", Three),
                ("space", c_uint32))  # fmt: skip


class CountOfAccess(ctypes.Structure):
    """The counts of one memory access in the code (mg_count)."""

    _fields_ = tuple((name, c_uint64) for name in ("requests", "bytes", "sectors", "passes", "extra"))


class LaunchInC(ctypes.Structure):
    """A launch (mg_launch)."""

    _fields_ = (("grid", Three), ("block", Three), ("parameters", POINTER(c_uint8)), ("symbols", POINTER(c_uint64)),
                ("shared_at", POINTER(c_uint32)), ("spans", POINTER(SpanOfMemory)),
                ("counts", POINTER(CountOfAccess)), ("seed", c_uint64), ("stack_bytes", c_uint64),
                ("turns", c_uint64), ("parameter_bytes", c_uint32), ("span_count", c_uint32),
                ("shared_bytes", c_uint32), ("local_bytes", c_uint32), ("order", c_uint32), ("barriers", c_uint32),
                ("skipped", c_uint32), ("fault", FaultOfLaunch))  # fmt: skip
