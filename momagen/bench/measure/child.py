"""One kernel in a process of its own, nothing cached: seconds of every step, and the peak memory of generating it.

``python -m momagen.bench.measure.child '{"kind": "ntt", "n": 4096, "bits": 128}'`` prints the figures as JSON.
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
    """Figures of the kernel whose :func:`make_spec` arguments are ``request``, from a fresh process.

    Args:
        compilers: what to compile with, by name. run: create a plan, execute and verify too, with the last of them.

    Returns:
        seconds of "parameters", "generate", "compile NAME", and where asked for "plan", "execute" and "verify";
        "memory" (peak MB of the process at the end of generation); "lines" of C; "units" of one execute; "values"
        that verification compared.

    Raises:
        MomagenError: the child process failed; the message has its last line.
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
    """The largest resident size of this process so far, in MB (10^6 bytes)."""
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
    """What the child does; ``text`` is the JSON that :func:`measure` wrote."""
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
    """Seconds to compile what no cache has seen; a compiler's own first-time work is done before."""
    compile_shared(WARM_UP, name="warm_up", flags=["-std=c99"], compiler=compiler)
    fresh = unseen(source)
    seconds, compiled = timed(lambda: compile_kernel(fresh, compiler))
    discard(compiled)
    return seconds, compiled


def ran(kernel: Built) -> dict[str, float]:
    """Seconds of one execution, the best of three, and of the verification; how many values that compared."""
    call = timed_call(kernel, 1)
    figures = {"execute": min(call.time(1).ns for _ in range(3)) / 1e9, "units": units(kernel.spec, 1)}
    del call  # its buffers are as large as what the verification needs
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
