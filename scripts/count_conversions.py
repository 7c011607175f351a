"""Count the vector instructions of conversions between RNS bases, and keep the tables of docs/performance.md.

``python scripts/count_conversions.py`` compiles conversions of 12 to 28 moduli and counts the uops that the ports for
vectors execute per vector of results: in the loop over sources, in what reduces a sum, and in what makes factors. A
redundant modulus is a thirteenth source. It needs gcc or clang and objdump, but no CPU with the instructions;
``--write`` writes the tables to the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from machine_loops import compiled, copies, loops, vector_uops
from page_table import print_or_write

import momagen as mg
from momagen.build import Compiler, find_compiler
from momagen.kernels.rns.choice import format_of
from momagen.kernels.rns.methods import AUXILIARY, SHENOY_KUMARESAN
from momagen.kernels.spec.typed import ConversionMethod
from momagen.lower.rns.groups import TURNS
from momagen.targets import load_target

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
SOURCES, GOALS = 12, 28
METHODS: tuple[ConversionMethod, ...] = ("corrected", *AUXILIARY)
"""The methods that subtract a multiple of Q after one sum or quotient for it."""
ROWS = {
    ("avx2", 28): (2, 8, 6), ("avx512", 28): (2, 8, 6), ("avx512ifma", 28): (2, 8, 6),
    ("avx512ifma", 50): (2, 9, 6), ("avx2", 50): (5, 14, 8), ("avx512", 50): (5, 14, 8),
    ("avx512ifma", 60): (6, 16, 9), ("avx2", 60): (8, 25, 12), ("avx512", 60): (8, 25, 12),
}  # fmt: skip
"""By target and width, estimates by hand: uops of a product, of a reduction, and of a factor."""


def counted(target: str, bits: int, compiler: Compiler | None, method: ConversionMethod = "fast") -> float:
    """Return the uops per vector of results."""
    auxiliary, sources = method in AUXILIARY, SOURCES + (method == SHENOY_KUMARESAN)
    made = mg.convert(sources, to=GOALS, modulus_bits=bits, target=target, method=method)
    functions, form = compiled(made.generated, compiler), format_of(load_target(target), bits)

    def uops(name: str, copy: int = 0) -> list[int]:
        """Return the uops of the loops of a function, the innermost loop first."""
        return [*map(vector_uops, loops(copies(functions, name)[copy]))]

    def of_sum(terms: int) -> int:
        product, fold, *others = uops("sum_products", -1)
        folds = 1 - (-max(0, terms - form.most_at_first) // form.most)
        return terms * product + folds * (fold - product) + (others[-1] if others else fold) - fold

    factors = sources * uops("share")[-1]
    if method == "corrected":
        product, whole = uops("estimate", -1)
        factors += SOURCES * product + whole - product
    if auxiliary:
        factors += of_sum(sources) + (uops("centre" if form.real else "split")[-1] if form.splits else 0)
    return (of_sum(SOURCES + (method != "fast")) + factors / GOALS) / TURNS


def table() -> Iterator[str]:
    """Yield the lines of the table of estimates."""
    compiler = find_compiler()
    yield f"| target | bits | estimate | counted ({compiler}) | counted / estimate |"
    yield "|---|---|---|---|---|"
    for (target, bits), (product, reduction, factor) in ROWS.items():
        wanted = SOURCES * product + reduction + factor * SOURCES / GOALS
        found = counted(target, bits, compiler)
        yield f"| `{target}` | {bits} | {wanted:.1f} | {found:.1f} | {found / wanted:.2f} |"


def table_of_methods() -> Iterator[str]:
    """Yield the lines of the table of methods."""
    compiler = find_compiler()
    yield f"| target | bits | `fast` | {' | '.join(f'`{method}` / `fast`' for method in METHODS)} |"
    yield "|---|---|---|" + "---|" * len(METHODS)
    for target, bits in ROWS:
        fast = counted(target, bits, compiler)
        ratios = (f"{counted(target, bits, compiler, method) / fast:.2f}" for method in METHODS)
        yield f"| `{target}` | {bits} | {fast:.1f} | {' | '.join(ratios)} |"


if __name__ == "__main__":
    print_or_write(table(), PAGE, "conversions", __doc__)
    print_or_write(table_of_methods(), PAGE, "conversion methods", __doc__)
