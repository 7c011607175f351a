"""The machine of a race: the core on which it runs, and a description for results."""

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
    """Run on one core, with one thread of XLA; JAX must not have been imported.

    Raises:
        MomagenError: The system has no such core, or does not support the choice.
    """
    try:
        os.sched_setaffinity(0, {core})
    except (AttributeError, OSError) as error:
        raise MomagenError("a core that this process may use", f"{core} ({error})", "core") from None
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {ONE_THREAD}".strip()
    os.environ["NPROC"] = "1"  # what XLA takes for the number of CPUs


def described(core: int | None) -> dict[str, Any]:
    """Return a description of the device, the host and the versions."""
    import jax

    from . import cross_code

    first = jax.devices()[0]
    return {
        "device": {"platform": first.platform, "kind": first.device_kind, "count": jax.device_count(), "host": cpu(),
                   "cores": os.cpu_count(), "core": core, "load": load()},
        "versions": {"momagen": __version__, "python": platform.python_version(), "cross": cross_code.version(),
                     **{name: version(name) for name in ("jax", "jaxlib", "numpy")}},
        "x64": jax.dtypes.canonicalize_dtype("uint64") == "uint64",
    }  # fmt: skip


def load() -> float | None:
    """Return the mean number of processes that ran or waited in the last minute; None if it is unknown."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
