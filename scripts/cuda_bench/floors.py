"""The floor of a row on the measured device: arithmetic by the measured rates, traffic at the copy bandwidth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from momagen.cuda.devices import WARP, Gpu, GpuCore
from momagen.cuda.floor import gpu_floor

from .prepared import Prepared
from .rates import SLOTS, lanes_of, slots_of


def measured_gpu(machine: Mapping[str, Any], rates: Mapping[str, Any]) -> Gpu:
    """The device by its measured figures."""
    name = f"sm_{machine['capability']}"
    core = GpuCore(name, machine["device"], SLOTS / WARP, lanes_of(rates), "measured", slots_of(rates))
    return Gpu("measured", machine["device"], core, machine["sms"], rates["ghz"], rates["copy_gb_s"])


def floor_of(row: Prepared, gpu: Gpu) -> dict[str, Any]:
    """Nanoseconds that no transform, or element, of this row can beat: of arithmetic and of memory, and which is more.

    The traffic is that of the launches alone: tables are shared by a batch.
    """
    moved = 4 * row.traffic * 1.0 / gpu.memory_gb_s
    found: dict[str, Any] = {"memory_ns": moved, "bytes": 4 * row.traffic}
    if row.butterfly:
        whole = {name: count * row.butterflies for name, count in row.butterfly.items()}
        part = gpu_floor(whole, gpu)  # type: ignore[arg-type]
        found |= {"arithmetic_ns": part.picoseconds / 1e3, "bound": part.bound, "counted": row.counted,
                  "instructions": sum(row.butterfly.values()), "unknown": list(part.unknown)}  # fmt: skip
    found["floor_ns"] = max(moved, found.get("arithmetic_ns", 0.0))
    return found
