"""Sweeps over widths and sizes, from Python."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.arguments import checked_arguments
from momagen.bench.report.swept import Swept, swept
from momagen.bench.suite.grid import BITS, Grid
from momagen.errors import MomagenError, quoted
from momagen.notebook import Progress
from momagen.runtime.native import NATIVE
from momagen.values.numbers import duration, integer
from momagen.values.targets import target_name
from momagen.values.texts import flag

MOST_VALUES = 1000
"""The largest number of widths, sizes or targets of a sweep."""


@checked_arguments
def sweep(
    *kinds: str, modulus_bits: Sequence[int] = BITS, n: Sequence[int] = (), targets: Sequence[str] = (),
    negacyclic: bool = False, columns: int = 1, baselines: bool = False, seconds: float = 1.0,
    compiler: str | None = None, progress: Progress | None = None,
) -> Swept:  # fmt: skip
    """Time the kernels of several targets over widths and sizes, as ``momagen bench --sweep`` does.

    A race times the kernel of every target, and of the baselines if requested, in alternation for one kind, width and
    size. Every time is reported with the port floor of the kernel, a lower bound on its cycles.

    Args:
        *kinds: The kinds of kernels: "ntt" (the default), "polymul", "basemul" or the names of element-wise kernels.
        modulus_bits: The widths of the moduli in bits.
        n: The numbers of points, or the lengths of vectors (default: chosen for each kind).
        targets: Names of targets, "native" or TOML files (default: all targets that run on this machine).
        negacyclic: Whether the ring of transforms is Z_q[x]/(x^n + 1).
        columns: The number of columns of the matrices that transforms take; more than one excludes ``baselines``.
        baselines: Whether to time other installed libraries, too.
        seconds: The time for each race in seconds, in which all its kernels run.
        compiler: The compiler (default: the one that momagen finds).
        progress: A function that is called before every race with the part done (0 to 1) and a title.

    Returns:
        The measurements; a notebook shows them as tables.

    Raises:
        MomagenError: The combination of arguments is invalid, or there is no compiler.
    """
    chosen = Grid(
        kernels=kinds or ("ntt",), bits=_integers(modulus_bits, "modulus_bits"), sizes=_integers(n, "n"),
        targets=_names(targets), negacyclic=flag(negacyclic, "negacyclic"), columns=integer(columns, "columns"),
        plain=not flag(baselines, "baselines"),
        seconds=duration(seconds), compiler=compiler,
    )  # fmt: skip
    return swept(chosen, progress)


def _integers(values: Sequence[int], where: str) -> tuple[int, ...]:
    """Return the values as integers."""
    _check_list(values, "integers", where)
    return tuple(integer(value, where) for value in values)


def _names(targets: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the targets, checked."""
    _check_list(targets, "targets", "targets")
    return tuple(target if target == NATIVE else target_name(target) for target in targets)


def _check_list(values: object, what: str, where: str) -> None:
    """Raise a MomagenError unless ``values`` is a list with at most ``MOST_VALUES`` elements."""
    if isinstance(values, str | bytes) or not isinstance(values, Sequence):
        raise MomagenError(f"a list of {what}", quoted(values), where)
    if len(values) > MOST_VALUES:
        raise MomagenError(f"at most {MOST_VALUES} {what}", len(values), where)
