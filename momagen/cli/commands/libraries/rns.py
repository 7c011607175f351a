"""``momagen rns``: generate an RNS context in C as a CMake project."""

from __future__ import annotations

import argparse

from momagen.cli.deliver import add_checks, add_output, deliver, targets_of
from momagen.errors import MomagenError
from momagen.notebook import Progress
from momagen.rns_context import RnsPackage, rns_context
from momagen.rns_context.package import DEFAULT

STEPS = "cmake -S {source} -B {build} && cmake --build {build} -j && ctest --test-dir {build}"


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=_run)
    parser.epilog = "example:\n  momagen rns --output fhe --max-n 2^16 --modulus-bits 60,40"
    add_output(parser)
    parser.add_argument("--name", metavar="NAME", help="prefix of all C functions (default: the name of the folder)")
    longest = "largest number of coefficients, a power of two up to 2^20 (default: 2^16)"
    parser.add_argument("--max-n", metavar="N", default=DEFAULT, help=longest)
    lengths = "widths of the supported moduli in bits, such as 60,40 (default: all from 20 to 62)"
    parser.add_argument("--modulus-bits", metavar="B,…", default="", help=lengths)
    up = "conversion of digits to other moduli (ModUp): corrected, exact or fast (default: corrected)"
    parser.add_argument("--mod-up", metavar="METHOD", default="corrected", help=up)
    down = "division by the auxiliary moduli (ModDown): corrected, exact or fast (default: corrected)"
    parser.add_argument("--mod-down", metavar="METHOD", default="corrected", help=down)
    machines = "targets to select from at run time: names, native or TOML files (default: c,avx2,avx512,avx512ifma)"
    parser.add_argument("--targets", metavar="T,…", help=machines)
    add_checks(parser)


def _run(given: argparse.Namespace) -> int:
    return deliver(given, lambda progress: _made(given, progress), lambda made: made.library, STEPS)


def _made(given: argparse.Namespace, progress: Progress) -> RnsPackage:
    return rns_context(
        given.name or given.output.absolute().name, max_n=given.max_n, modulus_bits=_lengths(given.modulus_bits),
        mod_up=given.mod_up, mod_down=given.mod_down, targets=targets_of(given), progress=progress,
    )  # fmt: skip


def _lengths(text: str) -> list[int]:
    words = [word for word in text.split(",") if word]
    if wrong := [word for word in words if not word.isdecimal()]:
        raise MomagenError("numbers of bits separated by commas, such as 60,40", wrong[0], "--modulus-bits")
    return [*map(int, words)]
