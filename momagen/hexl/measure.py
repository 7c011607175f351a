"""Measurements of the replacement for HEXL: ``python -m momagen.hexl.measure``.

They are the times of generation and compilation, the size of the library, and the times of short calls.

The output is JSON. On a machine without CMake or a C++ compiler, it has the time of generation only.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from momagen.errors import build_error
from momagen.processes import run

from .package import package

JOBS = "2"
"""The number of compilers that run at the same time."""
MB = 10**6
POINTS = 4096
"""The number of points of the transform whose creation is timed."""
PROGRAM = Path(__file__).with_suffix(".cpp")


def measured() -> dict[str, object]:
    """Return the measurements by name.

    They are the times of generation and compilation in seconds, the size of the library in MB, and samples of the times
    of calls in nanoseconds.
    """
    found: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as place:
        folder, build = Path(place, "hexl"), Path(place, "build")
        start = time.perf_counter()
        package().save(folder)
        found["generate"] = time.perf_counter() - start
        compiler = shutil.which(os.environ.get("CXX", "c++"))
        if not (shutil.which("cmake") and compiler):
            return found
        start = time.perf_counter()
        told(["cmake", "-S", str(folder), "-B", str(build)])
        told(["cmake", "--build", str(build), "--parallel", JOBS])
        found["compile"] = time.perf_counter() - start
        library = build / "libhexl.a"
        found["size"] = library.stat().st_size / MB
        program = f"{place}/measure"
        headers = [f"-I{folder}/include", f"-I{build}/include"]
        told([compiler, "-std=c++17", "-O2", *headers, str(PROGRAM), str(library), "-o", program])
        calls = defaultdict[str, list[float]](list)
        for name, _, ns in (line.partition("\t") for line in told([program, str(POINTS)]).splitlines()):
            calls[name].append(float(ns))
    return {**found, "calls": calls}


def told(command: Sequence[str]) -> str:
    """Return the output of a command.

    Raises:
        MomagenError: The command fails.
    """
    done = run(command, environment=dict(os.environ))
    if done.returncode:
        said = " ".join((done.stderr or done.stdout)[-300:].split())
        raise build_error(f"the command failed with exit code {done.returncode} ({said})", command[0])
    return done.stdout


if __name__ == "__main__":
    print(json.dumps(measured()))
