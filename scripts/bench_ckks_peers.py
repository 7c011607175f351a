"""Race CKKS on a generated RNS context against OpenFHE: ``OPENFHE_ROOT=PREFIX python scripts/bench_ckks_peers.py``.

PREFIX is where OpenFHE is installed. For each parameter set, both libraries apply the same operators to the same
ciphertexts with the same keys; all residues must be equal. Both are timed by turns, in one thread. ``--write`` writes
the table to docs/guides/ckks.md.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from page_table import print_or_write

import momagen as mg
from momagen.errors import MomagenError

HERE = Path(__file__).parent
PAGE, HARNESS = HERE.parent / "docs" / "guides" / "ckks.md", HERE / "peers" / "openfhe_ckks.cpp"
ROUNDS = 40


class Setting(NamedTuple):
    """Parameters of CKKS: log2 n, the depth, the bits of the scale and of the first modulus, and digits."""

    log_n: int
    depth: int
    scale: int
    first: int
    digits: int


SETTINGS = (
    Setting(13, 3, 40, 50, 2), Setting(14, 7, 45, 60, 3), Setting(15, 15, 50, 60, 3), Setting(16, 23, 50, 60, 3),
)  # fmt: skip


class Raced(NamedTuple):
    """What the harness prints of one operator: microseconds, and quartiles of the ratio of OpenFHE's time to ours."""

    operator: str
    different: int
    theirs: float
    ours: float
    low: float
    middle: float
    high: float


def installed() -> Path:
    """Return the prefix of OpenFHE."""
    given = os.environ.get("OPENFHE_ROOT", "")
    if not (given and Path(given, "include", "openfhe", "pke", "openfhe.h").is_file()):
        raise MomagenError("the prefix of an installed OpenFHE", given or "none", "OPENFHE_ROOT")
    return Path(given)


def build(folder: Path, root: Path) -> Path:
    """Generate and build the context and the harness; return the program."""
    mg.rns_context("fhe", mod_up="fast", mod_down="fast").save(folder / "fhe")
    where = ["-S", str(folder / "fhe"), "-B", str(folder / "build"), "-DCMAKE_BUILD_TYPE=Release", "-DFHE_TESTS=OFF"]
    subprocess.run(["cmake", *where], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder / "build", "--parallel", "2"], check=True, stdout=subprocess.DEVNULL)
    headers = [f"-I{root}/include/openfhe{each}" for each in ("", "/core", "/pke", "/binfhe", "/cereal")]
    ours = [f"-I{folder}/fhe/include", f"-I{folder}/fhe/examples"]
    found = f"-Wl,-rpath,{root}/lib,--disable-new-dtags"
    libraries = [f"-L{root}/lib", found, "-lOPENFHEpke", "-lOPENFHEbinfhe", "-lOPENFHEcore"]
    flags = ["-std=c++17", "-O3", "-fopenmp", "-DMATHBACKEND=4"]
    program = folder / "race"
    subprocess.run(
        ["g++", *flags, *headers, *ours, HARNESS, folder / "build" / "libfhe.a", *libraries, "-o", program], check=True
    )
    return program


def raced(program: Path, setting: Setting) -> Iterator[Raced]:
    """Yield what the harness prints."""
    command = [str(program), *map(str, setting), str(ROUNDS)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    told = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    for operator, different, *numbers in map(str.split, told.splitlines()):
        yield Raced(operator, int(different), *map(float, numbers))


def table() -> Iterator[str]:
    """Yield the lines of the table."""
    root = installed()
    yield "| n, moduli, digits | operator | OpenFHE | momagen | OpenFHE / momagen (quartiles) |"
    yield "|---|---|---|---|---|"
    with tempfile.TemporaryDirectory() as name:
        program = build(Path(name), root)
        for setting in SETTINGS:
            chain = f"2^{setting.log_n}, {setting.first} and {setting.depth} × {setting.scale} bits, {setting.digits}"
            for row in raced(program, setting):
                if row.different:
                    raise MomagenError("equal residues", f"{row.different} different ones", f"{row.operator}, {chain}")
                ratio = f"{row.middle} ({row.low}, {row.high})"
                yield f"| {chain} | {row.operator} | {row.theirs:.0f} µs | {row.ours:.0f} µs | {ratio} |"


if __name__ == "__main__":
    print_or_write({"CKKS beside OpenFHE": table()}, PAGE, __doc__)
