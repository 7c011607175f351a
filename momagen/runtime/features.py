"""The features of this CPU, some of which $MOMAGEN_DISABLE can hide for tests."""

from __future__ import annotations

import functools
import os
import platform
import subprocess
from collections.abc import Iterable
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")
MODEL = ("vendor_id", "cpu family", "model")
"""The lines of /proc/cpuinfo that identify an x86 CPU."""


def cpu_features() -> frozenset[str]:
    """Return the lower-case feature names of this CPU, as Linux writes them ("avx512f", "avx512_vbmi2", "bmi2", "adx").

    The name of the architecture ("x86_64", "aarch64") is one of them. The names that $MOMAGEN_DISABLE lists, separated
    by commas, are omitted.
    """
    hidden = {_plain(name) for name in os.environ.get("MOMAGEN_DISABLE", "").split(",")}
    return frozenset(name for name in _real_features() if _plain(name) not in hidden)


def missing_features(needed: Iterable[str]) -> list[str]:
    """Return the features of ``needed`` that this CPU lacks, in order.

    The compilers' spelling, such as "avx512vbmi2", is accepted, too.
    """
    present = {_plain(name) for name in cpu_features()}
    return [name for name in needed if _plain(name) not in present]


@functools.cache
def _real_features() -> frozenset[str]:
    """Return the features of this CPU without regard to $MOMAGEN_DISABLE."""
    arch = platform.machine().lower()
    return parse_cpuinfo(_cpu_text()) | {"x86_64" if arch == "amd64" else arch}


def parse_cpuinfo(text: str) -> frozenset[str]:
    """Return the names on the first ``flags`` (x86) or ``Features`` (ARM) line of /proc/cpuinfo."""
    rows = (line.partition(":") for line in text.splitlines())
    lists = (names for key, _, names in rows if key.strip().lower() in ("flags", "features"))
    return frozenset(next(lists, "").lower().split())


def cpu_model() -> str:
    """Return the vendor, the family and the model of this CPU, such as "GenuineIntel 6 207"; "" if they are unknown."""
    return parse_model(_cpu_text())


def parse_model(text: str) -> str:
    """Return the vendor, the family and the model of the first CPU in /proc/cpuinfo, or "" if one is missing."""
    fields = first_cpu(text)
    return " ".join(fields[key] for key in MODEL) if fields.keys() >= {*MODEL} else ""


def first_cpu(text: str) -> dict[str, str]:
    """Return the fields of the first CPU in /proc/cpuinfo by name."""
    pairs = (line.partition(":") for line in text.partition("\n\n")[0].splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}


def _cpu_text() -> str:
    """Return the text of /proc/cpuinfo, or its equivalent on macOS."""
    if CPUINFO.exists():
        return CPUINFO.read_text()
    try:  # macOS
        keys = ("machdep.cpu.features", "machdep.cpu.leaf7_features")
        values = (subprocess.run(["sysctl", "-n", key], capture_output=True, text=True).stdout for key in keys)
        return "flags: " + " ".join(" ".join(values).split())
    except OSError:
        return ""


def _plain(name: str) -> str:
    """Return one spelling for the Linux kernel's avx512_vbmi2 and the compilers' avx512vbmi2."""
    return name.strip().lower().replace("_", "")
