"""Simulate the loops of key switching and of division by the last modulus on a core with AVX-512 and IFMA.

``python scripts/simulate_rns.py`` compiles the kernels, simulates their loops with llvm-mca (LLVM 14 or newer) on its
model of Ice Lake, and compares the cycles with the port floor of the same loops. ``--write`` writes the table to
docs/reference/performance.md. It needs gcc and objdump, but no CPU with AVX-512.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from machine_loops import compiled, compiled_as_loops, copies, innermost_bodies, repeated, without_folds
from page_table import print_or_write
from simulated_loops import floor, simulated

import momagen as mg
from momagen.kinds.rns.terms import class_of
from momagen.lower.rns.groups import TURNS
from momagen.lower.rns.inner_products import UNROLLED
from momagen.lower.rns.kernels import inner_products_of
from momagen.lower.writer import ProgramWriter
from momagen.runtime import find_compiler
from momagen.targets import load_target

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "performance.md"
DIGITS, OUTPUTS = 3, 2
ROWS = [(target, bits) for target in ("avx512ifma", "avx512") for bits in (28, 50, 60)]
Cycles = Callable[[Sequence[str]], float]


def key_switching(target: str, bits: int, cycles: Cycles) -> float:
    """Return the cycles for the product of one vector of digits and one vector of keys."""
    k = mg.keyswitch(1, modulus_bits=bits, target=target, outputs=OUTPUTS, digits=DIGITS)
    functions = compiled_as_loops(without_folds(k.generated), find_compiler(), UNROLLED)
    sums = repeated(copies(functions, "inner_products")[-1], DIGITS)
    group = inner_products_of(k.spec, ProgramWriter(class_of(k.spec))).group
    vectors = group / load_target(target).lanes
    return cycles(sums) / (vectors * DIGITS * OUTPUTS)


def division(target: str, bits: int, cycles: Cycles) -> float:
    """Return the cycles for one vector of residues that is divided by the last modulus."""
    k = mg.rescale(2, modulus_bits=bits, target=target)
    divide = copies(compiled(k.generated, find_compiler()), "divide")[-1]
    return cycles(innermost_bodies(divide)[-1]) / TURNS


def table() -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| kernel | target | bits | floor | simulated | simulated / floor |"
    yield "|---|---|---|---|---|---|"
    for name, kernel in (("key switching", key_switching), ("division", division)):
        for target, bits in ROWS:
            least, cycles = (kernel(target, bits, count) for count in (floor, simulated))
            yield f"| {name} | `{target}` | {bits} | {least:.2f} | {cycles:.2f} | {cycles / least:.2f} |"


if __name__ == "__main__":
    print_or_write({"simulated RNS kernels": table()}, PAGE, __doc__)
