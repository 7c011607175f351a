"""New measurements of the paper's exhibits on the device that JAX has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from momagen.errors import MomagenError
from momagen.he.parameters import HeParameters, preset
from momagen.papers.exhibit import Measure
from momagen.papers.series import ResultSeries
from momagen.screen.progress import Report

from .converted import estimated_series, operator_series, sweep_series
from .published import published
from .race.trials import SweepSettings

SECTIONS = {"table-5": "table5", "table-6": "table6", "table-7": "table7", "figure-11b": "fig11b",
            "figure-13a": "fig13", "figure-13b": "fig13", "table-10": "table10"}  # fmt: skip
"""The sections of scripts/bench_jax.py behind exhibits."""
SETS = {"table-9": "D", "figure-12": "D", "figure-14": "ABC", "text-mnist": ("MNIST",), "text-helr": "D"}
"""The parameter sets whose kernels are timed for estimates."""
SAMPLES, SECONDS = 5, 0.5
"""The samples of each contestant, and the approximate limit of their time in seconds."""


def measures() -> dict[str, Measure]:
    """Return the function that measures each exhibit, by its name."""
    rows = {row["exhibit"]: row for row in published()["table8"]["row"]}
    return {
        **{name: partial(_swept, name, section) for name, section in SECTIONS.items()},
        **{name: partial(_operators, row) for name, row in rows.items()},
        **{name: partial(_estimates, name, sets) for name, sets in SETS.items()},
    }


def _check_jax() -> None:
    """Check that JAX can be imported.

    Raises:
        MomagenError: It cannot.
    """
    try:
        import jax  # noqa: F401
    except ImportError as error:
        raise MomagenError("JAX, which the extra “jax” installs", str(error), "--measure") from None


def _swept(exhibit: str, section: str, progress: Report) -> Sequence[ResultSeries]:
    """Return the series of a sweep; every result is compared with integers before it is timed."""
    _check_jax()
    from .race.report import JaxResults
    from .sweeps.run import sections

    results = JaxResults(None, {})
    sections([section], SweepSettings(seconds=SECONDS), SAMPLES, results, lambda _: None)
    return [row for row in sweep_series(results.told["rows"]) if row.exhibit == exhibit]


def _operators(row: dict[str, Any], progress: Report) -> Sequence[ResultSeries]:
    """Return the times of operators with the parameters of a row of Table VIII."""
    _check_jax()
    from momagen.he.kernels import RnsKernels
    from momagen.he.timing import operator_times

    p = HeParameters(row["degree"], row["limbs"], 28, row["digits"], name=row["name"])
    times = operator_times(RnsKernels(p.degree), p, SECONDS)
    return [*operator_series([{"set": p.name, "operators": times}])]


def _estimates(exhibit: str, sets: Sequence[str], progress: Report) -> Sequence[ResultSeries]:
    """Return the estimates from the times of the kernels of these sets."""
    _check_jax()
    found = [*_kernels([preset(name) for name in sets])]
    return [row for row in estimated_series(found) if row.exhibit == exhibit]


def _kernels(every: Sequence[HeParameters]) -> Iterator[dict[str, Any]]:
    from momagen.he.kernels import RnsKernels
    from momagen.he.timing import kernel_times

    for p in every:
        yield {"set": p.name, "nanoseconds": kernel_times(RnsKernels(p.degree), p, SECONDS)[1]}
