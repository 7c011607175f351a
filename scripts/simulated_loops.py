"""Loops of compiled functions on a model of Intel's Ice Lake servers, simulated by llvm-mca (LLVM 14 or newer)."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Collection, Sequence

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
COPY = re.compile(r"^vmov(?:dq[au]\d*|ap[sd]|up[sd])\s+%[xyz]mm(\d+),%([xyz]mm)(\d+)$")
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
    return [_as_modelled(line, written) for line in lines]


def _as_modelled(line: str, written: Collection[str]) -> str:
    """Return one instruction of a loop that writes the registers with the numbers ``written``.

    The CPU renames copies of registers, but LLVM's model executes them. A copy of a register that the loop does not
    write is always ready, as is a zeroed register, which the model renames too. Other copies stay, and cost a port.
    """
    if line.startswith("j"):
        return "jne ."
    if (found := COPY.match(line)) and found[1] not in written:
        register = f"%{found[2]}{found[3]}"
        return f"vpxorq {register},{register},{register}"
    for pattern, other in AS:
        line = pattern.sub(other, line)
    return line
