"""Loops of compiled functions on a model of Intel's Ice Lake servers, simulated by llvm-mca (LLVM 14 or newer)."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence

from momagen.bench.x86.uops import uses
from momagen.isa.cores.cpus import load_core
from momagen.isa.cores.ports import bottleneck
from momagen.isa.pressure.analyzers import find_analyzer

CPU, CORE = "icelake-server", "sunny-cove"
TURNS = 200
"""Iterations that are simulated."""
AS = (
    (re.compile(r"^vp(?:add|sub)q (?=.*%zmm)"), "vpandq "),
    (re.compile(r"^vfn?m(?:add|sub)(?:132|213|231)pd (?=.*%zmm)"), "vpmadd52luq "),
    (re.compile(r"^v(?:add|sub|mul)pd (?=.*%zmm)"), "vpmuludq "),
)
"""Instructions of 512 bits that are simulated as another instruction with the same operands.

LLVM's model issues additions of integers on port 1 too, which these cores close for 512 bits, and arithmetic of doubles
on one port, as client CPUs do. The other instruction has the ports of a server, and at least the latency.
"""
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
    command = [find_analyzer("llvm-mca", CPU).program, *options]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout)["CodeRegions"][0]["SummaryView"]["TotalCycles"]) / TURNS


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
