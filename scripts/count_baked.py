"""Compare compiled kernels for one modulus, which is baked in, with the same kernels for a modulus known at run time.

``python scripts/count_baked.py`` compiles every pair and prints what one butterfly or element takes: instructions, and
cycles of the port floor on the slowest of some cores, relative to the kernel for any modulus. ``--target``,
``--modulus``, ``--kernel`` and ``--compiler`` select pairs. It needs objdump, but no CPU with AVX-512.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from momagen.bench.x86.work import Work, work
from momagen.emit import generate
from momagen.isa.cores.cpus import load_core
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.spec import Spec
from momagen.params import known_fields
from momagen.params.primes import is_prime
from momagen.runtime import Compiler, find_compiler

POINTS, ELEMENTS = 4096, 1536
CORES = ("golden-cove", "zen4", "zen5")
TARGETS = ("c", "avx2", "avx512", "avx512ifma")
KERNELS = ("ntt", "intt", "vmul", "axpy")
FIELDS = (
    "goldilocks", "babybear", "koalabear", "mersenne31", "bn254-r", "bls12-381-r", "bls12-381-p", "stark252", "pallas",
    "curve25519",
)  # fmt: skip
WIDTHS = (50, 60, 124)
"""Bits of the primes without any form."""
ROOT_HALF = 0xB504F333F9DE6484597D89B3751ABE9F
"""The fraction of the square root of 1/2, in 128 bits."""


def prime_without_form(bits: int) -> int:
    """Return the largest prime of so many bits below 2^bits/√2 that has roots of unity of every order up to 2^14."""
    step = 1 << 14
    q = (ROOT_HALF >> 128 - bits) // step * step + 1
    while not is_prime(q):
        q -= step
    return q


MODULI = {name: known_fields()[name].modulus for name in FIELDS}
MODULI |= {f"{bits} bits": prime_without_form(bits) for bits in WIDTHS}


class Pair(NamedTuple):
    """What both kernels of a pair do for one butterfly or element."""

    baked: Work
    any_modulus: Work

    @property
    def instructions(self) -> float:
        """Return the instructions of the kernel for one modulus, relative to those of the other."""
        return self.baked.instructions / self.any_modulus.instructions

    @property
    def cycles(self) -> float:
        """Return the same ratio of the port floors, on the core where it is largest."""
        return max(_cycles(self.baked, core) / _cycles(self.any_modulus, core) for core in CORES)


def _cycles(done: Work, core: str) -> float:
    cycles = load_core(core).floor(done).cycles
    assert cycles, f"{core} lacks instructions"
    return cycles


def has_kernel(modulus: str, kernel: str, points: int = POINTS) -> bool:
    """Return whether there are roots of unity for a transform, or the kernel is none."""
    return not kernel.endswith("ntt") or MODULI[modulus] % points == 1


def spec_of(target: str, modulus: str, kernel: str, *, baked: bool, points: int = POINTS) -> Spec:
    """Return the specification of one kernel of a pair."""
    options = {"bake": "yes" if baked else "no"}
    if kernel.endswith("ntt"):
        inverse = kernel == "intt"
        return make_spec("ntt", n=points, modulus=MODULI[modulus], target=target, inverse=inverse, options=options)
    return make_spec(kernel, modulus=MODULI[modulus], target=target, options=options)


def count_pair(target: str, modulus: str, kernel: str, compiler: Compiler | None) -> Pair:
    """Compile both kernels and count what they do."""
    specs = (spec_of(target, modulus, kernel, baked=baked) for baked in (True, False))
    return Pair(*(work(generate(spec), compiler, 1 if spec.n else ELEMENTS) for spec in specs))


def lines(asked: Sequence[tuple[str, str, str]], compiler: Compiler) -> Iterator[str]:
    """Yield the lines of the table."""
    yield f"| target | modulus | kernel | instructions ({compiler}) | for any modulus | ratio | ratio of cycles |"
    yield "|---|---|---|---|---|---|---|"
    for target, modulus, kernel in asked:
        pair = count_pair(target, modulus, kernel, compiler)
        counts = f"{pair.baked.instructions:.2f} | {pair.any_modulus.instructions:.2f} | {pair.instructions:.3f}"
        yield f"| `{target}` | {modulus} | `{kernel}` | {counts} | {pair.cycles:.3f} |"


def main() -> None:
    """Print the table of the pairs that the command line selects."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    choices = {"target": TARGETS, "modulus": (*MODULI,), "kernel": KERNELS}
    for name, known in choices.items():
        parser.add_argument(f"--{name}", action="append", choices=known, help=f"select a {name} (default: all)")
    parser.add_argument("--compiler", help="name a C compiler (default: the first that is found)")
    asked = parser.parse_args()
    pairs = [pair for pair in product(*(getattr(asked, name) or known for name, known in choices.items()))
             if has_kernel(*pair[1:])]  # fmt: skip
    for line in lines(pairs, find_compiler(asked.compiler)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
