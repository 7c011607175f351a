"""The rates of TPUs, read from tpus.toml: their matrix units, vector units and memory."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from momagen.errors import among
from momagen.tables import chosen, read_toml, with_sources

TABLE = Path(__file__).with_name("tpus.toml")
FIGURES = {
    "int8_tops": "a number", "bf16_tops": "a number", "memory_gb_s": "a number", "cores": "a whole number",
    "mxus": "a whole number", "side": "a whole number", "lanes": "a whole number", "sublanes": "a whole number",
    "alus": "a whole number", "ghz": "a number", "vmem_mib": "a whole number", "ici_links": "a whole number",
    "ici_gb_s": "a number", "chips": "a whole number",
}  # fmt: skip
"""The keys of a chip's figures in tpus.toml, and the kinds of their values."""
ROW = {"title": "a text", **FIGURES, "sources": "options with texts as values"}
ENGINES = {"int8": "int8_tops", "bfloat16": "bf16_tops"}
"""The figure that gives the rate of an engine, by the name of the engine in target files."""


@dataclass(frozen=True)
class Tpu:
    """The figures of a TPU chip.

    Attributes:
        name: The name, such as "v5e".
        title: The full name.
        int8_tops: The rate of 8-bit products in 10^12 operations per second; a product with its addition
            counts as two.
        bf16_tops: The rate of bfloat16 products in the same unit.
        memory_gb_s: The memory bandwidth in 10^9 bytes per second.
        cores: The number of cores.
        mxus: The number of matrix units of a core.
        side: The number of rows and of columns of a matrix unit.
        lanes: The number of lanes of a core's vector unit.
        sublanes: The number of sublanes of the vector unit.
        alus: The number of ALUs at each lane and sublane; each of them returns one 32-bit result per cycle.
        ghz: The clock frequency in GHz.
        vmem_mib: The size of a core's vector memory in units of 2^20 bytes.
        ici_links: The number of links to other chips.
        ici_gb_s: The bandwidth of one link in one direction in 10^9 bytes per second.
        chips: The number of chips of a pod.
        sources: The source of each figure. A key may name several figures.
    """

    name: str
    title: str
    int8_tops: float
    bf16_tops: float
    memory_gb_s: float
    cores: int
    mxus: int
    side: int
    lanes: int
    sublanes: int
    alus: int
    ghz: float
    vmem_mib: int
    ici_links: int
    ici_gb_s: float
    chips: int
    sources: Mapping[str, str] = field(default_factory=dict)

    @property
    def vector_operations(self) -> float:
        """The number of 32-bit operations per second of all vector units."""
        return self.cores * self.lanes * self.sublanes * self.alus * self.ghz * 1e9

    @property
    def bytes_a_second(self) -> float:
        """The memory bandwidth in bytes per second."""
        return self.memory_gb_s * 1e9

    def products(self, engine: str) -> float:
        """Return the number of products of limbs, each with an addition, per second.

        Args:
            engine: The name of an engine in target files.

        Raises:
            MomagenError: The matrix units do not have this engine.
        """
        if engine not in ENGINES:
            raise among("a TPU engine, one of", ENGINES, engine, f"TPU {self.name}")
        return float(getattr(self, ENGINES[engine])) * 1e12 / 2

    def assumed(self) -> list[str]:
        """Return the names of the figures that are assumed because no source states them."""
        return [key for keys, text in self.sources.items() if text.startswith("assumed") for key in keys.split()]


def load_tpu(name: str) -> Tpu:
    """Return the TPU ``name``, for example "v5e".

    Raises:
        MomagenError: The name is unknown.
    """
    return chosen(_tpus(), name, "TPU")


def tpu_names() -> list[str]:
    """Return the names of all TPUs, in the order of the file."""
    return list(_tpus())


@functools.cache
def _tpus() -> dict[str, Tpu]:
    raw = read_toml(TABLE, "a table of TPUs in TOML", TABLE.name)
    return {name: parse_tpu(name, row) for name, row in raw["tpu"].items()}


def parse_tpu(name: str, raw: object) -> Tpu:
    """Return the TPU of one row of the table.

    Raises:
        MomagenError: A key is missing or unknown, or a figure is not above 0 or has no source.
    """
    return Tpu(name, **with_sources(raw, ROW, FIGURES, f"{TABLE.name}, [tpu.{name}]"))
