"""Count the vector instructions of conversions between RNS bases, and keep the table of docs/performance.md.

``python scripts/count_conversions.py`` compiles conversions of 12 to 28 moduli and counts the uops that the ports for
vectors execute per vector of results: in the loop over sources, in what reduces a sum, and in what makes factors. It
needs gcc or clang and objdump, but no CPU with the instructions; ``--write`` writes the table to the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from machine_loops import compiled, copies, loops, vector_uops
from page_table import print_or_write

import momagen as mg
from momagen.build import Compiler, find_compiler
from momagen.kernels.rns.choice import format_of
from momagen.kernels.rns.format import SumFormat
from momagen.lower.rns.groups import TURNS
from momagen.targets import load_target

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
SOURCES, GOALS = 12, 28
ROWS = {
    ("avx2", 28): (2, 8, 6), ("avx512", 28): (2, 8, 6), ("avx512ifma", 28): (2, 8, 6),
    ("avx512ifma", 50): (2, 9, 6), ("avx2", 50): (5, 14, 8), ("avx512", 50): (5, 14, 8),
    ("avx512ifma", 60): (6, 16, 9), ("avx2", 60): (8, 25, 12), ("avx512", 60): (8, 25, 12),
}  # fmt: skip
"""By target and width, estimates by hand: uops of a product, of a reduction, and of a factor."""


def counted(target: str, bits: int, compiler: Compiler | None) -> float:
    """Return the uops per vector of results."""
    made = mg.convert(SOURCES, to=GOALS, modulus_bits=bits, target=target, method="fast")
    functions, form = compiled(made.generated, compiler), format_of(load_target(target), bits)
    sums, factors = (
        [*map(vector_uops, loops(function))]
        for function in (copies(functions, "sum_products")[-1], copies(functions, "share")[0])
    )
    product, fold, rest = sums[0], sums[1] - sums[0], sums[-1] - sums[1]
    return (SOURCES * product + folds(form) * fold + rest + factors[-1] * SOURCES / GOALS) / TURNS


def folds(form: SumFormat) -> int:
    """Return how often a sum of all sources is folded."""
    return 1 - (-max(0, SOURCES - form.most_at_first) // form.most)


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
    print_or_write({"conversions": table()}, PAGE, __doc__)
