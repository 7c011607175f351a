"""The resources of kernels from the log of ``ptxas -v``: registers, stack, spills, shared and constant memory."""

from __future__ import annotations

import re
from dataclasses import dataclass

KERNEL = re.compile(r"Compiling entry function '([^']+)' for '([^']+)'")
SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")
SHARED = re.compile(r"(\d+) bytes smem")
CONSTANT = re.compile(r"(\d+) bytes cmem\[\d+\]")
BARRIERS = re.compile(r"used (\d+) barriers")


@dataclass(frozen=True)
class KernelResources:
    """The resources of one kernel.

    Attributes:
        name: The name of the kernel.
        arch: The architecture.
        registers: The number of 32-bit registers of a thread before the allocation rounds it up.
        stack: The size of a thread's stack frame in bytes.
        spill_stores: The number of bytes that a thread spills.
        spill_loads: The number of spilled bytes that a thread loads.
        shared: The number of bytes of static shared memory.
        constant: The number of bytes of constant banks, if ptxas states it; newer versions do not.
        barriers: The number of named barriers.
    """

    name: str
    arch: str
    registers: int
    stack: int
    spill_stores: int
    spill_loads: int
    shared: int
    constant: int
    barriers: int

    @property
    def spills(self) -> bool:
        """Whether a thread spills registers."""
        return bool(self.spill_stores or self.spill_loads)


def read_resources(log: str) -> dict[str, KernelResources]:
    """Return the resources of all kernels in a log of ``--ptxas-options=-v``, by name."""
    found: dict[str, KernelResources] = {}
    parts = KERNEL.split(log)
    for name, arch, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        if used := USED.search(text):
            spills = SPILLS.search(text)
            stack, stores, loads = (int(number) for number in spills.groups()) if spills else (0, 0, 0)
            found[name] = KernelResources(
                name, arch, int(used[1]), stack, stores, loads,
                _sum(SHARED, text), _sum(CONSTANT, text), _sum(BARRIERS, text),
            )  # fmt: skip
    return found


def _sum(pattern: re.Pattern[str], text: str) -> int:
    return sum(int(number) for number in pattern.findall(text))
