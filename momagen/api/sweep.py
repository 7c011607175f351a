"""Sweeps from Python."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.bench.grid import BITS, Grid
from momagen.bench.swept import Swept, swept
from momagen.notebook import Progress


def sweep(
    *kinds: str, bits: Sequence[int] = BITS, n: Sequence[int] = (), targets: Sequence[str] = (),
    negacyclic: bool = False, baselines: bool = False, seconds: float = 1.0, compiler: str | None = None,
    progress: Progress | None = None,
) -> Swept:  # fmt: skip
    """Race the kernels of several targets over widths and sizes, each with its port floor, as `momagen bench --sweep`.

    Args:
        kinds: "ntt" (the default), "polymul", BLAS kernels. bits: of the moduli. n: points, or lengths of vectors.
        targets: names or TOML files; (): all that run here. baselines: also other libraries that are installed.
        seconds: for each race.

    Raises:
        MomagenError: a grid that cannot be, or no compiler.
    """
    chosen = Grid(
        kernels=kinds or ("ntt",), bits=tuple(bits), sizes=tuple(n), targets=tuple(targets), negacyclic=negacyclic,
        plain=not baselines, seconds=seconds, compiler=compiler,
    )  # fmt: skip
    return swept(chosen, progress)
