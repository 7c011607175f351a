"""On what the figures were measured."""

from __future__ import annotations

import datetime
import os
import platform

from momagen import __version__
from momagen.runtime import Compiler, list_compilers
from momagen.runtime.features import CPUINFO

from .clock import frequency, latency


def machine() -> dict[str, object]:
    """CPU, its clock, system, compilers, versions and the date, as plain data."""
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
    """The best compiler of every family that works here, clang first."""
    found = {compiler.kind: compiler for compiler in reversed(list_compilers())}
    return {kind: found[kind] for kind in ("clang", "zig", "gcc", "other") if kind in found}


def cpu() -> str:
    """This machine's."""
    return cpu_name(CPUINFO.read_text() if CPUINFO.exists() else "")


def cpu_name(cpuinfo: str) -> str:
    """Model name, with family and model number, from the text of /proc/cpuinfo; else what the system calls it."""
    pairs = (line.partition(":") for line in cpuinfo.split("\n\n")[0].splitlines())
    fields = {key.strip(): value.strip() for key, _, value in pairs}
    if "model name" not in fields:
        return platform.processor() or platform.machine()
    return f"{fields['model name']} (family {fields.get('cpu family', '?')}, model {fields.get('model', '?')})"


def described(facts: dict[str, object]) -> str:
    """The machine in lines for a person."""
    compilers = facts["compilers"]
    assert isinstance(compilers, list)
    return "\n".join([
        f"{facts['cpu']}, {facts['cores']} cores, {facts['clock_ghz']} GHz now, {facts['system']}",
        f"compilers: {'; '.join(compilers)}",
        f"momagen {facts['momagen']}, Python {facts['python']}, {facts['date']}",
    ])  # fmt: skip


def caption(facts: dict[str, object], compiler: Compiler) -> str:
    """The machine in a line for plots: CPU, compiler, version, date."""
    return f"{facts['cpu']}; {compiler}; momagen {facts['momagen']}, {facts['date']}"
