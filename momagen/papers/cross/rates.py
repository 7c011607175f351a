"""Measurements on TPUs that the CROSS paper reports, read from rates.toml."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from momagen.tables import checked, read_toml

TABLE = Path(__file__).with_name("rates.toml")
SET = {"name": "a text", "log_n": "a whole number", "limbs": "a whole number", "batch": "a whole number"}
RATE = {"tpu": "a text", "chips": "a whole number", "thousands": "counts by name"}
LATENCY = {"log_n": "a whole number", "rows": "a whole number", "columns": "a whole number", "microseconds": "a number"}
BATCH = 128
"""The number of transforms to which a latency refers."""


@dataclass(frozen=True)
class CrossSet:
    """A parameter set: transforms of 2^log_n points modulo each of ``limbs`` primes, with the best ``batch``."""

    name: str
    log_n: int
    limbs: int
    batch: int


@dataclass(frozen=True)
class CrossRate:
    """Thousands of transforms of all RNS limbs per second on ``chips`` chips, by log n as text."""

    tpu: str
    chips: int
    thousands: Mapping[str, int]

    def per_chip(self, which: CrossSet) -> float | None:
        """Return the transforms of one RNS limb per second and chip; None if the paper has no figure."""
        found = self.thousands.get(str(which.log_n))
        return None if found is None else found * 1e3 * which.limbs / self.chips


@dataclass(frozen=True)
class CrossLatency:
    """Microseconds for ``BATCH`` transforms of 2^log_n points on a TPU v4, with matrices of rows × columns."""

    log_n: int
    rows: int
    columns: int
    microseconds: float

    @property
    def rate(self) -> float:
        """The transforms per second."""
        return BATCH * 1e6 / self.microseconds


def cross_sets() -> list[CrossSet]:
    """Return the parameter sets."""
    return [CrossSet(**row) for row in _rows("set", SET)]


def cross_rates() -> list[CrossRate]:
    """Return the rates of machines."""
    return [CrossRate(**row) for row in _rows("rate", RATE)]


def cross_latencies() -> list[CrossLatency]:
    """Return the latencies on a TPU v4."""
    return [CrossLatency(**row) for row in _rows("latency", LATENCY)]


def _rows(name: str, kinds: Mapping[str, str]) -> list[dict[str, Any]]:
    return [checked(row, kinds, f"{TABLE.name}, [[{name}]] {at}") for at, row in enumerate(_table()[name], 1)]


@functools.cache
def _table() -> dict[str, Any]:
    return read_toml(TABLE, "a table of measurements in TOML", TABLE.name)
