"""Count the machine code of conversions between RNS bases for GPUs, and keep the table of docs/cuda-counts.md.

``python scripts/count_cuda_rows.py`` compiles conversions of 12 to 28 moduli and divisions by the last of 13 moduli for
sm_90, and counts the instructions per result. It needs NVRTC and nvdisasm, but no GPU; ``--write`` writes the table to
the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from page_table import print_or_write

from momagen.cuda.counted import CountedRows, count_rows
from momagen.cuda.devices import load_gpu
from momagen.cuda.floor import gpu_floor
from momagen.kernels.matrices.rows import RescaleSpec, RowsSpec
from momagen.kernels.matrices.spec import ConversionSpec
from momagen.kernels.rns.choice import format_of
from momagen.params import prime_basis
from momagen.targets import load_target

PAGE = Path(__file__).parents[1] / "docs" / "cuda-counts.md"
SOURCES, GOALS = 12, 28
TARGET, ARCHITECTURE, GPU = "cuda", "sm_90", "h100-sxm"
BITS = (28, 31, 50, 60, 62)
KERNELS = ("fast", "corrected", "exact", "rescale")
ROWS = [(kernel, bits) for kernel in KERNELS for bits in BITS]


def spec_of(kernel: str, bits: int) -> RowsSpec:
    """Return the specification of a conversion by its method, or of a division."""
    primes = prime_basis(SOURCES + GOALS, bits, 1)
    if kernel == "rescale":
        return RescaleSpec(tuple(primes[: SOURCES + 1]), TARGET)
    moduli, goals = tuple(primes[:SOURCES]), tuple(primes[SOURCES:])
    return ConversionSpec(moduli, goals, TARGET, kernel)


def products(bits: int) -> int:
    """Return the products of 32 × 32 bits that one product of a factor by a constant consists of."""
    form = format_of(load_target(load_target(TARGET).rows), bits)
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


def table() -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| kernel | bits | columns | regs | spill | per result: all | wide | loads | ps |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for kernel, bits in ROWS:
        yield f"| {' | '.join(row_of(kernel, bits))} |"


if __name__ == "__main__":
    print_or_write(table(), PAGE, "conversions", __doc__)
