"""Time long transforms by one thread and by several, and what their plans take.

``python scripts/bench_long.py --log-n 20 --threads 2`` prints a row for each width and target: bytes of tables per
point, processor seconds of `create`, the least milliseconds of a call by one thread, by all together, and by each its
own transform at the same time, which bounds what they can gain. All take turns, where it is Linux in moments in which
nothing else runs. The last columns are processor time, which others on the machine disturb less: of one thread, and of
the caller or, if that is more, of all others together. Some values are compared with the definition before.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

sys.path[0:1] = [str(Path(__file__).resolve().parents[1])]  # nothing needs to be installed

import numpy as np  # noqa: E402

import momagen as mg  # noqa: E402
from momagen.params.words import from_words  # noqa: E402
from momagen.runtime.compiled import threads_of  # noqa: E402
from momagen.runtime.native import candidates  # noqa: E402
from momagen.verify.oracle import Definition  # noqa: E402
from momagen.verify.vectors import random_residues  # noqa: E402

MODULI = {"31": "babybear", "50": 50, "60": 60, "64": "goldilocks"}
"""By bits: a modulus by name, or the largest prime of so many bits that has the root."""
TARGETS = ("c", "avx2", "avx512ifma")
HEADS = (
    "bits", "target", "bytes a point", "create, s", "1 thread, ms", "{}, ms", "gain", "{} alone, ms", "bound",
    "1 busy, ms", "{} busy, ms", "gain",
)  # fmt: skip


@dataclass
class Timed:
    """Of one kernel: its plans, one for each thread, and the least seconds by what was timed."""

    kernel: mg.Kernel
    threads: int

    def __post_init__(self) -> None:
        begin = time.process_time()
        first = self.kernel.tables
        self.create = time.process_time() - begin
        compiled, q, root = self.kernel.compiled, self.kernel.modulus, self.kernel.spec.told_root
        self.plans = [first, *(compiled.plan(q, root) for _ in range(self.threads - 1))]
        shape = self.kernel.spec.elements
        own = np.dtype(f"uint{min(self.kernel.spec.arith.word, 64)}")  # the kernel's words: nothing is converted
        self.x = [random_residues(shape, q, self.kernel.words, (0, i)).astype(own) for i in range(self.threads)]
        self.y = [np.empty_like(x) for x in self.x]
        self.pool = ThreadPoolExecutor(self.threads)

    def right(self) -> bool:
        """Whether some values are those of the definition."""
        self.together(self.threads)
        spec, places = self.kernel.spec, [0, 1, self.kernel.n // 2 + 1, self.kernel.n - 1]
        wanted = Definition(spec, self.kernel.modulus, self.kernel.spec.root).outputs(self.x[0], places)
        return from_words(self.y[0][places].astype(np.uint64)) == wanted

    def _set(self, threads: int) -> None:
        for plan in self.plans:
            threads_of(self.kernel.compiled, plan, threads)

    def together(self, threads: int) -> tuple[float, float]:
        """Seconds of one transform, and processor seconds."""
        self._set(threads)
        return _timed(lambda: self._execute(0))

    def alone(self) -> tuple[float, float]:
        """The same of as many transforms at the same time as there are threads."""
        self._set(1)
        return _timed(lambda: [*self.pool.map(self._execute, range(self.threads))])

    def _execute(self, at: int) -> None:
        """A call of the C function on words of its own."""
        plan = self.plans[at]
        if code := plan.function(plan.address, self.y[at].ctypes.data, self.x[at].ctypes.data, 1):
            raise SystemExit(f"{self.kernel.name}: error {code}")


def _await_quiet(seconds: float) -> None:
    """Wait until nothing else runs, but not longer than that."""
    busy, end = Path("/proc/loadavg"), time.monotonic() + seconds
    while busy.exists() and time.monotonic() < end and int(busy.read_text().split()[3].split("/")[0]) > 1:
        time.sleep(0.002)


def _timed(do: Callable[[], object]) -> tuple[float, float]:
    begin = time.perf_counter(), time.process_time(), time.thread_time()
    do()
    end = time.perf_counter(), time.process_time(), time.thread_time()
    wall, every, own = (to - at for to, at in zip(end, begin, strict=True))
    return wall, max(own, every - own)


def row(bits: str, target: str, given: argparse.Namespace) -> str:
    """One line of the table."""
    modulus = MODULI[bits]
    which = {"modulus": modulus} if isinstance(modulus, str) else {"modulus_bits": modulus}
    kernel = mg.kernel(
        "ntt", n=1 << given.log_n, target=target, threads=given.threads, negacyclic=True, order=given.order, **which
    )
    timed = Timed(kernel, given.threads)
    if not timed.right():
        raise SystemExit(f"{kernel.name}: wrong")
    ways: list[Callable[[], tuple[float, float]]] = [
        partial(timed.together, 1), partial(timed.together, given.threads), timed.alone,
    ]  # fmt: skip
    found: list[list[tuple[float, float]]] = [[], [], []]
    for _ in range(given.rounds):
        for samples, way in zip(found, ways, strict=True):
            _await_quiet(given.quiet)
            samples.append(way())
    one, together, alone = (min(wall for wall, _ in each) for each in found)
    busy, busiest = (min(processor for _, processor in each) for each in found[:2])
    plan = kernel.plan
    size = plan.bytes(plan.table) / kernel.n
    times = f"{one * 1e3:.2f}", f"{together * 1e3:.2f}", f"{one / together:.2f}", f"{alone * 1e3:.2f}"
    processor = f"{busy * 1e3:.2f}", f"{busiest * 1e3:.2f}", f"{busy / busiest:.2f}"
    numbers = [f"{size:.3g}", f"{timed.create:.2f}", *times, f"{given.threads * one / alone:.2f}", *processor]
    return f"| {' | '.join([bits, target, *numbers])} |"


def table(given: argparse.Namespace) -> Iterator[str]:
    yield f"| {' | '.join(HEADS).format(*[given.threads] * 3)} |"
    yield "|" + "---|" * len(HEADS)
    for bits in given.bits.split(","):
        for target in given.targets.split(","):
            if target in map(str, candidates()):
                yield row(bits, target, given)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log-n", type=int, default=20, help="points are 2 to this power (default: 20)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--order", default="bitrev", choices=("bitrev", "natural"))
    parser.add_argument("--bits", default=",".join(MODULI), help="which of %(default)s")
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--quiet", type=float, default=1.0, help="seconds to wait for a quiet moment (default: 1)")
    for line in table(parser.parse_args()):
        print(line, flush=True)


if __name__ == "__main__":
    main()
