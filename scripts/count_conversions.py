"""Count the vector instructions of conversions between RNS bases, and keep the tables of docs/reference/performance.md.

``python scripts/count_conversions.py`` compiles conversions of 12 to 28 moduli and counts the uops that the ports for
vectors execute per vector of results: in the loop over sources, in what reduces a sum, and in what makes factors or
digits. A redundant modulus is a thirteenth source. It needs gcc or clang and objdump, but no CPU with the instructions;
``--write`` writes the tables to the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from machine_loops import compiled, copies, loops, vector_uops
from page_table import print_or_write

import momagen as mg
from momagen.bench.x86.assembly import MachineFunction
from momagen.kernels.rns.choice import format_of
from momagen.kernels.rns.format import SumFormat
from momagen.kernels.rns.methods import AUXILIARY, SHENOY_KUMARESAN
from momagen.kinds.modular.typed import ConversionMethod
from momagen.lower.rns.groups import TURNS
from momagen.runtime import Compiler, find_compiler
from momagen.targets import load_target

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "performance.md"
SOURCES, GOALS = 12, 28
ESTIMATED: tuple[ConversionMethod, ...] = ("fast", "exact")
"""The methods with an estimate."""
COMPARED: tuple[ConversionMethod, ...] = ("corrected", *AUXILIARY)
"""The methods that subtract a multiple of Q after one sum or quotient for it, which are compared with "fast"."""


class Estimate(NamedTuple):
    """Uops of one vector, estimated by hand.

    Attributes:
        product: of adding one product to a sum. reduction: of reducing a sum. factor: of a product modulo q.
        split: of making a factor of a residue in words.
    """

    product: int
    reduction: int
    factor: int
    split: int

    def of(self, method: ConversionMethod) -> float:
        """Return the uops per vector of results."""
        if method == "fast":
            return SOURCES * self.product + self.reduction + SOURCES * self.factor / GOALS
        digits = DIGITS * self.product + SOURCES * (self.reduction + 2 * self.split + COMPARISON) + self.split
        return (SOURCES + 1) * self.product + self.reduction + digits / GOALS


DIGITS, COMPARISON = SOURCES * (SOURCES + 1) // 2, 3
"""Products of all digits of a number; uops of comparing a digit: an addition, a comparison and a mask."""
ROWS = {
    ("avx2", 28): Estimate(2, 8, 6, 0), ("avx512", 28): Estimate(2, 8, 6, 0),
    ("avx512ifma", 28): Estimate(2, 8, 6, 0), ("avx512ifma", 50): Estimate(2, 9, 6, 0),
    ("avx2", 50): Estimate(5, 14, 8, 2), ("avx512", 50): Estimate(5, 14, 8, 2),
    ("avx512ifma", 60): Estimate(6, 16, 9, 2), ("avx2", 60): Estimate(8, 25, 12, 2),
    ("avx512", 60): Estimate(8, 25, 12, 2),
}  # fmt: skip
"""By target and width, estimates by hand."""


def counted(target: str, bits: int, method: ConversionMethod, compiler: Compiler | None) -> float:
    """Return the uops per vector of results."""
    auxiliary, sources = method in AUXILIARY, SOURCES + (method == SHENOY_KUMARESAN)
    made = mg.convert(sources, to=GOALS, modulus_bits=bits, target=target, method=method)
    functions, form = compiled(made.generated, compiler), format_of(load_target(target), bits)
    sums = [*map(vector_uops, loops(copies(functions, "sum_products")[-1]))]
    if method == "exact":
        split = of_loop(functions, "split") if form.splits else 0.0
        digits = sum(of_sum(sums, form, i + 1) + 2 * split + of_loop(functions, "exceeds") for i in range(SOURCES))
        return of_sum(sums, form, SOURCES + 1) + (digits + split) / GOALS
    factors = sources * of_loop(functions, "share")
    if method == "corrected":
        product, whole = map(vector_uops, loops(copies(functions, "estimate")[-1]))
        factors += ((SOURCES - 1) * product + whole) / TURNS
    if auxiliary:
        factors += of_sum(sums, form, sources)
        factors += of_loop(functions, "centre" if form.real else "split") if form.splits else 0.0
    return of_sum(sums, form, SOURCES + (method != "fast")) + factors / GOALS


def of_sum(found: list[int], form: SumFormat, terms: int) -> float:
    """Return the uops per vector of a sum of ``terms`` products, whose loops have the uops ``found``."""
    product, fold, rest = found[0], found[1] - found[0], found[-1] - found[1]
    return (terms * product + folds(form, terms) * fold + rest) / TURNS


def of_loop(functions: dict[str, MachineFunction], name: str) -> float:
    """Return the uops per vector of a function that is one loop over vectors."""
    return vector_uops(loops(copies(functions, name)[0])[-1]) / TURNS


def folds(form: SumFormat, terms: int) -> int:
    """Return how often a sum is folded."""
    return form.ends_folded - (-max(0, terms - form.most_at_first) // form.most)


def table() -> Iterator[str]:
    """Yield the lines of the table of estimates."""
    compiler = find_compiler()
    yield f"| target | bits | method | estimate | counted ({compiler}) | counted / estimate |"
    yield "|---|---|---|---|---|---|"
    for (target, bits), estimate in ROWS.items():
        for method in ESTIMATED:
            wanted, found = estimate.of(method), counted(target, bits, method, compiler)
            yield f"| `{target}` | {bits} | `{method}` | {wanted:.1f} | {found:.1f} | {found / wanted:.2f} |"


def table_of_methods() -> Iterator[str]:
    """Yield the lines of the table of methods."""
    compiler = find_compiler()
    yield f"| target | bits | `fast` | {' | '.join(f'`{method}` / `fast`' for method in COMPARED)} |"
    yield "|---|---|---|" + "---|" * len(COMPARED)
    for target, bits in ROWS:
        fast = counted(target, bits, "fast", compiler)
        ratios = (f"{counted(target, bits, method, compiler) / fast:.2f}" for method in COMPARED)
        yield f"| `{target}` | {bits} | {fast:.1f} | {' | '.join(ratios)} |"


if __name__ == "__main__":
    print_or_write({"conversions": table(), "conversion methods": table_of_methods()}, PAGE, __doc__)
