"""The grid of a sweep, kernels × widths × sizes, which is checked before the first measurement."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from momagen.bench.x86.rates import Rates
from momagen.errors import MomagenError, among, build_error
from momagen.kinds.modular.lists import BLAS
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.spec import Spec
from momagen.kinds.registry import kind_named
from momagen.params.primes import HEADROOM, MAX_BITS, default_prime, is_power_of_two
from momagen.runtime.native import in_c, named
from momagen.targets import Target, load_target, right

BITS = (60, 124, 252)
"""The default widths of moduli in bits."""
KERNELS: Mapping[str, Mapping[str, Any]] = {
    **{kind: {"kind": kind} for kind in ("ntt", "polymul", "basemul", *BLAS)},
    "intt": {"kind": "ntt", "inverse": True},
    "lde": {"kind": "lde", "blowup": 2, "coset": 1, "input_order": "bitrev"},
}
"""The kernels of a sweep by name, with the arguments of ``make_spec`` that describe them."""
POINTS = (1 << 10, 1 << 12, 1 << 14)
"""The default sizes of transforms."""
SIZES = {"ntt": POINTS, "intt": POINTS, "lde": POINTS, "polymul": (1 << 10, 1 << 12)}
"""The default sizes by kernel."""
LENGTHS = (1 << 10, 1 << 12, 1 << 16)
"""The default lengths of vectors."""
LONGEST = 1 << 24
"""The largest length of a vector."""
LEAST = 4
"""The smallest width of a modulus in bits."""


@dataclass(frozen=True)
class Grid:
    """The choice of races of a sweep.

    Attributes:
        kernels: The names of kernels, from ``KERNELS``.
        bits: The widths of the moduli. Each modulus is the largest suitable prime below 2^bits.
        sizes: The numbers of points, or the lengths of vectors; () for the default ones.
        targets: The names of targets, "native", or paths of TOML files; () for all targets.
        negacyclic: Whether transforms and polynomial products are negacyclic.
        columns: The number of columns that a transform has. There are no baselines for more than one column.
        rivals: The user's own shared libraries, which take part as baselines.
        plain: Whether the shipped baselines are left out.
        baselines: The names of the shipped baselines; () for all.
        floors: Whether the port floor of each kernel is computed.
        rounds: The largest number of rounds of each race.
        seconds: The time in seconds after which no round of a race begins.
        compiler: The command of the compiler, or None for the best one.
        choose: A function that returns the specification of a kernel with the options to measure.
        elsewhere: The issue rates of another CPU, for targets that this CPU does not support.
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
        """Return the targets.

        Raises:
            MomagenError: A target is unknown, or its results are incorrect by design.
        """
        return [load_target(right(name, "target")) for name in named(self.targets)] or in_c()


@dataclass(frozen=True)
class Race:
    """One point of the grid.

    Attributes:
        spec: The specification of every contestant, except for its target.
        n: The number of points, or the length of the vectors.
    """

    spec: Spec
    n: int

    @property
    def kernel(self) -> str:
        """The name of the kernel in tables."""
        columns = f", {self.spec.columns} columns" if self.spec.columns > 1 else ""
        blowup = f", blowup {self.spec.blowup}" if self.spec.blowup > 1 else ""
        return f"{'i' * self.spec.inverse}{self.spec.kind}{blowup}{', negacyclic' * self.spec.negacyclic}{columns}"


def grid_races(grid: Grid) -> list[Race]:
    """Return the races of a grid.

    Raises:
        MomagenError: A kernel or a target is unknown, no kernel has the width or the size, a library does not
            exist, or a limit is out of range.
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
        return make_spec(**named, n=n, bits=bits)  # raises the error for this size
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
