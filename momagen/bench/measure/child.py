"""The measurement of one kernel in a new process without caches: the duration of every step, and the peak memory.

For example, the following command prints the figures as JSON::

    python -m momagen.bench.measure.child '{"request": {"kind": "vadd", "bits": 64}, "compilers": {}, "run": false}'
"""

from __future__ import annotations

import json
import math
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from momagen.emit import Source, generate
from momagen.errors import MomagenError, build_error
from momagen.kinds.modular.make_spec import make_spec
from momagen.processes import live_with_parent, run_child
from momagen.runtime import Compiler, compile_shared, find_compiler
from momagen.runtime.call import compile_kernel
from momagen.runtime.compiled import Compiled
from momagen.verify import verify

from .built import Built, discard, planned, timed, unseen
from .kernel import timed_call, units

STATUS = Path("/proc/self/status")
NO_COMPILERS: Mapping[str, Compiler] = MappingProxyType({})
WARM_UP = "int warm_up(void) { return 0; }\n"


def measure(
    request: Mapping[str, object], *, compilers: Mapping[str, Compiler] = NO_COMPILERS, run: bool = False
) -> dict[str, float]:
    """Return measurements of a kernel from a new process.

    Args:
        request: The arguments of :func:`make_spec`.
        compilers: The compilers by name; each of them compiles the kernel.
        run: Whether to create a plan, execute the kernel and verify it, too. The last of the compilers is
            used for this.

    Returns:
        The durations in seconds under the keys "parameters", "generate" and "compile NAME", and "plan",
        "execute" and "verify" if ``run`` is true; "memory", the peak memory of the process at the end of
        generation in MB (10^6 bytes); "lines", the number of lines of C; and if ``run`` is true, "units", the
        number of butterflies or elements in one call, and "values", the number of values that were verified.

    Raises:
        MomagenError: The process failed. The message contains the last line of its error output.
    """
    commands = {name: shlex.join(compiler.command) for name, compiler in compilers.items()}
    text = json.dumps({"request": dict(request), "compilers": commands, "run": run})
    done = run_child(__name__, text)
    if done.returncode:
        last = (done.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise build_error(f"the process that generates and measures the kernel failed ({last})", str(request["kind"]))
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def peak_memory() -> float:
    """Return the largest resident size of this process so far in MB (10^6 bytes), or NaN if it is unknown."""
    for line in STATUS.read_text().splitlines() if STATUS.exists() else ():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024 / 1e6
    try:
        import resource
    except ImportError:  # Windows
        return math.nan
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def main(text: str) -> dict[str, float]:
    """Measure the kernel in this process, and return the figures.

    Args:
        text: The JSON text that :func:`measure` writes.
    """
    asked = json.loads(text)
    figures: dict[str, float] = {}
    figures["parameters"], spec = timed(lambda: make_spec(**asked["request"]))
    figures["generate"], source = timed(lambda: generate(spec))
    figures |= {"memory": peak_memory(), "lines": source.source.count("\n")}
    for name, command in asked["compilers"].items():
        figures[f"compile {name}"], compiled = timed_compile(source, find_compiler(command))
    if asked["run"]:
        figures["plan"], kernel = timed(lambda: planned(compiled))
        figures |= ran(kernel)
    return figures


def timed_compile(source: Source, compiler: Compiler) -> tuple[float, Compiled]:
    """Return the duration in seconds of a compilation without caches, and the compiled kernel.

    A small file is compiled first, so that the compiler's own initialisation is not measured.
    """
    compile_shared(WARM_UP, name="warm_up", flags=["-std=c99"], compiler=compiler)
    fresh = unseen(source)
    seconds, compiled = timed(lambda: compile_kernel(fresh, compiler))
    discard(compiled)
    return seconds, compiled


def ran(kernel: Built) -> dict[str, float]:
    """Return measurements of a kernel in use.

    Returns:
        The durations in seconds of one call (the shortest of three) and of the verification, the number of
        units in a call, and the number of values that were verified.

    Raises:
        MomagenError: The kernel computes incorrect results.
    """
    call = timed_call(kernel, 1)
    figures = {"execute": min(call.time(1).ns for _ in range(3)) / 1e9, "units": units(kernel.spec, 1)}
    del call  # its buffers take as much memory as the verification needs
    figures["verify"], report = timed(lambda: verify(kernel))
    if not report.ok:
        raise build_error(f"verification failed ({report.mismatch})", "verify")
    return {**figures, "values": report.values}


if __name__ == "__main__":
    live_with_parent()
    try:
        print(json.dumps(main(sys.argv[1])))
    except MomagenError as failed:
        sys.exit(str(failed))
