"""The instructions of a butterfly in machine code for the H100: of momagen's kernels, and of the paper's public ones.

The paper's kernels are generated CUDA files in the repository of its artefact. They are read from a clone whose path is
in ``$MOMA_ROOT``. In them, the body of a loop is one butterfly, with its loads and stores.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from momagen.cuda.counted import POINTS, count_butterfly
from momagen.cuda.devices import load_gpu
from momagen.cuda.floor import gpu_floor
from momagen.cuda.nvrtc import compile_cuda
from momagen.cuda.sass.counts import instructions_of, parts_of_lines
from momagen.cuda.sass.listing import disassemble
from momagen.errors import build_error
from momagen.kinds.modular.make_spec import make_spec
from momagen.papers.series import ResultSeries
from momagen.screen.progress import Report

EXHIBIT = "instructions"
ROOT = "MOMA_ROOT"
"""The environment variable with the path of a clone of https://github.com/Naifeng/moma."""
FOLDER = "cuda/cuda-test/ntt_code"
ARCH, GPU = "sm_90", "h100-sxm"
BITS = (124, 252, 380, 764)
WORDS64 = ("momagen, 64-bit words, schoolbook", "momagen, 64-bit words, Karatsuba")
THEIRS = ("MoMA's artefact, schoolbook", "MoMA's artefact, Karatsuba")
PLAIN, KARATSUBA = ("cuda_words64", "schoolbook", "montgomery"), ("cuda_words64", "karatsuba", "montgomery")
OWN = {
    "momagen": [("cuda_sm90", "schoolbook", "")] * 4,
    WORDS64[0]: [PLAIN] * 4,
    WORDS64[1]: [("cuda_words64", "karatsuba_words", "montgomery"), *[KARATSUBA] * 3],
}
"""By series and bits, the target, the product and the reduction: momagen's usual kernels, and kernels like the paper's.

Karatsuba's method applies to whole products, of which Montgomery's reduction has one in a butterfly. At 124 bits its
halves are words. The usual kernels reduce by Shoup's method, which needs no whole product.
"""
FILES = {
    THEIRS[0]: {bits: f"ntt16384x{bits}_h100.cu" for bits in BITS},
    THEIRS[1]: {252: "ntt1024x252_h100.cu"},
}
"""By series and bits, files of the artefact; only one of its files has products by Karatsuba's method."""
TYPES = "typedef unsigned long uint64_t; typedef unsigned __int128 uint128_t;\n"
HEADER = re.compile(r"#include <stdint.h>|typedef unsigned __int128 uint128_t;")
KERNEL = re.compile(r"(?=__global__ void)")
WIDE = ("wide multiply", "high multiply")
"""The classes of products of 32 × 32 bits of which the high word is needed."""
UNITS = ("instructions per butterfly", "wide products per butterfly", "lower bound in ps per butterfly")
GAIN = "time of schoolbook over time of Karatsuba"


@dataclass(frozen=True)
class ButterflyCount:
    """The arithmetic instructions of a butterfly: all, wide products, and the fewest picoseconds on an H100."""

    total: int
    wide: int
    picoseconds: float


Counts = Mapping[int, ButterflyCount]
"""Counts by bits of the modulus."""


def count(progress: Report) -> list[ResultSeries]:
    """Count the instructions of a butterfly; those of the artefact only if ``$MOMA_ROOT`` names a clone of it.

    Raises:
        MomagenError: NVRTC or nvdisasm is missing, or the clone is not complete.
    """
    found = {}
    for at, (name, ways) in enumerate(OWN.items()):
        progress(at / len(OWN), name)
        found[name] = {bits: _own(bits, *way) for bits, way in zip(BITS, ways, strict=True)}
    if root := os.environ.get(ROOT):
        folder = Path(root).expanduser() / FOLDER
        for name, files in FILES.items():
            found[name] = {bits: _theirs(folder / file) for bits, file in files.items()}
    return [*_karatsuba(found), *(series for name, counts in found.items() for series in _series(name, counts))]


def _series(name: str, counts: Counts) -> Iterator[ResultSeries]:
    columns = [[str(bits) for bits in counts]] * 3
    values = zip(*((each.total, each.wide, each.picoseconds) for each in counts.values()), strict=True)
    for unit, at, numbers in zip(UNITS, columns, values, strict=True):
        what = name if unit == UNITS[0] else f"{name}: {unit.removesuffix(' per butterfly')}"
        yield ResultSeries(what, unit, dict(zip(at, numbers, strict=True)), EXHIBIT, "")


def _karatsuba(found: Mapping[str, Counts]) -> Iterator[ResultSeries]:
    """Yield the lower bounds with schoolbook products over those with Karatsuba's."""
    for name, (plain, other) in {"momagen, count for H100": WORDS64, "MoMA's artefact, count for H100": THEIRS}.items():
        if other in found:
            counts = {bits: (found[plain][bits], each) for bits, each in found[other].items()}
            points = {str(bits + 4): one.picoseconds / two.picoseconds for bits, (one, two) in counts.items()}
            yield ResultSeries(name, GAIN, {at: float(f"{value:.3g}") for at, value in points.items()}, "figure-5b", "")


def _own(bits: int, target: str, multiply: str, reduction: str) -> ButterflyCount:
    options = {"multiply": multiply, **({"reduction": reduction} if reduction else {})}
    spec = make_spec("ntt", n=POINTS, target=target, options=options, bits=-(-bits // 32) * 32, modulus_bits=bits)
    return _counted(count_butterfly(spec, ARCH).classes)


def _theirs(path: Path) -> ButterflyCount:
    """Return the count of the second kernel of a file of the artefact; the first one has other loads.

    Raises:
        MomagenError: The file is missing.
    """
    if not path.is_file():
        raise build_error(f"the file {path} does not exist", f"${ROOT}", "git clone https://github.com/Naifeng/moma")
    text = HEADER.sub("", path.read_text(encoding="utf-8"))
    before, _, kernel, *_ = KERNEL.split(text)
    source = f'{TYPES}{before}extern "C" {kernel}'
    (function,) = disassemble(compile_cuda(source, ARCH, name=path.name, options=("-default-device",)).cubin).values()
    body = max(function.innermost or [function.lines], key=len)
    return _counted(instructions_of(parts_of_lines(body).arithmetic).classes)


def _counted(classes: Mapping[str, int]) -> ButterflyCount:
    floor = gpu_floor(classes, load_gpu(GPU)).picoseconds
    return ButterflyCount(sum(classes.values()), sum(classes.get(name, 0) for name in WIDE), round(floor, 2))
