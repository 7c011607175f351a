"""Energy as the paper counts it, which is a model: operators a second over a thermal design power. Nothing is measured.

The paper takes machines of about the same power (Section V-A), so that its energy efficiency over another library is
the ratio of latencies. Beside it stands the same by watts, where paper.toml has those of a device.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .published import Row, published

CHIP = "-"
"""Between a TPU and how many tensor cores there are of it, as in v6e-8."""
MAIN = ("multiply", "rotate")
"""The operators whose latencies the paper adds up for one number."""


def power(device: str) -> float | None:
    """Watts of a device, or of so many tensor cores of a TPU; None: not known."""
    known: Mapping[str, Any] = published()["power"]
    watts, cores = known["watts"], known["cores"]
    if device in watts:
        return float(watts[device])
    name, _, count = device.partition(CHIP)
    return watts[name] * int(count) / cores[name] if name in cores and count.isdecimal() else None


def per_joule(microseconds: float, watts: float) -> float:
    """Operators a second over watts."""
    return 1e6 / microseconds / watts


def energy(microseconds: float, watts: float, others: Mapping[str, float]) -> dict[str, Any]:
    """Of this machine, with the same of others by name, and this one over them; ``others``: their microseconds."""
    own = per_joule(microseconds, watts)
    known = {name: per_joule(each, found) for name, each in others.items() if (found := power(device_of(name)))}
    return {"model": True, "watts": watts, "per_joule": own, "others": known,
            "over": {name: own / each for name, each in known.items()}}  # fmt: skip


def device_of(name: str) -> str:
    """ "FIDESlib (RTX4090)" is on an RTX4090; a TPU is itself."""
    return name.rpartition("(")[2].rstrip(")")


def efficiencies() -> Iterator[dict[str, Any]]:
    """CROSS over each library, as the paper has it and as its own latencies give it."""
    operators: Sequence[str] = published()["table8"]["operators"]
    places = [operators.index(name) for name in MAIN]
    for row in published()["table8"]["row"]:
        library, cross = (_sum(each, places) for each in (row["latency"], row["cross"][row["matched"]]))
        watts = power(row["device"]), power(row["matched"])
        ratio = library / cross
        yield {"model": True, "library": row["library"], "device": row["device"], "matched": row["matched"],
               "stated": row["stated"] or None, "latencies": ratio,
               "watts": ratio * watts[0] / watts[1] if watts[0] and watts[1] else None}  # fmt: skip


def _sum(latencies: Sequence[float], places: Sequence[int]) -> float:
    return sum(latencies[at] for at in places)


def others(row: Row, operator: str) -> dict[str, float]:
    """Microseconds of the library of a row, and of CROSS, by name."""
    at = published()["table8"]["operators"].index(operator)
    found = {f"{row['library']} ({row['device']})": row["latency"][at]} if row["latency"] else {}
    found |= {name: each[at] for name, each in row["cross"].items()}
    return {name: float(each) for name, each in found.items() if each}
