"""Sweeps from Python."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.bench.report.swept import Swept, swept
from momagen.bench.suite.grid import BITS, Grid
from momagen.errors import MomagenError, checked_keywords
from momagen.notebook import Progress

from .numbers import duration, integer


@checked_keywords
def sweep(
    *kinds: str, modulus_bits: Sequence[int] = BITS, n: Sequence[int] = (), targets: Sequence[str] = (),
    negacyclic: bool = False, columns: int = 1, baselines: bool = False, seconds: float = 1.0,
    compiler: str | None = None, progress: Progress | None = None,
) -> Swept:  # fmt: skip
    """Race the kernels of several targets over widths and sizes, each with its port floor, as `momagen bench --sweep`.

    Args:
        kinds: "ntt" (the default), "polymul", "basemul", BLAS kernels. n: points, or lengths of vectors.
        modulus_bits: widths of the moduli.
        targets: names, "native" or TOML files; (): all that run here. seconds: for each race.
        columns: of matrices of n rows that transforms take; without baselines where there are several.
        baselines: also other libraries that are installed.

    Raises:
        MomagenError: a grid that cannot be, or no compiler.
    """
    chosen = Grid(
        kernels=kinds or ("ntt",), bits=_integers(modulus_bits, "modulus_bits"), sizes=_integers(n, "n"),
        targets=_names(targets), negacyclic=negacyclic, columns=integer(columns, "columns"), plain=not baselines,
        seconds=duration(seconds), compiler=compiler,
    )  # fmt: skip
    return swept(chosen, progress)


def _integers(values: Sequence[int], where: str) -> tuple[int, ...]:
    if not isinstance(values, Sequence):
        raise MomagenError("a list of integers", repr(values), where)
    return tuple(integer(value, where) for value in values)


def _names(targets: Sequence[str]) -> tuple[str, ...]:
    if isinstance(targets, str) or not isinstance(targets, Sequence):
        raise MomagenError("a list of targets", repr(targets), "targets")
    return tuple(targets)
