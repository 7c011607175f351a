"""A description of the machine on which measurements were taken."""

from __future__ import annotations

import datetime
import os
import platform

from momagen import __version__
from momagen.runtime import Compiler, list_compilers
from momagen.runtime.features import CPUINFO, first_cpu

from .clock import frequency, latency


def machine() -> dict[str, object]:
    """Return the CPU, its clock frequency, the system, the compilers, the versions and the date as plain data."""
    clock = frequency()
    return {
        "cpu": cpu(),
        "cores": os.cpu_count(),
        "clock_ghz": None if clock is None else round(clock, 2),
        "multiplication_latency": latency(),
        "system": platform.platform(),
        "compilers": [str(compiler) for compiler in list_compilers()],
        "python": platform.python_version(),
        "momagen": __version__,
        "date": datetime.date.today().isoformat(),
    }


def families() -> dict[str, Compiler]:
    """Return the best working compiler of every family, clang first."""
    found = {compiler.kind: compiler for compiler in reversed(list_compilers())}
    return {kind: found[kind] for kind in ("clang", "zig", "gcc", "other") if kind in found}


def cpu() -> str:
    """Return the name of this machine's CPU."""
    return cpu_name(CPUINFO.read_text() if CPUINFO.exists() else "")


def cpu_name(cpuinfo: str) -> str:
    """Return the model name, family and model number of a CPU.

    Args:
        cpuinfo: The text of /proc/cpuinfo. If it has no model name, the name that Python's module
            ``platform`` reports is returned.
    """
    fields = first_cpu(cpuinfo)
    if "model name" not in fields:
        return platform.processor() or platform.machine()
    return f"{fields['model name']} (family {fields.get('cpu family', '?')}, model {fields.get('model', '?')})"


def described(facts: dict[str, object]) -> str:
    """Return the lines that describe the machine to a reader."""
    compilers = facts["compilers"]
    assert isinstance(compilers, list)
    return "\n".join([
        f"{facts['cpu']}, {facts['cores']} cores, {facts['clock_ghz']} GHz now, {facts['system']}",
        f"compilers: {'; '.join(compilers)}",
        f"momagen {facts['momagen']}, Python {facts['python']}, {facts['date']}",
    ])  # fmt: skip


def caption(facts: dict[str, object], compiler: Compiler) -> str:
    """Return the line that describes the machine below a plot: the CPU, the compiler, the version and the date."""
    return f"{facts['cpu']}; {compiler}; momagen {facts['momagen']}, {facts['date']}"
