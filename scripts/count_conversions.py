"""Count the vector instructions of conversions between RNS bases, and keep the table of docs/performance.md.

``python scripts/count_conversions.py`` compiles conversions of 12 to 28 moduli and counts the uops that the ports for
vectors execute per vector of results: in the loop over sources, in what reduces a sum, and in what makes factors. It
needs gcc or clang and objdump, but no CPU with the instructions; ``--write`` writes the table to the page.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from page_table import print_or_write

import momagen as mg
from momagen.bench.x86.assembly import MachineFunction, disassemble, parse
from momagen.bench.x86.uops import VECTORS, uses
from momagen.build import Compiler, compile_shared, find_compiler
from momagen.kernels.rns.choice import format_of
from momagen.kernels.rns.format import SumFormat
from momagen.lower.rns.groups import TURNS
from momagen.targets import load_target

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
SOURCES, GOALS = 12, 28
ELSEWHERE = ("vector load", "vector store")
"""Classes that other ports execute."""
ROWS = {
    ("avx2", 28): (2, 8, 6), ("avx512", 28): (2, 8, 6), ("avx512ifma", 28): (2, 8, 6),
    ("avx512ifma", 50): (2, 9, 6), ("avx2", 50): (5, 14, 8), ("avx512", 50): (5, 14, 8),
    ("avx512ifma", 60): (6, 16, 9), ("avx2", 60): (8, 25, 12), ("avx512", 60): (8, 25, 12),
}  # fmt: skip
"""By target and width, estimates by hand: uops of a product, of a reduction, and of a factor."""


def counted(target: str, bits: int, compiler: Compiler | None) -> float:
    """Return the uops per vector of results."""
    made = mg.convert(SOURCES, to=GOALS, modulus_bits=bits, target=target, method="fast")
    loaded = load_target(target)
    flags = ["-std=c99", *loaded.flags]
    path = compile_shared(
        made.source, name=made.name, flags=flags, includes={f"{made.name}.h": made.header}, compiler=compiler
    )
    functions, form = parse(disassemble(path)), format_of(loaded, bits)
    sums, factors = loops(copies(functions, "sum_products")[-1]), loops(copies(functions, "share")[0])
    product, fold, rest = sums[0], sums[1] - sums[0], sums[-1] - sums[1]
    return (SOURCES * product + folds(form) * fold + rest + factors[-1] * SOURCES / GOALS) / TURNS


def copies(functions: dict[str, MachineFunction], name: str) -> list[MachineFunction]:
    """Return a function as compiled: the shortest copy for one group of columns, the longest copy for many groups."""
    found = (function for key, function in functions.items() if key.split(".")[0] == name)
    return sorted(found, key=lambda function: len(function.lines))


def folds(form: SumFormat) -> int:
    """Return how often a sum of all sources is folded."""
    return 1 - (-max(0, SOURCES - form.most_at_first) // form.most)


def loops(function: MachineFunction) -> list[int]:
    """Return the uops in each loop of a function, the innermost loop first, or those of a function without loops."""
    back = [jump for jump in function.jumps if jump.conditional and jump.target <= jump.address]
    by_start = {jump.target: jump.address for jump in sorted(back, key=lambda jump: jump.address)}
    spans = sorted(by_start.items(), key=lambda span: span[1] - span[0])
    return [sum(map(vector_uops, within(function, *span))) for span in spans or [(0, sys.maxsize)]]


def within(function: MachineFunction, first: int, last: int) -> Iterator[str]:
    """Yield the instructions from one address to another."""
    for line in function.lines:
        address, _, text = line.partition(":")
        if text and first <= int(address, 16) <= last:
            yield text.strip()


def vector_uops(text: str) -> int:
    """Return the uops of an instruction on ports for vectors."""
    return sum(width in VECTORS and name not in ELSEWHERE for name, width in uses(text))


def table() -> Iterator[str]:
    """Yield the lines of the table."""
    compiler = find_compiler()
    yield f"| target | bits | estimate | counted ({compiler}) | counted / estimate |"
    yield "|---|---|---|---|---|"
    for (target, bits), (product, reduction, factor) in ROWS.items():
        wanted = SOURCES * product + reduction + factor * SOURCES / GOALS
        found = counted(target, bits, compiler)
        yield f"| `{target}` | {bits} | {wanted:.1f} | {found:.1f} | {found / wanted:.2f} |"


if __name__ == "__main__":
    print_or_write(table(), PAGE, "conversions", __doc__)
