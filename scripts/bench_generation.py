"""The CPU time that twenty everyday requests and the widest transform take to generate, in fresh processes.

Run `python scripts/bench_generation.py` from a checkout. Every request runs the command line as a user would, up to the
source text, and writes it to a temporary folder. Python's byte code is cached, as for an installed package; momagen's
own cache is empty in every process. The column "imports" is the CPU time of a process that only imports the modules
that the request has loaded by its end; the column "generation" is the rest. Words choose requests:
`python scripts/bench_generation.py jax cuda`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
REQUESTS = (
    "ntt --n 1024 --bits 128 --target avx512",
    "ntt --n 1024 --bits 128 --target c",
    "ntt --n 4096 --modulus bn254-r --target avx2",
    "ntt --n 8192 --modulus-bits 50 --target avx512ifma",
    "ntt --n 4096 --bits 64 --target avx2 --negacyclic --inverse",
    "ntt --n 4096 --modulus-bits 60 --target avx512ifma --inverse",
    "ntt --n 65536 --bits 128 --target cuda",
    "ntt --n 4096 --bits 32 --target jax",
    "ntt --n 1024 --bits 64 --target c32",
    "ntt --n 4096 --bits 128 --target b512",
    "ntt --preset ml-dsa --target avx2",
    "blas vmul --bits 256 --target avx2",
    "blas vmul --modulus bls12-381-p --target c",
    "blas axpy --bits 128 --target avx512",
    "polymul --n 1024 --bits 128 --negacyclic --target c",
    "basemul --n 256 --depth 7 --modulus 3329 --negacyclic --target avx2",
    "lde --n 1024 --blowup 4 --coset 7 --bits 64 --target avx2",
    "convert --moduli 4 --to 3 --modulus-bits 50 --target avx2",
    "rescale --moduli 4 --modulus-bits 50 --target avx2",
    "explain mulmod --bits 128",
)
"""Arguments of `momagen`, without the options that every request gets."""
WIDEST = "ntt --n 1024 --bits 1024 --modulus-bits 1020 --target c"
"""The request that is timed beside the median."""
COMMAND = "import sys; from momagen.cli import main; code = main(sys.argv[1:])"
LOADED = f"{COMMAND}; sys.stderr.write(' '.join(name for name in sys.modules if name != '__main__')); sys.exit(code)"
IMPORTS = "import sys; from importlib import import_module\nfor name in sys.argv[1:]: import_module(name)"


def arguments_of(request: str, folder: str) -> list[str]:
    """Return the arguments of `momagen` for `request`, with the source written to `folder`."""
    words = request.split()
    if words[0] == "explain":
        return words
    return [*words, "--no-verify", "--no-bench", "--output", f"{folder}/source"]


def python(code: str, arguments: list[str], byte_code: str, cache: str) -> tuple[float, str]:
    """Return the CPU seconds of a new Python process that runs `code`, and what it writes to standard error.

    Args:
        code: the program. arguments: its arguments.
        byte_code: the folder of Python's cache. cache: the folder of momagen's cache.
    """
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": byte_code,
        "MOMAGEN_CACHE": cache,
    }  # fmt: skip
    before = getrusage(RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    after = getrusage(RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return used, done.stderr


def timed(request: str, repetitions: int, byte_code: str) -> tuple[int, float, float]:
    """Return the number of momagen's modules that a request loads, and the CPU seconds of imports and in total."""
    imports, total, names = [], [], list[str]()
    for _ in range(1 + repetitions):  # the first one writes byte code
        with TemporaryDirectory() as folder:
            names = names or python(LOADED, arguments_of(request, folder), byte_code, folder)[1].split()
            imports.append(python(IMPORTS, names, byte_code, folder)[0])
        with TemporaryDirectory() as folder:
            total.append(python(COMMAND, arguments_of(request, folder), byte_code, folder)[0])
    return sum(name.startswith("momagen") for name in names), median(imports[1:]), median(total[1:])


def main() -> None:
    """Print one row per request, then the median of the everyday ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="only requests that contain one of these words")
    parser.add_argument("--repetitions", type=int, default=3, help="processes per request (default: 3)")
    given = parser.parse_args()
    print(f"{'modules':>7} {'imports':>8} {'generation':>11} {'total s':>8}  request")
    totals = []
    with TemporaryDirectory() as byte_code:
        for request in (*REQUESTS, WIDEST):
            if given.words and not any(word in request for word in given.words):
                continue
            modules, imports, total = timed(request, given.repetitions, byte_code)
            print(f"{modules:7} {imports:8.2f} {total - imports:11.2f} {total:8.2f}  {request}", flush=True)
            totals += [total] * (request in REQUESTS)
    if totals:
        print(f"median of {len(totals)} everyday requests: {median(totals):.2f} s of CPU")


if __name__ == "__main__":
    main()
