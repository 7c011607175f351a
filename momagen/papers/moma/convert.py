"""Results of ``scripts/bench_cuda.py`` in the common format, as series of the paper's figures.

The paper divides the time of a batch by its size and reports the minimum over batch sizes (Section 5.1). So do these
series. The file of the script also has medians at one large batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

COMMAND = "python scripts/bench_cuda.py run FOLDER"
TIME, ELEMENT = "ps per butterfly", "ns per element"
WIDTHS = {"figure-1": 256, "figure-3a": 128, "figure-3b": 256, "figure-3c": 384, "figure-3d": 768}
"""The bits of the transforms of a figure over sizes."""
DOUBLINGS = (64, 128, 256, 512, 1024)
MIDDLE = 1 << 16
CORES = 128
"""The integer and floating-point cores of a multiprocessor of the H100, which Table 2 counts."""
CLOSE = 1.1
"""The time over the minimum that counts as close to it."""
Row = Mapping[str, Any]
Points = Mapping[float | str, float]


def convert(told: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the script's results in the common format, and all other data unchanged."""
    if "rows" not in told or "machine" not in told:
        return told
    rows = [row for row in told["rows"].values() if row["state"] == "measured"]
    gpu, cuda = told["machine"]["device"], told["machine"]["cuda"]
    short = gpu.removeprefix("NVIDIA ").split()[0]
    series = [_entry(*each) for each in _series(rows, short, told) if each[3]]
    machine = f"{gpu}, CUDA {cuda // 1000}.{cuda % 1000 // 10}, momagen {told['momagen']}"
    return {"machine": machine, "date": told["date"][:10], "command": COMMAND, "series": series}


def _entry(exhibit: str, what: str, unit: str, points: Points) -> dict[str, Any]:
    values = [value if isinstance(value, int) else float(f"{value:.4g}") for value in points.values()]
    return {"exhibit": exhibit, "what": what, "unit": unit, "at": [*points], "values": values}


def _series(rows: Iterable[Row], gpu: str, told: Mapping[str, Any]) -> Iterator[tuple[str, str, str, Points]]:
    own, rows = f"momagen, {gpu}", list(rows)
    yield "table-2", gpu, "", _device(told)
    for figure, bits in WIDTHS.items():
        yield figure, own, TIME, _over_sizes(rows, bits)
    yield "figure-2", own, ELEMENT, {f"{row['kind']} {row['bits']}": _least(row) / 1e3 for row in _of(rows, "blas")}
    middle = [row for row in _of(rows, "ntt") if row["n"] == MIDDLE and row["bits"] in WIDTHS.values()]
    yield "figure-4", own, TIME, {row["bits"]: _least(row) for row in middle}
    yield "figure-4", f"lower bound, {gpu}", TIME, {row["bits"]: _floor(row) for row in middle if "floor" in row}
    sweep = {row["bits"]: _least(row) for row in _of(rows, "sweep")}
    yield "figure-5a", own, TIME, sweep
    yield "figure-5a-slowdowns", own, "times as slow", _steps(sweep)
    yield "text-batches", own, "transforms", {f"{row['bits']} bits": _batch(row) for row in middle}
    yield "limits", own, "log2 n", _longest(rows)


def _of(rows: Iterable[Row], section: str) -> list[Row]:
    return sorted((row for row in rows if row["section"] == section), key=lambda row: (row["kind"], row["bits"]))


def _least(row: Row) -> float:
    return float(row["times"]["minimum_ps_per_butterfly"])


def _floor(row: Row) -> float:
    return float(row["floor"]["floor_ns"]) * _least(row) / float(row["times"]["minimum_ns"])


def _over_sizes(rows: Iterable[Row], bits: int) -> Points:
    found = {row["n"].bit_length() - 1: _least(row) for row in _of(rows, "ntt") if row["bits"] == bits}
    return {at: found[at] for at in sorted(found)}


def _steps(times: Mapping[int, float]) -> Points:
    pairs = pairwise(DOUBLINGS)
    return {f"{low} to {high}": times[high] / times[low] for low, high in pairs if {low, high} <= {*times}}


def _batch(row: Row) -> float:
    """Return the smallest measured batch whose time per transform is close to the minimum."""
    times = {int(batch): time for batch, time in row["times"]["batches"].items()}
    return min(batch for batch, time in times.items() if time <= CLOSE * min(times.values()))


def _longest(rows: Iterable[Row]) -> Points:
    found = _of(rows, "ntt")
    widths = [bits for bits in (384, 768) if any(row["bits"] == bits for row in found)]
    return {f"{bits} bits": max(row["n"].bit_length() - 1 for row in found if row["bits"] == bits) for bits in widths}


def _device(told: Mapping[str, Any]) -> Points:
    machine, rates = told["machine"], told["rates"]
    return {"cores": CORES * machine["sms"], "MHz": round(1e3 * rates["ghz"]), "GiB": machine["memory_bytes"] / 2**30}
