"""The instruction counts of a kernel for AVX-512 on a CPU without it.

The AVX-512 instructions are replaced by instructions that do nothing; the others run, and the marks in the
loops count. Neither the control flow nor the addresses of generated code depend on data, because the code is
constant-time. Every instruction is therefore executed as often as on a CPU with AVX-512. The results are
meaningless, and the kernel runs in a separate process, which confines its memory accesses.
"""

from __future__ import annotations

import ctypes
import mmap
import pickle
import sys
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from momagen.bench.measure.built import Built, planned
from momagen.emit import Source
from momagen.errors import MomagenError, build_error
from momagen.processes import live_with_parent, run_child
from momagen.runtime import Compiler
from momagen.runtime.call import compile_kernel

from .blocks import Instruction, Loaded, executions, marked

EVEX, NOP = 0x62, 0x90
"""The first byte of AVX-512 instructions, except for those on masks, and the instruction that does nothing."""
LEFT_OUT = "avx512"
"""The prefix of the names of the features whose instructions can be left out."""


def counted(source: Source, compiler: Compiler | None, batch: int, missing: Iterable[str]) -> Counter[Instruction]:
    """Return how often one call of the kernel would execute each instruction on a CPU with the ``missing`` features.

    Raises:
        MomagenError: A feature other than AVX-512 is missing, or the rest of the kernel does not run without
            AVX-512.
    """
    if others := [name for name in missing if not name.startswith(LEFT_OUT)]:
        raise build_error(f"this CPU lacks {', '.join(others)}, which the target needs", str(source.spec.target))
    request = pickle.dumps((source, compiler, batch))
    done = run_child(__name__, stdin=request)
    if done.returncode:
        why = last_line(done.stderr)
        problem = f"counting instructions without AVX-512 failed with exit code {done.returncode} ({why})"
        raise build_error(problem, source.name)
    counts: Counter[Instruction] = pickle.loads(done.stdout)
    return counts


def last_line(text: bytes) -> str:
    """Return the last line of a process's output."""
    return (text.decode(errors="replace").strip().splitlines() or [""])[-1]


def blank(library: Loaded) -> None:
    """Overwrite every AVX-512 instruction of a loaded library with instructions that do nothing.

    Raises:
        MomagenError: The system does not allow code in memory to be changed.
    """
    for body in library.functions.values():
        _writable(library.base + body[0][0], library.base + body[-1][0])
        for (address, text), (following, _) in pairwise(body):
            place = library.base + address
            if "%k" in text or ctypes.c_ubyte.from_address(place).value == EVEX:
                ctypes.memset(place, NOP, following - address)


def _writable(first: int, last: int) -> None:
    start = first & -mmap.PAGESIZE
    access = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    if ctypes.CDLL(None).mprotect(ctypes.c_void_p(start), ctypes.c_size_t(last + 1 - start), access):
        problem = "the system does not allow code in memory to be changed"
        raise build_error(problem, "counting instructions without AVX-512")


def main(request: bytes) -> bytes:
    """Return the pickled counts for a pickled request, in the separate process.

    The functions that emulate AVX-512 create the plan, and the machine code for AVX-512 executes it.
    """
    source, compiler, batch = pickle.loads(request)
    plan = planned(compile_kernel(source, compiler, level="-O0")).tables  # only its function create is called
    native = compile_kernel(marked(source), compiler, native=True)
    return pickle.dumps(executions(Built(native, plan), batch, blank))


if __name__ == "__main__":
    live_with_parent()
    try:
        sys.stdout.buffer.write(main(sys.stdin.buffer.read()))
    except MomagenError as failed:
        sys.exit(str(failed))
