"""The CROSS paper (Tong et al., arXiv:2501.07047): its numbers and their reproduction."""

from collections.abc import Sequence
from pathlib import Path

from momagen.papers.exhibit import Paper
from momagen.papers.series import ResultSeries

from .checks import check_series
from .converted import converted, derived
from .measured import measures
from .roofs import roof_series


def modelled() -> Sequence[ResultSeries]:
    """Return the series that follow from the paper's own numbers, momagen's parameters, and counts of operations."""
    return [*check_series(), *roof_series()]


PAPER = Paper("cross", Path(__file__).parent, measures(), modelled, derived, converted)
