"""Where a race is: a core, if one is asked for, and what a result has to say of the machine."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from typing import Any

from momagen import __version__
from momagen.bench.measure.machine import cpu
from momagen.errors import MomagenError

ONE_THREAD = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


def pin(core: int) -> None:
    """Stay on a core, with one thread of XLA; JAX may not have been imported.

    Raises:
        MomagenError: the system has no such core, or does not let one choose.
    """
    try:
        os.sched_setaffinity(0, {core})
    except (AttributeError, OSError) as error:
        raise MomagenError("a core that this process may use", f"{core} ({error})", "core") from None
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {ONE_THREAD}".strip()
    os.environ["NPROC"] = "1"  # what XLA takes for the number of CPUs


def described(core: int | None) -> dict[str, Any]:
    """The device, the host and versions."""
    import jax

    from . import cross

    first = jax.devices()[0]
    return {
        "device": {"platform": first.platform, "kind": first.device_kind, "count": jax.device_count(), "host": cpu(),
                   "cores": os.cpu_count(), "core": core, "load": load()},
        "versions": {"momagen": __version__, "python": platform.python_version(), "cross": cross.version(),
                     **{name: version(name) for name in ("jax", "jaxlib", "numpy")}},
        "x64": jax.dtypes.canonicalize_dtype("uint64") == "uint64",
    }  # fmt: skip


def load() -> float | None:
    """Processes that ran or waited in the last minute, on average."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
