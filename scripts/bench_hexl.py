"""Race the drop-in replacement against HEXL, function by function, as SEAL and OpenFHE call them.

``python scripts/bench_hexl.py --ours PREFIX --hexl PREFIX [--hexl PREFIX …]`` times installed packages in one process:
ours, HEXL as one or more compilers build it, a second copy of each HEXL as the control, and a loop that only moves the
same streams of memory. Blocks of about 100 µs are timed in palindromic order (A B C C B A), with 16 placements of the
buffers, and a block whose two halves differ by more than 5 % is dropped. A cell is one function, width and size:

- it is *slower* where the 99 % lower bound of the median ratio (ours / the faster HEXL) exceeds both 1 and the upper
  bound of the control's ratio;
- below 50 bits it is *short of 0.85* where the median ratio exceeds 0.85, unless HEXL is within 5 % of the loop that
  only moves memory.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import count, product
from pathlib import Path
from statistics import median

import numpy as np

from momagen.params.primes import prime_of

SOURCE = Path(__file__).with_name("hexl_calls.cpp")
BITS = (30, 36, 40, 44, 46, 48, 49, 50, 51, 54, 58, 60, 61)
SIZES = (1024, 2048, 4096, 8192, 16384, 32768)
BLOCK, PLACEMENTS, UNEVEN, STEP = 1e-4, 16, 0.05, 64
SLOWEST, WIDEST, NEAR_MEMORY = 0.85, 50, 1.05
"""The largest median ratio for moduli below ``WIDEST`` bits, and HEXL's largest ratio to a loop that moves memory."""
MEMORY = "memory"
Interval = tuple[float, float, float]


@dataclass(frozen=True)
class Cell:
    """The result for one function, width and size.

    Attributes:
        name: the function and how it is called.
        bits: the length of the modulus.
        n: the number of elements or points.
        ns: the median time of a call of each package, in nanoseconds.
        ratio: ours / the faster HEXL: the median and its 99 % confidence interval.
        control: a second copy of the faster HEXL / the first, likewise.
        blocks: the number of blocks that were not dropped.
    """

    name: str
    bits: int
    n: int
    ns: dict[str, float]
    ratio: Interval
    control: Interval
    blocks: int

    def faults(self) -> list[str]:
        """Return the bars that the cell misses."""
        hexl = min(time for package, time in self.ns.items() if package not in ("ours", MEMORY))
        slower = self.ratio[1] > max(1.0, self.control[2])
        memory_bound = MEMORY in self.ns and hexl <= NEAR_MEMORY * self.ns[MEMORY]
        short = self.bits < WIDEST and self.ratio[0] > SLOWEST and not memory_bound
        return ["slower"] * slower + [f"short of {SLOWEST}"] * short


class Package:
    """An installed package with HEXL's interface, behind the functions of ``hexl_calls.cpp``."""

    def __init__(self, prefix: Path, compiler: str, folder: Path, name: str) -> None:
        library = folder / f"{name}.so"
        command = [compiler, "-O3", "-march=native", "-std=c++17", "-shared", "-fPIC", "-Wl,-Bsymbolic", str(SOURCE)]
        command += [f"-I{prefix}/include", "-o", str(library), str(prefix / "lib" / "libhexl.a")]
        cpu_features = prefix / "lib" / "libcpu_features.a"
        subprocess.run(command + [str(cpu_features)] * cpu_features.exists() + ["-lpthread"], check=True)
        self.functions = ctypes.CDLL(str(library))
        self.functions.calls_name.restype = ctypes.c_char_p
        self.functions.calls_create.restype = ctypes.c_void_p
        self.functions.calls_create.argtypes = [ctypes.c_uint, ctypes.c_uint64, ctypes.c_uint64]
        self.functions.calls_free.argtypes = [ctypes.c_void_p]
        pointers = [ctypes.c_void_p] * 3
        self.functions.calls_time.restype = self.functions.streams_time.restype = ctypes.c_double
        self.functions.calls_time.argtypes = [ctypes.c_uint, ctypes.c_void_p, *pointers, ctypes.c_uint64]
        self.functions.streams_time.argtypes = [ctypes.c_int, ctypes.c_uint64, *pointers, ctypes.c_uint64]

    def names(self) -> Iterator[str]:
        """Yield the names of the calls in their order."""
        for call in count():
            if not (name := self.functions.calls_name(call)):
                return
            yield name.decode()


class Buffers:
    """Three vectors of n residues whose addresses differ from one placement to the next."""

    def __init__(self, n: int, q: int, seed: int) -> None:
        random = np.random.default_rng(seed)
        self.vectors = []
        for _ in range(3):
            memory = np.empty(n + 1024, np.uint64)
            begin = (-memory.ctypes.data % 4096 + STEP * int(random.integers(64))) // 8
            vector = memory[begin : begin + n]
            vector[...] = random.integers(0, q, n, dtype=np.uint64)
            self.vectors.append(vector)
        self.addresses = [vector.ctypes.data for vector in self.vectors]


def race(packages: dict[str, Package], call: int, name: str, bits: int, n: int, rounds: int) -> Cell:
    """Return the result for one function, width and size."""
    q = prime_of(bits, n)
    plans = {each: package.functions.calls_create(call, n, q) for each, package in packages.items()}
    functions = {each: package.functions for each, package in packages.items()}
    reads = next(iter(functions.values())).calls_reads(call)
    names = [*packages, *([MEMORY] if reads else [])]

    def block(which: str, buffers: Buffers, repeats: int) -> float:
        if which == MEMORY:
            return float(functions["ours"].streams_time(reads, n, *buffers.addresses, repeats)) / repeats
        return float(functions[which].calls_time(call, plans[which], *buffers.addresses, repeats)) / repeats

    samples: dict[str, list[tuple[float, float]]] = {each: [] for each in names}
    for placement in range(PLACEMENTS):
        buffers = Buffers(n, q, placement)
        repeats = {each: max(1, round(BLOCK / min(block(each, buffers, 1) for _ in range(5)))) for each in names}
        for turn in range(rounds):
            at = (placement * rounds + turn) % len(names)
            order = [*names[at:], *names[:at]]
            first = {each: block(each, buffers, repeats[each]) for each in order}
            second = {each: block(each, buffers, repeats[each]) for each in reversed(order)}
            for each in names:
                samples[each].append((first[each], second[each]))
    for each, plan in plans.items():
        functions[each].calls_free(plan)
    return judged(name, bits, n, samples)


def judged(name: str, bits: int, n: int, samples: dict[str, list[tuple[float, float]]]) -> Cell:
    """Return the ratios of samples, each of which has the two halves of a palindromic block."""
    ns = {each: 1e9 * median(sum(pair) / 2 for pair in pairs) for each, pairs in samples.items()}
    originals = [each for each in samples if each.startswith("HEXL") and not each.endswith("again")]
    best = min(originals, key=lambda each: ns[each])

    def ratios(of: str) -> list[float]:
        pairs = zip(samples[of], samples[best], strict=True)
        return [sum(a) / sum(b) for a, b in pairs if max(max(s) / min(s) for s in (a, b)) < 1 + UNEVEN]

    ours = ratios("ours")
    shown = {each: time for each, time in ns.items() if not each.endswith("again")}
    return Cell(name, bits, n, shown, interval(ours), interval(ratios(f"{best}, again")), len(ours))


def interval(samples: list[float]) -> Interval:
    """Return the median and the order statistics that enclose it with 99 % confidence (normal approximation)."""
    if len(samples) < 10:
        return (median(samples) if samples else float("nan"), 0.0, float("inf"))
    ranked, half = sorted(samples), 2.576 * len(samples) ** 0.5 / 2
    low, high = int(len(samples) / 2 - half), int(len(samples) / 2 + half) + 1
    return (median(ranked), ranked[max(low, 0)], ranked[min(high, len(ranked) - 1)])


def main() -> int:
    """Race all cells, print those that miss a bar and a summary for each function; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", type=Path, required=True, metavar="PREFIX", help="the installed replacement")
    parser.add_argument("--hexl", type=Path, required=True, action="append", metavar="PREFIX", help="an installed HEXL")
    parser.add_argument("--compiler", default="g++", help="compiles the calls (default: g++)")
    parser.add_argument("--bits", type=int, nargs="*", default=BITS, help="lengths of moduli")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES, help="elements or points")
    parser.add_argument("--call", action="append", help="only calls whose name contains this text")
    parser.add_argument("--rounds", type=int, default=4, help="blocks for each placement (default: 4)")
    parser.add_argument("--json", type=Path, help="write all cells here")
    given = parser.parse_args()
    cells = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        packages = {"ours": Package(given.ours, given.compiler, folder, "ours")}
        for at, prefix in enumerate(given.hexl):
            packages[f"HEXL {at}"] = Package(prefix, given.compiler, folder, f"hexl{at}")
            packages[f"HEXL {at}, again"] = Package(prefix, given.compiler, folder, f"again{at}")
        calls = [*enumerate(packages["ours"].names())]
        for (call, name), bits, n in product(calls, given.bits, given.sizes):
            if given.call and not any(each in name for each in given.call):
                continue
            cell = race(packages, call, name, bits, n, given.rounds)
            cells.append(cell)
            if faults := cell.faults():
                low, high = cell.ratio[1:]
                print(f"{name}, {bits} bits, n = {n}: {cell.ratio[0]:.3f} ({low:.3f}–{high:.3f}), control "
                      f"{cell.control[0]:.3f} ({cell.control[1]:.3f}–{cell.control[2]:.3f}): {', '.join(faults)}  "
                      + ", ".join(f"{k} {v:.0f}" for k, v in cell.ns.items()), flush=True)  # fmt: skip
    if given.json:
        given.json.write_text(json.dumps([asdict(cell) for cell in cells]), encoding="utf-8")
    for name in dict.fromkeys(cell.name for cell in cells):
        of = [cell for cell in cells if cell.name == name]
        ratios, missed = sorted(cell.ratio[0] for cell in of), sum(bool(cell.faults()) for cell in of)
        print(f"{name}: {ratios[0]:.2f} to {ratios[-1]:.2f}, median {median(ratios):.2f}; {missed} of {len(of)} missed")
    return int(any(cell.faults() for cell in cells))


if __name__ == "__main__":
    sys.exit(main())
