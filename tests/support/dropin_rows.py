"""A program that calls the headers of scripts/dropin/rows as SEAL and OpenFHE do, and numbers to call it with."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from dropin.rows import HERE
from gmpy2 import mpz, next_prime

from momagen.cli import main

CC, CXX = shutil.which("cc"), shutil.which("c++")
PROGRAM = Path(__file__).parents[1] / "run" / "dropin_conversions.cpp"
HEXL = """#include <cstdint>
namespace intel::hexl {
enum class CMPINT { EQ, LT, LE, FALSE, NE, NLT, NLE, TRUE };
inline void EltwiseCmpAdd(std::uint64_t *z, const std::uint64_t *x, std::uint64_t n, CMPINT compare,
                          std::uint64_t bound, std::uint64_t difference)
{
    for (std::uint64_t i = 0; i < n; i++)
        z[i] = compare == CMPINT::NLT && x[i] >= bound ? x[i] + difference : x[i];
}
inline void EltwiseFMAMod(std::uint64_t *z, const std::uint64_t *x, std::uint64_t a, const std::uint64_t *y,
                          std::uint64_t n, std::uint64_t q, std::uint64_t)
{
    for (std::uint64_t i = 0; i < n; i++)
        z[i] = static_cast<std::uint64_t>((static_cast<unsigned __int128>(a) * x[i] + (y ? y[i] : 0)) % q);
}
}
"""
"""The functions of HEXL that the headers call, by their definitions."""
FLAGS = ["-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]
N = 21
"""Columns: no multiple of a vector's lanes."""


def build_program(folder: Path) -> Path:
    """Link the library for plain C, the headers and the program in a folder, and return the program."""
    library = ["lib", str(HERE / "kernels.toml"), "--targets", "c", "--no-verify", "--output", str(folder / "lib")]
    assert main(library) == 0
    assert CC and CXX
    sources = [str(path) for path in sorted((folder / "lib" / "src").glob("*.c"))]
    subprocess.run([CC, "-std=c99", *FLAGS, f"-I{folder / 'lib' / 'include'}", "-c", *sources], cwd=folder, check=True)
    objects = [str(path) for path in folder.glob("*.o")]
    (folder / "hexl").mkdir()
    (folder / "hexl" / "hexl.hpp").write_text(HEXL)
    places = [f"-I{place}" for place in (folder, folder / "lib" / "include", HERE.parent)]
    command = [CXX, "-std=c++17", *FLAGS, *places, str(PROGRAM), *objects, "-o", str(folder / "program")]
    subprocess.run(command, check=True)
    return folder / "program"


def answers(program: Path, *requests: str) -> list[list[int] | None]:
    """Return the results of each request; None where the program says that the original code must run."""
    done = subprocess.run([str(program)], input="\n".join(requests), capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == len(requests)
    return [None if line == "original" else [int(word) for word in line.split()] for line in lines]


def product(q: Iterable[int]) -> mpz:
    """Return the product of the moduli."""
    total = mpz(1)
    for one in q:
        total *= one
    return total


def primes(*bits: int) -> tuple[int, ...]:
    """Return different primes of these lengths."""
    found: list[int] = []
    for length in bits:
        start = max([one for one in found if one.bit_length() == length], default=2 ** (length - 1))
        found.append(int(next_prime(start)))
    return tuple(found)
