"""What the text of the MQX paper says of its Figures 4 and 5, paper.toml."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from momagen.errors import MomagenError, quoted
from momagen.tables import checked, read_toml

SHIPPED = Path(__file__).with_name("paper.toml")
ROW = {"figure": "a text", "above": "a text", "below": "a text", "times": "a table", "source": "a text"}


class Reported(NamedTuple):
    """How many times as long ``above`` takes as ``below``, on average, by CPU, and where the paper says so."""

    figure: str
    above: str
    below: str
    times: Mapping[str, float]
    source: str


@lru_cache(maxsize=1)
def reported() -> tuple[Reported, ...]:
    """The shipped ratios."""
    return read_reported(SHIPPED)


def read_reported(path: Path) -> tuple[Reported, ...]:
    """Return the reported ratios in the file ``path``.

    Raises:
        MomagenError: the file cannot be read, or a row is invalid.
    """
    raw = read_toml(path, "ratios in TOML", path.name)
    rows = raw.get("ratio", [])
    if raw.keys() - {"ratio"} or not isinstance(rows, list):
        raise MomagenError("only tables [[ratio]]", ", ".join(raw), path.name)
    return tuple(_row(row, f"{path.name}, [[ratio]] {at}") for at, row in enumerate(rows, 1))


def _row(raw: object, where: str) -> Reported:
    row = Reported(**checked(raw, ROW, where))
    if not row.times or not all(type(times) in (int, float) and times > 0 for times in row.times.values()):
        raise MomagenError("CPU = RATIO, with ratios above 0", quoted(row.times), f"{where} times")
    return row


def of_paper(figure: str) -> dict[tuple[str, str], Mapping[str, float]]:
    """The ratios of one figure, by pair and CPU."""
    return {(row.above, row.below): row.times for row in reported() if row.figure == figure}
