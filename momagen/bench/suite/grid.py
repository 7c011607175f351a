"""What a sweep measures: kernels × widths × sizes, checked before anything is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from momagen.bench.x86.rates import Rates
from momagen.errors import MomagenError, among, build_error
from momagen.kinds.modular.lists import BLAS, KINDS
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.spec import Spec
from momagen.kinds.registry import kind_named
from momagen.params.primes import HEADROOM, MAX_BITS, default_prime, is_power_of_two
from momagen.runtime.native import in_c, named
from momagen.targets import Target, load_target, right

BITS = (60, 124, 252)
KERNELS: Mapping[str, Mapping[str, Any]] = {
    **{kind: {"kind": kind} for kind in KINDS},
    "intt": {"kind": "ntt", "inverse": True},
    "lde": {"kind": "lde", "blowup": 2, "coset": 1, "input_order": "bitrev"},
}
"""The kernels of a sweep by name, with the arguments of ``make_spec`` that describe them."""
POINTS = (1 << 10, 1 << 12, 1 << 14)
SIZES = {"ntt": POINTS, "intt": POINTS, "lde": POINTS, "polymul": (1 << 10, 1 << 12)}
LENGTHS = (1 << 10, 1 << 12, 1 << 16)
"""The default grid: bits of the modulus; points; lengths of vectors."""
LONGEST = 1 << 24
LEAST = 4


@dataclass(frozen=True)
class Grid:
    """A sweep.

    Attributes:
        kernels: names among ``KERNELS``. bits: of the modulus, the largest that suits below 2^bits.
        sizes: points, or lengths of vectors; () for the default ones.
        targets: names, "native" or TOML files; () for all.
        negacyclic: transforms and products. columns: of matrices, in transforms; there are no baselines beside several.
        rivals: shared libraries of a user's own, raced too. plain: without the baselines. baselines:
            names of those to race; () for all. floors: find the port floor of each kernel.
        rounds: of each race, at most; seconds: no round of it starts later. compiler: default the best one.
        choose: gives a kernel's specification the options to race it with.
        elsewhere: what a CPU issues that has what this one lacks.
    """

    kernels: tuple[str, ...] = ("ntt",)
    bits: tuple[int, ...] = BITS
    sizes: tuple[int, ...] = ()
    targets: tuple[str, ...] = ()
    negacyclic: bool = False
    columns: int = 1
    rivals: tuple[Path, ...] = ()
    plain: bool = False
    baselines: tuple[str, ...] = ()
    floors: bool = True
    rounds: int = 101
    seconds: float = 3.0
    compiler: str | None = None
    choose: Callable[[Spec], Spec] = lambda spec: spec
    elsewhere: Rates = field(default_factory=Rates)

    def chosen_targets(self) -> list[Target]:
        """The targets to race.

        Raises:
            MomagenError: a target is unknown, or its results are wrong by design.
        """
        return [load_target(right(name, "target")) for name in named(self.targets)] or in_c()


@dataclass(frozen=True)
class Race:
    """One point of the grid; ``spec`` is that of every contestant but for its target."""

    spec: Spec
    n: int

    @property
    def kernel(self) -> str:
        """The kernel's name in tables."""
        columns = f", {self.spec.columns} columns" if self.spec.columns > 1 else ""
        blowup = f", blowup {self.spec.blowup}" if self.spec.blowup > 1 else ""
        return f"{'i' * self.spec.inverse}{self.spec.kind}{blowup}{', negacyclic' * self.spec.negacyclic}{columns}"


def grid_races(grid: Grid) -> list[Race]:
    """Return every point of the grid.

    Raises:
        MomagenError: a kernel or a target is unknown, no kernel has the bits or the size, a library is missing, or a
            limit is out of range.
    """
    for name in grid.kernels:
        if name not in KERNELS:
            raise among("one of the kernels", KERNELS, name, "kernel")
    grid.chosen_targets()
    for rival in grid.rivals:
        if rival.suffix != ".so" or not rival.is_file():
            raise MomagenError("the path of a shared library (.so)", rival, "baseline")
    if grid.columns > 1 and grid.rivals:
        problem = f"the library {grid.rivals[0]} cannot be measured with `columns`, which its interface does not have"
        raise build_error(problem, "columns", "use one column, or leave the library out")
    if grid.rounds < 1:
        raise MomagenError("at least 1", grid.rounds, "repetitions")
    return list(_races(grid))


def _races(grid: Grid) -> Iterator[Race]:
    for kernel, bits in product(grid.kernels, grid.bits):
        for n in grid.sizes or SIZES.get(kernel, LENGTHS):
            named = KERNELS[kernel]
            negacyclic = grid.negacyclic and "negacyclic" in kind_named(str(named["kind"])).parameters
            yield Race(_spec(named, bits, n, negacyclic, grid.columns), n)


def _spec(named: Mapping[str, Any], bits: int, n: int, negacyclic: bool, columns: int) -> Spec:
    is_vector = named["kind"] in BLAS
    if is_vector and not 1 <= n <= LONGEST:
        raise MomagenError(f"a length from 1 to {LONGEST}", n, "n")
    points = 0 if is_vector else n
    if points and not is_power_of_two(n):
        return make_spec(**named, n=n, bits=bits)  # which refuses
    q = _prime(bits, max(points, 1))
    return make_spec(**named, n=points, modulus=q, negacyclic=negacyclic, columns=columns)


def _prime(bits: int, n: int) -> int:
    """Return the largest prime q of ``bits`` bits such that 2n divides q - 1."""
    if not LEAST <= bits <= MAX_BITS:
        raise MomagenError(f"between {LEAST} and {MAX_BITS} bits", bits, "modulus_bits")
    try:
        q = default_prime(bits + HEADROOM, n)
    except MomagenError:
        q = 0
    if q.bit_length() != bits:
        raise MomagenError(f"enough bits for a prime q such that {2 * n} divides q - 1", bits, "modulus_bits")
    return q
