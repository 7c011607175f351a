"""GPUs as data, from devices.toml: multiprocessors, clocks, and what their pipes take in a cycle."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from momagen.errors import MomagenError
from momagen.tables import checked, chosen, read_toml, with_sources

TABLE = Path(__file__).with_name("devices.toml")
WARP = 32
"""Lanes of a warp."""
DEVICE = {"title": "a text", "core": "a text", "sms": "a whole number", "ghz": "a number", "memory_gb_s": "a number",
          "sources": "options with texts as values"}  # fmt: skip
CORE = {"title": "a text", "issue": "a number", "lanes": "a table", "slots": "a table", "source": "a text"}
FIGURES = ("sms", "ghz", "memory_gb_s")


@dataclass(frozen=True)
class GpuCore:
    """A kind of streaming multiprocessor.

    Attributes:
        issue: slots a cycle for instructions of warps. lanes: results in a cycle, by pipe or rate. slots: those that
            one instruction takes, by pipe or rate; 1 where nothing is said. source: of all.
    """

    name: str
    title: str
    issue: float
    lanes: Mapping[str, float]
    source: str = ""
    slots: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Gpu:
    """A GPU.

    Attributes:
        sms: its streaming multiprocessors. ghz: their boost clock. memory_gb_s: bandwidth, 10^9 bytes a second.
        sources: where each figure stands, by keys, several in one.
    """

    name: str
    title: str
    core: GpuCore
    sms: int
    ghz: float
    memory_gb_s: float
    sources: Mapping[str, str] = field(default_factory=dict)

    def picoseconds(self, lanes: float) -> float:
        """How long the device takes for one lane of one instruction, where each multiprocessor does ``lanes`` a
        cycle."""
        return 1e3 / (lanes * self.sms * self.ghz)


def load_gpu(name: str) -> Gpu:
    """The GPU ``name`` ("h100-sxm").

    Raises:
        MomagenError: none of this name.
    """
    return chosen(_gpus(), name, "GPU")


def gpu_names() -> list[str]:
    """All GPUs, in the order of the file."""
    return list(_gpus())


@functools.cache
def _gpus() -> dict[str, Gpu]:
    raw = read_toml(TABLE, "a table of GPUs in TOML", TABLE.name)
    cores = {name: _core(name, row) for name, row in raw["core"].items()}
    return {name: _gpu(name, row, cores) for name, row in raw["device"].items()}


def _core(name: str, raw: object) -> GpuCore:
    where = f"{TABLE.name}, [core.{name}]"
    row = checked(raw, CORE, where)
    for key, lanes in row["lanes"].items():
        if not isinstance(lanes, int | float) or not 0 < lanes <= 4 * WARP:
            raise MomagenError(f"a number of lanes above 0 and at most {4 * WARP}", lanes, f"{where} {key}")
    for key, slots in row["slots"].items():
        if not isinstance(slots, int | float) or slots < 1:
            raise MomagenError("at least 1 issue slot per instruction", slots, f"{where} {key}")
    return GpuCore(name, **row)


def _gpu(name: str, raw: object, cores: Mapping[str, GpuCore]) -> Gpu:
    where = f"{TABLE.name}, [device.{name}]"
    row = with_sources(raw, DEVICE, FIGURES, where)
    return Gpu(name, **{**row, "core": chosen(cores, row["core"], "core", where)})
