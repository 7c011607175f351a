"""The paper's model of energy efficiency: operators per second, divided by a thermal design power.

Nothing is measured. The paper compares machines that it considers equal in power (Section V-A), so that its energy
efficiency over another library is a ratio of latencies. We also give the ratio corrected by the watts of the devices,
where shapes.toml has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .published import Row, published

CHIP = "-"
"""The separator of a TPU's name and a number of tensor cores, as in v6e-8."""
MAIN = ("multiply", "rotate")
"""The operators whose latencies the paper adds up for one number."""


def power(device: str) -> float | None:
    """Return the watts of a device, or of a number of tensor cores of a TPU; None if they are unknown."""
    known: Mapping[str, Any] = published()["power"]
    watts, cores = known["watts"], known["cores"]
    if device in watts:
        return float(watts[device])
    name, _, count = device.partition(CHIP)
    return watts[name] * int(count) / cores[name] if name in cores and count.isdecimal() else None


def per_joule(microseconds: float, watts: float) -> float:
    """Return the number of operators per joule: operators per second divided by watts."""
    return 1e6 / microseconds / watts


def energy(microseconds: float, watts: float, others: Mapping[str, float]) -> dict[str, Any]:
    """Return the operators per joule of this machine and of others, and this machine's number over theirs.

    Args:
        microseconds: The time of an operator on this machine.
        watts: The power of this machine.
        others: The microseconds of other machines, by name.
    """
    own = per_joule(microseconds, watts)
    known = {name: per_joule(each, found) for name, each in others.items() if (found := power(device_of(name)))}
    return {"model": True, "watts": watts, "per_joule": own, "others": known,
            "over": {name: own / each for name, each in known.items()}}  # fmt: skip


def device_of(name: str) -> str:
    """Return the device in a name: "FIDESlib (RTX4090)" runs on an RTX4090; the name of a TPU is its device."""
    return name.rpartition("(")[2].rstrip(")")


def efficiencies() -> Iterator[dict[str, Any]]:
    """Yield CROSS's efficiency over each library, as the paper states it and as its own latencies give it."""
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
    """Return the microseconds of the library of a row, and of CROSS on each machine; none for a subtraction."""
    if operator not in published()["table8"]["operators"]:
        return {}
    at = published()["table8"]["operators"].index(operator)
    found = {f"{row['library']} ({row['device']})": row["latency"][at]} if row["latency"] else {}
    found |= {name: each[at] for name, each in row["cross"].items()}
    return {name: float(each) for name, each in found.items() if each}
