"""Measurements of transforms on TPUs that the CROSS paper reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .published import published

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
    rows = [*published()["table7"]["row"], published()["largest"]]
    return [CrossSet(row["name"], row["log_n"], row["limbs"], row["best"]) for row in rows]


def cross_rates() -> list[CrossRate]:
    """Return the rates of machines with TPUs."""
    rows = published()["table7"]["row"]
    return [
        CrossRate(tpu, int(chips), {str(row["log_n"]): row["thousands"][f"{tpu}-{chips}"] for row in rows})
        for tpu, _, chips in (name.partition("-") for name in rows[0]["thousands"])
        if chips.isdecimal()
    ]


def cross_latencies() -> list[CrossLatency]:
    """Return the latencies on a TPU v4."""
    rows = published()["table10"]["row"]
    return [CrossLatency(row["log_n"], row["stated"][0], row["stated"][1], row["matrices"]) for row in rows]
