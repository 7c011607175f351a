"""Race conversions between RNS bases against SEAL and OpenFHE: ``python scripts/bench_conversion_peers.py``.

The environment variables ``SEAL_ROOT`` and ``OPENFHE_ROOT`` name the prefixes where the libraries are installed; at
least one is needed. SEAL must be built without Intel HEXL, GSL, zlib and Zstandard (``-DSEAL_USE_INTEL_HEXL=OFF
-DSEAL_USE_MSGSL=OFF -DSEAL_USE_ZLIB=OFF -DSEAL_USE_ZSTD=OFF``). 8,192 numbers are converted from 12 to 28 moduli by
turns with each library's own function, in one thread; all residues must be equal. ``--write`` writes the table to
docs/reference/performance.md.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path
from typing import NamedTuple

from page_table import print_or_write

import momagen as mg
from momagen.errors import MomagenError
from momagen.runtime import find_compiler
from momagen.runtime.native import candidates
from momagen.targets import load_target

HERE = Path(__file__).parent
PAGE, PEERS = HERE.parent / "docs" / "reference" / "performance.md", HERE / "peers"
SOURCES, GOALS, BITS = 12, 28, (28, 50, 60)


class Peer(NamedTuple):
    """A library with conversions.

    Attributes:
        title: its name. root: the environment variable with its prefix. headers: patterns of folders below the prefix.
        libraries: patterns of files that a program links. harness: the program. methods: those that it has.
        flags: of the compiler.
    """

    title: str
    root: str
    headers: Sequence[str]
    libraries: Sequence[str]
    harness: str
    methods: Sequence[str]
    flags: Sequence[str] = ()


ALL = (
    Peer("SEAL", "SEAL_ROOT", ["include/SEAL-*"], ["lib*/libseal-*.a"], "seal_conversion.cpp", ["fast"]),
    Peer(
        "OpenFHE", "OPENFHE_ROOT",
        [f"include/openfhe{each}" for each in ("", "/core", "/pke", "/binfhe", "/cereal")],
        [f"lib/libOPENFHE{each}.so" for each in ("pke", "binfhe", "core")],
        "openfhe_conversion.cpp", ["fast", "corrected"], ["-fopenmp", "-DMATHBACKEND=4"],
    ),
)  # fmt: skip


def found(peer: Peer) -> tuple[list[Path], list[Path]]:
    """Return the folders of headers and the libraries.

    Raises:
        MomagenError: the prefix does not have them.
    """
    root = Path(os.environ[peer.root])
    paths = [[path for pattern in each for path in sorted(root.glob(pattern))[-1:]] for each in peer[2:4]]
    if list(map(len, paths)) != [len(peer.headers), len(peer.libraries)]:
        raise MomagenError(f"the prefix of an installed {peer.title}", str(root), peer.root)
    return paths[0], paths[1]


def constants(q: Sequence[int], p: Sequence[int]) -> Iterator[str]:
    """Yield C arrays: the moduli, and what OpenFHE's functions take."""
    whole = prod(q)
    barrett = [(1 << 128) // each for each in p]
    rows = {
        "q": q, "p": p, "inverses": [pow(whole // each, -1, each) for each in q],
        "barrett_high": [each >> 64 for each in barrett], "barrett_low": [each % (1 << 64) for each in barrett],
    }  # fmt: skip
    tables = {
        "cofactors": [[whole // each % goal for goal in p] for each in q],
        "q_multiples": [[u * whole % goal for goal in p] for u in range(len(q) + 1)],
    }
    for name, row in rows.items():
        yield f"[[maybe_unused]] static const std::uint64_t {name}[] = {{{_listed(row)}}};"
    for name, table_rows in tables.items():
        inside = ", ".join(f"{{{_listed(row)}}}" for row in table_rows)
        yield f"[[maybe_unused]] static const std::uint64_t {name}[][{len(p)}] = {{{inside}}};"


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(f"{number}u" for number in numbers)


def raced(peer: Peer, method: str, target: str, bits: int) -> list[str]:
    """Return what the harness prints."""
    headers, libraries = found(peer)
    k = mg.kernel("convert", moduli=SOURCES, to=GOALS, modulus_bits=bits, method=method, target=target)
    flags = ["-O3", *load_target(target).flags]
    with tempfile.TemporaryDirectory() as name:
        folder = k.save(name)
        text = "#include <cstdint>\n" + "\n".join(constants(k.moduli, k.goals)) + "\n"
        (folder / "moduli.h").write_text(text, encoding="utf-8")
        told = [f'-DHEADER="{k.name}.h"', f"-DNAME={k.name}", *["-DCORRECTED"] * (method == "corrected")]
        told += [f"-I{each}" for each in (folder, PEERS, *headers)]
        subprocess.run([*find_compiler().command, "-std=c99", *flags, "-c", f"{k.name}.c"], cwd=folder, check=True)
        linked = [
            f"{k.name}.o",
            *map(str, libraries),
            "-pthread",
            f"-Wl,-rpath,{libraries[0].parent},--disable-new-dtags",
        ]
        program = ["g++", "-std=c++17", *flags, *peer.flags, *told, str(PEERS / peer.harness), *linked, "-o", "race"]
        subprocess.run(program, cwd=folder, check=True)
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        ran = subprocess.run(["./race"], cwd=folder, check=True, capture_output=True, text=True, env=environment)
        return ran.stdout.split()


def table() -> Iterator[str]:
    """Yield the lines of the table."""
    peers = [peer for peer in ALL if os.environ.get(peer.root)]
    if not peers:
        raise MomagenError("the prefix of SEAL or of OpenFHE", "none", " or ".join(peer.root for peer in ALL))
    yield "| library | method | target | bits | theirs | momagen | theirs / momagen (quartiles) |"
    yield "|---|---|---|---|---|---|---|"
    for peer in peers:
        yield from (row for method in peer.methods for row in rows(peer, method))


def rows(peer: Peer, method: str) -> Iterator[str]:
    """Yield the rows of one method."""
    for target in (each for each in ("avx512ifma", "avx2", "c") if each in map(str, candidates())):
        for bits in BITS:
            theirs, ours, low, middle, high, different = raced(peer, method, target, bits)
            if different != "0":
                raise MomagenError(
                    "equal residues", f"{different} different ones", f"{peer.title}, {target}, {bits} bits"
                )
            numbers = f"{theirs} ns | {ours} ns | {middle} ({low}, {high})"
            yield f"| {peer.title} | {method} | `{target}` | {bits} | {numbers} |"


if __name__ == "__main__":
    print_or_write({"conversions of SEAL": table()}, PAGE, __doc__)
