"""Sweeps from Python."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.arguments import checked_arguments
from momagen.bench.report.swept import Swept, swept
from momagen.bench.suite.grid import BITS, Grid
from momagen.build.native import NATIVE
from momagen.errors import MomagenError, quoted
from momagen.notebook import Progress

from .checks.arguments import flag
from .numbers import duration, integer
from .request import target_name

MOST_VALUES = 1000
"""Widths, sizes or targets of a sweep at most."""


@checked_arguments
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
        targets=_names(targets), negacyclic=flag(negacyclic, "negacyclic"), columns=integer(columns, "columns"),
        plain=not flag(baselines, "baselines"),
        seconds=duration(seconds), compiler=compiler,
    )  # fmt: skip
    return swept(chosen, progress)


def _integers(values: Sequence[int], where: str) -> tuple[int, ...]:
    _check_list(values, "integers", where)
    return tuple(integer(value, where) for value in values)


def _names(targets: Sequence[str]) -> tuple[str, ...]:
    _check_list(targets, "targets", "targets")
    return tuple(target if target == NATIVE else target_name(target) for target in targets)


def _check_list(values: object, what: str, where: str) -> None:
    """Refuse what is no list of a length that a race can have."""
    if isinstance(values, str | bytes) or not isinstance(values, Sequence):
        raise MomagenError(f"a list of {what}", quoted(values), where)
    if len(values) > MOST_VALUES:
        raise MomagenError(f"at most {MOST_VALUES} {what}", len(values), where)
