"""How many threads do a call of a kernel that was made for several."""

from __future__ import annotations

import ctypes

from momagen.build.compiled import Compiled, Plan, function_of
from momagen.errors import MomagenError
from momagen.kernels.spec.threads import MOST


def threads_of(compiled: Compiled, plan: Plan, threads: int = 0) -> int:
    """The number, which becomes ``threads`` where that is not 0; no call may run meanwhile.

    Raises:
        MomagenError: a kernel that was made for one thread, or a number that is not from 1 to 1024.
    """
    if not compiled.spec.threads:
        raise MomagenError("a kernel made with the option threads", "one made without", compiled.name)
    if not 0 <= threads <= MOST:
        raise MomagenError(f"a number from 1 to {MOST}", threads, "threads")
    set_threads = function_of(compiled, "threads", [ctypes.c_void_p, ctypes.c_size_t], ctypes.c_size_t)
    return int(set_threads(plan.address, threads))
