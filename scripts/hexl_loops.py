"""The uops of Intel HEXL's own AVX-512 loops for moduli of 51 to 62 bits, as compiled by g++."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Callable
from math import log2
from pathlib import Path
from tempfile import TemporaryDirectory

from machine_loops import innermost

from momagen.bench.x86.assembly import MachineFunction, disassemble, parse
from momagen.bench.x86.uops import Use

SOURCE = Path(__file__).with_suffix(".cpp")
FLAGS = ["-std=c++17", "-O3", "-march=sapphirerapids", "-fPIC", "-shared", "-fno-semantic-interposition",
         "-DHEXL_HAS_AVX512DQ", "-DHEXL_HAS_AVX512IFMA", "-DHEXL_HAS_AVX512VBMI2"]  # fmt: skip
DEFINES = "#define HEXL_USE_GNU\n#define HEXL_UNUSED(x) (void)(x)\n"
"""The header that HEXL's build writes."""
STORE = ("vector store", "zmm")
LAST = "InverseTransformFromBitReverseAVX512ILi64E"
"""A part of the name of the function whose costliest loop is the last level of an inverse transform."""
Uops = Callable[[Counter[Use]], float]


class HexlLoops:
    """The loops of one checkout of HEXL."""

    def __init__(self, checkout: Path, uops: Uops) -> None:
        """Compile the loops of ``checkout``; ``uops`` returns the number of uops that are counted among uses."""
        self.uops, self.functions = uops, compiled(checkout)

    def of(self, name: str) -> float:
        """Return the uops per stored vector in the longest loop of a function."""
        return max(self._loops(self.functions[name]))[1]

    def forward(self, points: int) -> float:
        """Return the uops per vector of butterflies of a forward transform, from residues below 4q to residues below q.

        Two vectors of residues are stored per vector of butterflies, and reduced at the end.
        """
        far, others = 2 * self.of("forward_8"), (2 * self.of(f"forward_{distance}") for distance in (4, 2, 1))
        levels = log2(points)
        return ((levels - 3) * far + sum(others) + 2 * self.of("reduce_4")) / levels

    def inverse(self, points: int) -> float:
        """Return the uops per vector of butterflies of an inverse transform to residues below q, whose last level also
        multiplies by 1/n."""
        (function,) = (found for name, found in self.functions.items() if LAST in name and len(found.lines) > LONG)
        last = max(each for _, each in self._loops(function))
        far, others = 2 * self.of("inverse_8"), (2 * self.of(f"inverse_{distance}") for distance in (4, 2, 1))
        levels = log2(points)
        return ((levels - 4) * far + sum(others) + 2 * last) / levels

    def _loops(self, function: MachineFunction) -> list[tuple[int, float]]:
        """The stores of vectors of each loop without one inside, and its uops per store."""
        found = [each for each in innermost(function) if each[STORE]]
        return [(each[STORE], self.uops(each) / each[STORE]) for each in found]


LONG = 100
"""Lines of a function that is no entry of the table of linked functions."""


def compiled(checkout: Path) -> dict[str, MachineFunction]:
    """Return the functions of ``hexl_loops.cpp`` and of HEXL's sources that it includes, by name."""
    with TemporaryDirectory() as folder:
        header, library = Path(folder) / "hexl/util/defines.hpp", Path(folder) / "loops.so"
        header.parent.mkdir(parents=True)
        header.write_text(DEFINES, encoding="utf-8")
        include = [f"-I{each}" for each in (folder, checkout / "hexl", checkout / "hexl/include")]
        subprocess.run(["g++", *FLAGS, *include, str(SOURCE), "-o", str(library)], check=True)
        return parse(disassemble(library))
