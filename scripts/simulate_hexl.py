"""Simulate the loops of forward transforms of 50 bits beside HEXL's, and keep a table of docs/guides/hexl.md.

``python scripts/simulate_hexl.py --hexl FOLDER`` compiles the loops of both, simulates each with llvm-mca (LLVM 14 or
newer) and adds them up by the levels of transforms that they do. ``--write`` writes the table to the page. It needs a
checkout of HEXL 1.2.5, gcc and objdump, but no CPU with IFMA.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from count_hexl import PAGE, TARGET
from hexl_loops import STORE
from hexl_loops import compiled as compiled_hexl
from machine_loops import compiled, innermost_bodies
from page_table import arguments, deliver
from simulated_loops import floor, simulated

from momagen.bench.x86.assembly import MachineFunction
from momagen.bench.x86.uops import uses
from momagen.emit import generate
from momagen.kinds.modular.make_spec import make_spec
from momagen.runtime import find_compiler

BITS, SIZES = 50, (1024, 2048, 4096, 8192)
RADICES = {1: 1, 4: 2, 12: 3, 32: 4}
"""Levels of a step by its butterflies, in vectors."""
ROWS, COLUMNS = 6, 8
"""The last levels, which go together, and the vectors of a block of them."""
Cycles = Callable[[Sequence[str]], float]


def ours(points: int, cycles: Cycles) -> float:
    """Return the cycles per vector of butterflies of our transform."""
    options = {"input_factor": "4"}
    spec = make_spec("ntt", target=TARGET, modulus_bits=BITS, n=points, negacyclic=True, options=options)
    functions = compiled(generate(spec), find_compiler())
    levels, total = points.bit_length() - 1, 0.0
    left = levels
    for body in loops_of(functions, "step_"):  # each of which the compiler copies for every place that calls it
        butterflies = products(body) // 3
        left -= RADICES[butterflies]
        total += RADICES[butterflies] * cycles(body) / butterflies
    (rows,) = loops_of(functions, "rows")
    assert left == ROWS, f"{left} levels are left for the loop over rows"
    blocks = round(products(rows) / (3 * ROWS * COLUMNS / 2))  # that one iteration interleaves
    return (total + cycles(rows) / (blocks * COLUMNS / 2)) / levels


def products(body: Sequence[str]) -> int:
    """Return the number of multiply-adds of a loop."""
    return sum(use == ("multiply", "zmm") for text in body for use in uses(text))


def loops_of(functions: dict[str, MachineFunction], begin: str) -> list[list[str]]:
    """Return the longest loop without one within it of every function whose name begins so."""
    found = (function for name, function in functions.items() if name.startswith(begin))
    return [max(innermost_bodies(function), key=len) for function in found]


def theirs(points: int, functions: dict[str, MachineFunction], cycles: Cycles) -> float:
    """Return the cycles per vector of butterflies of HEXL's transform with its reduction to residues below q."""

    def per_butterfly(name: str) -> float:
        body = max(innermost_bodies(functions[name]), key=len)
        return 2 * cycles(body) / sum(use == STORE for text in body for use in uses(text))

    levels = points.bit_length() - 1
    ends = ("forward_52_4", "forward_52_2", "forward_52_1", "reduce_4")
    return ((levels - 3) * per_butterfly("forward_52_8") + sum(map(per_butterfly, ends))) / levels


def table(checkout: Path) -> Iterator[str]:
    """Yield the lines of the table."""
    functions = compiled_hexl(checkout)
    yield "| n | HEXL, floor | HEXL, simulated | ours, floor | ours, simulated | ours / HEXL, simulated |"
    yield "|---|---|---|---|---|---|"
    for points in SIZES:
        least, hexl = (theirs(points, functions, cycles) for cycles in (floor, simulated))
        lowest, own = (ours(points, cycles) for cycles in (floor, simulated))
        yield f"| {points} | {least:.2f} | {hexl:.2f} | {lowest:.2f} | {own:.2f} | {own / hexl:.2f} |"


if __name__ == "__main__":
    parser = arguments(__doc__, PAGE)
    parser.add_argument("--hexl", type=Path, metavar="FOLDER", required=True, help="a checkout of HEXL")
    given = parser.parse_args()
    deliver({"simulation beside HEXL": table(given.hexl)}, PAGE, given.write)
