"""Count the machine code of GPU kernels on RNS rows, and write the tables of docs/reference/cuda-counts.md.

``python scripts/count_cuda_rows.py`` compiles conversions of 12 to 28 moduli, divisions of 40 moduli by the last 12 and
of 13 moduli by the last one, and inner products of key switching for sm_90, and counts the instructions per result or
per digit. It needs NVRTC and nvdisasm, but no GPU; ``--write`` writes the tables to the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from page_table import print_or_write

from momagen.cuda.counted import CountedRows, count_rows
from momagen.cuda.devices import load_gpu
from momagen.cuda.floor import gpu_floor
from momagen.kernels.rns.choice import format_of
from momagen.kinds.modular.typed import DivisionMethod
from momagen.kinds.rns.basis import RowsSpec
from momagen.kinds.rns.conversion import ConversionSpec
from momagen.kinds.rns.keyswitch import KeySwitchSpec
from momagen.kinds.rns.moddown import ModDownSpec
from momagen.kinds.rns.rescale import RescaleSpec
from momagen.params import prime_basis
from momagen.targets import load_target

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "cuda-counts.md"
SOURCES, GOALS = 12, 28
TARGET, ARCHITECTURE, GPU = "cuda", "sm_90", "h100-sxm"
BITS = (28, 31, 50, 60, 62)
METHODS = get_args(DivisionMethod)
KERNELS = (*METHODS, *(f"moddown {method}" for method in METHODS), "rescale")
ROWS = [(kernel, bits) for kernel in KERNELS for bits in BITS]
OUTPUTS = 2
SUMS = [(bits, factor) for bits in BITS for factor in (1, 4)]
"""The rows of key switching: lengths of moduli, and the multiples of a modulus below which digits are."""


def spec_of(kernel: str, bits: int) -> RowsSpec:
    """Return the specification of a conversion by its method, or of a division."""
    primes = tuple(prime_basis(SOURCES + GOALS, bits, 1))
    if kernel == "rescale":
        return RescaleSpec(primes[: SOURCES + 1], load_target(TARGET))
    method: DivisionMethod = kernel.split()[-1]  # type: ignore[assignment]  # one of METHODS
    if kernel not in METHODS:
        return ModDownSpec(primes, load_target(TARGET), SOURCES, method)
    moduli, goals = primes[:SOURCES], primes[SOURCES:]
    return ConversionSpec(moduli, goals, load_target(TARGET), method)


def products(bits: int) -> int:
    """Return the products of 32 × 32 bits that one product of a factor by a constant consists of."""
    form = format_of(load_target(TARGET).rows_target, bits)
    return form.parts * form.limbs


def counted(kernel: str, bits: int) -> CountedRows:
    """Return what a kernel consists of."""
    return count_rows(spec_of(kernel, bits), ARCHITECTURE)


def row_of(kernel: str, bits: int) -> list[str]:
    """Return the cells of a row of the table."""
    found = counted(kernel, bits)
    goals = SOURCES if kernel == "rescale" else GOALS
    classes, columns = found.row.classes, found.columns
    wide, loads = classes["wide multiply"] / columns, classes["global load"] / columns
    floor = gpu_floor(classes, load_gpu(GPU)).picoseconds / columns
    each = [f"{found.per_result(goals):.1f}", f"{wide:.1f}", f"{loads:.1f}", f"{floor:.2f}"]
    return [kernel, *map(str, (bits, columns, found.registers, found.spilled)), *each]


def switching(bits: int, factor: int) -> tuple[CountedRows, int]:
    """Return what the inner product of key switching consists of, and the number of digits of one run of its loop."""
    primes = tuple(prime_basis(SOURCES, bits, 1))
    found = count_rows(KeySwitchSpec(primes, load_target(TARGET), OUTPUTS, factor), ARCHITECTURE)
    return found, found.row.classes["global load"] // (1 + OUTPUTS)


def row_of_switching(bits: int, factor: int) -> list[str]:
    """Return the cells of a row of the table of key switching."""
    found, digits = switching(bits, factor)
    classes = found.row.classes
    floor = gpu_floor(classes, load_gpu(GPU)).picoseconds / digits
    each = [found.row.total, classes["wide multiply"], classes["global load"]]
    shown = [f"{number / digits:.1f}" for number in each]
    below = f"{factor}q" if factor > 1 else "q"
    sizes = map(str, (bits, below, digits, found.registers, found.spilled))
    return ["keyswitch", *sizes, *shown, str(found.once), f"{floor:.2f}"]


def switching_table() -> Iterator[str]:
    """Yield the lines of the table of key switching."""
    yield "| kernel | bits | digits below | of a run | regs | spill | per digit: all | wide | loads | rest | ps |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    for bits, factor in SUMS:
        yield f"| {' | '.join(row_of_switching(bits, factor))} |"


def table() -> Iterator[str]:
    """Yield the lines of the table of conversions and divisions."""
    yield "| kernel | bits | columns | regs | spill | per result: all | wide | loads | ps |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for kernel, bits in ROWS:
        yield f"| {' | '.join(row_of(kernel, bits))} |"


if __name__ == "__main__":
    print_or_write({"conversions": table(), "key switching": switching_table()}, PAGE, __doc__)
