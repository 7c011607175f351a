"""The CPU baseline of Figure 10: OpenFHE's transforms, as ``scripts/bench_peers.py`` times them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

RACES = {"OpenFHE, 60 bits, negacyclic": "64 bits", "OpenFHE, 120 bits, negacyclic": "128 bits",
         "OpenFHE, big integers, 124 bits, negacyclic": "big integers"}  # fmt: skip
"""The races of scripts/peers/races.toml, and the integers of OpenFHE that they time."""
SIDES = {"theirs": "OpenFHE, {}, µs", "ours": "momagen beside OpenFHE, {}, µs"}
COMMAND = "python scripts/bench_peers.py --only openfhe_64,openfhe_128,openfhe_big"


def convert(told: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the results of races in the common format; other data is returned unchanged.

    Args:
        told: The file that ``--json`` of the script wrote.
    """
    rows = [row for row in told.get("rows", ()) if row.get("name") in RACES and row.get("theirs")]
    if not rows:
        return told
    machine = told["machine"]
    series = [each for race in RACES for side in SIDES
              if (each := _series(race, side, rows, machine["clock_ghz"]))]  # fmt: skip
    return {"machine": machine["cpu"], "date": machine["date"], "command": COMMAND, "series": series}


def _series(race: str, side: str, rows: Sequence[Mapping[str, Any]], ghz: float) -> dict[str, Any] | None:
    own = {row["n"]: _microseconds(row, side, ghz) for row in rows if row["name"] == race}
    if not own:
        return None
    numbers = {"at": [*own], "values": [*own.values()]}
    return {"exhibit": "figure-10", "what": SIDES[side].format(RACES[race]), "unit": "µs", **numbers}


def _microseconds(row: Mapping[str, Any], side: str, ghz: float) -> float:
    """Return the time of one transform in microseconds; the script counts cycles or nanoseconds per butterfly."""
    each = row[side]["median"] * row["butterflies"] / 1e3
    return float(each / ghz if row["unit"] == "cycles" else each)
