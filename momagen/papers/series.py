"""Series of numbers: what a paper states, and what momagen measures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from momagen.errors import build_error, quoted
from momagen.tables import checked

from .thresholds import Threshold

Place = float | str
"""A place on the horizontal axis, or the name of a table's column."""
Value = float | tuple[float, float]
"""A number, or both ends of a range; an open end is infinite."""
OUTCOMES = ("reproduced", "different", "out of reach")
"""What became of a stated number; all but the first need a reason."""
MEASURED = {"exhibit": "a text", "what": "a text", "unit": "a text", "at": "a list", "values": "a list"}
STATED = {"what": "a text", "where": "a text", "unit": "a text", "at": "a list", "values": "a list",
          **dict.fromkeys(("outcome", "why", "ours", "key", "note"), "a text")}  # fmt: skip
USUAL = {"where": "", "unit": "", "outcome": OUTCOMES[0], **dict.fromkeys(("why", "ours", "key", "note"), "")}
"""The entries that a stated series may leave to its exhibit, or leave out."""
TOLERANCES = ("within", "points")
"""Entries, all of them numbers, that a stated series may have besides."""


@dataclass(frozen=True)
class Series:
    """Numbers of one kind at several places.

    Attributes:
        what: The name: a machine, a library, the row of a table.
        unit: The unit of all values.
        points: The values by place, in order.
    """

    what: str
    unit: str
    points: Mapping[Place, Value]


@dataclass(frozen=True)
class ResultSeries(Series):
    """A series that momagen measured, counted or modelled.

    Attributes:
        exhibit: The name of the table or figure that it belongs to.
        source: The machine, date and command behind it.
    """

    exhibit: str
    source: str


@dataclass(frozen=True)
class StatedSeries(Series):
    """A series that a paper states.

    Attributes:
        where: The location in the paper, as in "Table 2, page 8".
        outcome: One of ``OUTCOMES``.
        why: The reason, unless the numbers are reproduced.
        ours: The name of the measured series to compare with; empty if there is none.
        key: A name by which the paper's module computes the number; empty if it needs none.
        note: How the text of the paper was read, or what it leaves open; empty if that is clear.
        within: The tolerance of a reproduction in per cent; None if there is none.
        points_off: The same in the unit of the series, ``points`` in the paper's table; None if there is none.
    """

    where: str
    outcome: str
    why: str
    ours: str
    key: str = ""
    note: str = ""
    within: float | None = None
    points_off: float | None = None

    def threshold(self, at: Place) -> Threshold:
        """Return what is stated at a place, with its tolerance."""
        value = self.points[at]
        low, high = value if isinstance(value, tuple) else (value, value)
        return Threshold(low, high, self.within, self.points_off)


def parse_measured(raw: object, source: str, where: str) -> ResultSeries:
    """Return the measured series in ``raw``, an entry of a file of results.

    Args:
        raw: The entry.
        source: The machine, date and command of the file.
        where: The location that an error names.

    Raises:
        MomagenError: The entry is invalid.
    """
    row = checked(raw, MEASURED, where)
    return ResultSeries(row["what"], row["unit"], _points(row, where), row["exhibit"], source)


def parse_stated(raw: object, usual: Mapping[str, Any], where: str) -> StatedSeries:
    """Return the stated series in ``raw``, an entry of a paper's table.

    Args:
        raw: The entry.
        usual: The exhibit's values of entries that the series leaves out.
        where: The location that an error names.

    Raises:
        MomagenError: The entry is invalid, or it gives no reason for an outcome that needs one.
    """
    more = {name: "a number" for name in TOLERANCES if isinstance(raw, dict) and name in raw}
    row = checked({**USUAL, **usual, **raw} if isinstance(raw, dict) else raw, {**STATED, **more}, where)
    outcome, why = row["outcome"], row["why"]
    if outcome not in OUTCOMES:
        raise build_error(f"the outcome {quoted(outcome)} is unknown", where, f"use one of {', '.join(OUTCOMES)}")
    if (outcome == OUTCOMES[0]) == bool(why):
        raise build_error(f"the outcome “{outcome}” {'has' if why else 'lacks'} a reason", where, "change “why”")
    if outcome != OUTCOMES[-1] and not row["ours"]:
        raise build_error(f"the outcome “{outcome}” needs a series of momagen", where, "name it in “ours”")
    texts = {name: row[name] for name in ("what", "unit", "where", "outcome", "why", "ours", "key", "note")}
    return StatedSeries(
        **texts, points=_points(row, where), within=row.get("within"), points_off=row.get("points")
    )


def _points(row: Mapping[str, Any], where: str) -> dict[Place, Value]:
    if len(row["at"]) != len(row["values"]) or len(set(row["at"])) != len(row["at"]):
        raise build_error("the places “at” are not as many as the “values”, or are not distinct", where)
    return dict(zip(row["at"], _values(row["values"], where), strict=True))


def _values(raw: Iterable[object], where: str) -> Iterable[Value]:
    for value in raw:
        match value:
            case int() | float():
                yield value
            case [int() | float() as low, int() | float() as high] if low <= high:
                yield low, high
            case _:
                raise build_error(f"{quoted(value)} is neither a number nor a range", where, "write [low, high]")


def middle(value: Value) -> float:
    """Return a number as it is, and the geometric mean of a range; of an open range, return its finite end."""
    if not isinstance(value, tuple):
        return value
    low, high = value
    if math.isinf(high):
        return low
    return math.sqrt(low * high) if low > 0 else (low + high) / 2


def ratios(stated: StatedSeries, measured: Sequence[ResultSeries]) -> dict[Place, float]:
    """Return momagen's value divided by the paper's, at every place that has both."""
    ours = next((each.points for each in measured if each.what == stated.ours), {})
    return {at: middle(ours[at]) / middle(value) for at, value in stated.points.items() if at in ours and middle(value)}
