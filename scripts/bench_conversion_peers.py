"""Race conversions between RNS bases against SEAL: ``SEAL_ROOT=PREFIX python scripts/bench_conversion_peers.py``.

PREFIX is where SEAL is installed, built without Intel HEXL, GSL, zlib and Zstandard (``-DSEAL_USE_INTEL_HEXL=OFF
-DSEAL_USE_MSGSL=OFF -DSEAL_USE_ZLIB=OFF -DSEAL_USE_ZSTD=OFF``). The method "fast" converts 8,192 numbers from 12 to 28
moduli by turns with ``BaseConverter::fast_convert_array``; all residues must be equal. ``--write`` writes the table to
docs/performance.md.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from page_table import print_or_write

import momagen as mg
from momagen.build import find_compiler
from momagen.build.native import candidates
from momagen.errors import MomagenError
from momagen.targets import load_target

HERE = Path(__file__).parent
PAGE, HARNESS = HERE.parent / "docs" / "performance.md", HERE / "peers" / "seal_conversion.cpp"
SOURCES, GOALS, BITS = 12, 28, (28, 50, 60)


def installed() -> tuple[Path, Path]:
    """Return the folder of SEAL's headers and its static library."""
    root = Path(os.environ.get("SEAL_ROOT", ""))
    headers, libraries = sorted(root.glob("include/SEAL-*")), sorted(root.glob("lib*/libseal-*.a"))
    if not (os.environ.get("SEAL_ROOT") and headers and libraries):
        raise MomagenError("the prefix of an installed SEAL", os.environ.get("SEAL_ROOT") or "none", "SEAL_ROOT")
    return headers[-1], libraries[-1]


def raced(target: str, bits: int) -> list[str]:
    """Return what the harness prints."""
    headers, library = installed()
    k = mg.convert(SOURCES, to=GOALS, modulus_bits=bits, method="fast", target=target)
    flags = ["-O3", *load_target(target).flags]
    with tempfile.TemporaryDirectory() as name:
        folder = k.save(name)
        moduli = "".join(
            f"static const uint64_t {letter}[] = {{{', '.join(f'{q}u' for q in basis)}}};\n"
            for letter, basis in (("q", k.moduli), ("p", k.goals))
        )
        (folder / "moduli.h").write_text(moduli, encoding="utf-8")
        told = [f'-DHEADER="{k.name}.h"', f"-DNAME={k.name}", f"-I{folder}", f"-I{headers}"]
        subprocess.run([*find_compiler().command, "-std=c99", *flags, "-c", f"{k.name}.c"], cwd=folder, check=True)
        objects = [f"{k.name}.o", str(library), "-pthread"]
        subprocess.run(["g++", "-std=c++17", *flags, *told, HARNESS, *objects, "-o", "race"], cwd=folder, check=True)
        return subprocess.run(["./race"], cwd=folder, check=True, capture_output=True, text=True).stdout.split()


def table() -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| target | bits | SEAL | momagen | SEAL / momagen (quartiles) |"
    yield "|---|---|---|---|---|"
    for target in (each for each in ("avx512ifma", "avx2", "c") if each in candidates()):
        for bits in BITS:
            theirs, ours, low, middle, high, different = raced(target, bits)
            if different != "0":
                raise MomagenError("equal residues", f"{different} different ones", f"{target}, {bits} bits")
            yield f"| `{target}` | {bits} | {theirs} ns | {ours} ns | {middle} ({low}, {high}) |"


if __name__ == "__main__":
    print_or_write({"conversions of SEAL": table()}, PAGE, __doc__)
