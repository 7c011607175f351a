"""Count the machine code of kernels for GPUs, without a GPU, and keep the table docs/reference/cuda-counts.md.

    python scripts/count_cuda.py            print the table
    python scripts/count_cuda.py --write    write it to the page (some minutes)
    python scripts/count_cuda.py --bits 124 those rows alone
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from momagen.cuda.counted import CountedKernel, count_butterfly, count_passes, counted_spec
from momagen.cuda.devices import load_gpu
from momagen.cuda.floor import gpu_floor
from momagen.cuda.library import nvrtc

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "cuda-counts.md"
BITS = (31, 60, 64, 124, 252, 254, 381, 508, 753, 1020)
ARCHITECTURES = ("sm_80", "sm_90", "sm_100")
ROWS = [(bits, baked) for bits in BITS for baked in (False, True) if baked or bits != 64]
"""Of butterflies: that of 64 bits always has its modulus in the code."""
GPUS = {"sm_80": "a100-sxm", "sm_90": "h100-sxm", "sm_100": "b200"}
WIDE = ("wide multiply", "high multiply")
BUTTERFLIES, PASSES = "<!-- butterflies -->", "<!-- passes -->"
COUNTED = "Counted with "


def butterfly_row(bits: int, baked: bool) -> str:
    """A row of the first table: per architecture arithmetic, of it wide products, registers, spills, and the floor."""
    found = {arch: count_butterfly(counted_spec(bits, baked=baked), arch) for arch in ARCHITECTURES}
    cells = [cell for arch, each in found.items() for cell in _cells(each, arch)]
    return _row([str(bits), "code" if baked else "memory", *cells])


def _cells(each: CountedKernel, arch: str) -> list[str]:
    wide = sum(each.classes.get(name, 0) for name in WIDE)
    floor = gpu_floor(each.classes, load_gpu(GPUS[arch]))
    return [str(each.arithmetic), str(wide), str(each.registers), str(each.spilled), f"{floor.picoseconds:.2f}"]


def pass_rows(bits: int) -> Iterator[str]:
    """Rows of the second table: the launches of 2^16 points, per architecture."""
    found = []
    for arch in ARCHITECTURES:
        spec = counted_spec(bits, target=f"cuda_{arch.replace('_', '')}")
        kernels = count_passes(spec, arch)
        worst = max(kernels, key=lambda each: each.registers)
        total = sum(each.instructions for each in kernels)
        found += [str(len(kernels)), str(worst.registers), str(sum(each.spilled for each in kernels)), f"{total:,}"]
    yield _row([str(bits), *found])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def butterflies(bits: Sequence[int]) -> list[str]:
    """The rows of the first table."""
    return [butterfly_row(each, baked) for each, baked in ROWS if each in bits]


def passes(bits: Sequence[int]) -> list[str]:
    """The rows of the second table."""
    return [row for each in bits for row in pass_rows(each)]


def page(text: str, rows: Sequence[str], more: Sequence[str]) -> str:
    """The page ``text`` with other rows, and the version of the compiler that they were counted with."""
    for mark, new in ((BUTTERFLIES, rows), (PASSES, more)):
        head, rest = text.split(mark)
        table, _, tail = rest.partition("\n\n")
        lines = table.strip("\n").splitlines()[:2]
        text = "\n".join([f"{head}{mark}", *lines, *new]) + "\n\n" + tail
    return "\n".join(f"{COUNTED}{nvrtc()}." if line.startswith(COUNTED) else line for line in text.split("\n"))


def main() -> None:
    parser = argparse.ArgumentParser(description="count the machine code of kernels for GPUs")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    parser.add_argument("--bits", type=int, nargs="*", default=BITS, help="widths of moduli (default: all)")
    given = parser.parse_args()
    rows, more = butterflies(given.bits), passes(given.bits)
    print("\n".join([*rows, "", *more]))
    if given.write:
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), rows, more), encoding="utf-8")


if __name__ == "__main__":
    main()
