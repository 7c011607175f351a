"""Loops of compiled functions on a model of Intel's Golden Cove, simulated by llvm-mca (LLVM 17 or newer)."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache

from momagen.bench.x86.uops import uses
from momagen.isa.cores.cpus import load_core
from momagen.isa.cores.ports import bottleneck

CPU, CORE = "sapphirerapids", "golden-cove"
OLDEST = 17
"""The first version of LLVM with a model of this core; older ones take another core's without a warning."""
PROGRAMS = ("llvm-mca", *(f"llvm-mca-{version}" for version in range(22, OLDEST - 1, -1)))
TURNS = 200
"""Iterations that are simulated."""
AS = ((re.compile(r"^vpmadd52[lh]uq "), "vfmadd231pd "),)
"""Instructions that are simulated as another instruction with the same operands, latency and, on servers, ports.

LLVM's model issues vpmadd52 on one port for 512 bits, as client CPUs do, and multiply-adds of doubles on two."""
ZEROING = re.compile(r"^vpxor[dq]?\s+%[xyz]mm(\d+),%[xyz]mm\1,%[xyz]mm(\d+)$")
"""The zeroing of a register, which no port executes, but LLVM's model sends to one."""
WRITTEN = re.compile(r"%[xyz]mm(\d+)(?:\{.*\})?$")
NOTHING = re.compile(r"(?:data16|cs )*\s*nop")


def floor(body: Sequence[str]) -> float:
    """Return the cycles in which the ports can execute one iteration."""
    uops = load_core(CORE).uops
    return bottleneck(each for text in body for use in uses(text) for each in uops[use])[0]


def simulated(body: Sequence[str]) -> float:
    """Return the cycles of one iteration among many.

    Loads hit the first cache, and no branch is mispredicted.
    """
    options = ["-mtriple=x86_64", f"-mcpu={CPU}", f"-iterations={TURNS}", "--json", "-"]
    text = "".join(f"{line}\n" for line in as_modelled(body))
    done = subprocess.run([simulator(), *options], input=text, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout)["CodeRegions"][0]["SummaryView"]["TotalCycles"]) / TURNS


@cache
def simulator() -> str:
    """Return the first program of ``PROGRAMS`` that is new enough."""
    for program in filter(shutil.which, PROGRAMS):
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
        if (found := re.search(r"version (\d+)", version)) and int(found[1]) >= OLDEST:
            return program
    raise SystemExit(f"llvm-mca of LLVM {OLDEST} or newer is not installed; on Debian: apt install llvm-19")


def as_modelled(body: Sequence[str]) -> list[str]:
    """Return the instructions of a loop in the form in which LLVM's model has their ports."""
    lines = [re.sub(r"\s*[#<].*", "", line) for line in body if not NOTHING.match(line)]
    written = {found[1] for line in lines if (found := WRITTEN.search(line))}
    unchanged = next((str(at) for at in range(32) if str(at) not in written), None)
    return [_as_modelled(line, unchanged) for line in lines]


def _as_modelled(line: str, unchanged: str | None) -> str:
    """One instruction; ``unchanged`` is a register that the loop does not write: copies take no port."""
    if line.startswith("j"):
        return "jne ."
    if unchanged and (found := ZEROING.match(line)):
        return f"vmovdqa64 %zmm{unchanged},%zmm{found[2]}"
    for pattern, other in AS:
        line = pattern.sub(other, line)
    return line
