"""A run: every row verified, then timed, until the time is up."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from momagen.errors import MomagenError

from .checks import Wrong, check_elements, check_transform
from .floors import floor_of, measured_gpu
from .kernel import BenchKernel
from .machine import GpuMachine, Machine
from .prepared import Prepared
from .rates import measured
from .results import Results
from .rows import rows
from .timing import measure, transfers

SHARE = 6.0
"""Seconds that timing one row takes at most."""
CHECKED = {"ntt": 3, "elements": 1 << 12}
"""How many transforms, or elements, a verification runs: no power of two, so that the last block is not full."""
HEAVY = 1 << 28
"""Bytes of one transform from which on only one is verified."""
LISTED = {row.name: row for row in rows()}
"""Rows by name: the options that a kernel was made with."""
Task = tuple[str, Sequence[Prepared], str]
"""A row's name, its kernels (of a transform and the one back), and why there are none."""


class Run:
    """One run on ``machine``; ``minutes``: after that nothing is begun."""

    def __init__(self, machine: Machine, results: Results, minutes: float) -> None:
        self.machine, self.results, self.end = machine, results, time.monotonic() + 60 * minutes
        self.gpu: Any = None
        self._known: dict[tuple[Any, ...], Prepared] = {}

    def device(self) -> None:
        """Rates and transfers of the device itself."""
        rates = measured(self.machine)
        self.results.put("rates", rates)
        if isinstance(self.machine, GpuMachine):
            self.gpu = measured_gpu(self.machine.describe(), rates)
            with suppress(Exception):  # pinned memory may be limited: the rows are what counts
                self.results.put("transfers", transfers(self.machine))

    def rows(self, tasks: Iterable[Task]) -> int:
        """Every row; how many were wrong or failed."""
        bad = 0
        for name, kernels, why in tasks:
            if time.monotonic() > self.end:
                self.results.told["left"].append(name)
                continue
            start = time.monotonic()
            state, more = ("skipped", {"why": why}) if why else self._row(kernels)
            bad += state in ("wrong", "failed")
            self.results.row(name, state=state, seconds=round(time.monotonic() - start, 3), **more)
            print(_line(name, self.results.told["rows"][name]), flush=True)
            with suppress(Exception):
                self.machine.release()
        self.results.write()
        return bad

    def _row(self, kernels: Sequence[Prepared]) -> tuple[str, dict[str, Any]]:
        row = kernels[0]
        more: dict[str, Any] = {
            "section": row.section, "kind": row.kind, "n": row.n, "bits": row.bits, "stride": row.stride,
            "modulus": hex(row.modulus), "launches": [launch._asdict() for launch in row.run], "target": row.target,
        }  # fmt: skip
        try:
            made = [BenchKernel(each, self.machine.device(each.source, each.cubins)) for each in kernels]
            more["values"] = self._verified(made)
            del made[1:]
            more |= {"compiler": made[0].device.compiler}
            if time.monotonic() > self.end:
                return "verified", more
            timed = measure(made[0], self.machine, min(SHARE, self.end - time.monotonic()))
        except Wrong as wrong:
            return "wrong", more | {"why": str(wrong)}
        except (MomagenError, RuntimeError, MemoryError) as error:
            return "failed", more | {"why": f"{type(error).__name__}: {error}"}
        more["times"] = timed | {
            "minimum_ps_per_butterfly": timed["minimum_ns"] * 1e3 / row.butterflies,
            "median_ps_per_butterfly": timed["stated"]["median_ns"] * 1e3 / row.butterflies,
        }
        if self.gpu is not None:
            more["floor"] = floor_of(self._counted(row), self.gpu)
            more["over_floor"] = timed["stated"]["median_ns"] / more["floor"]["floor_ns"]
        return "measured", more

    def _counted(self, row: Prepared) -> Prepared:
        """``row``; where all kernels of a transform have loops, with the count of one before it that is alike."""
        listed = LISTED.get(row.name)
        if listed is None or not row.n:
            return row
        key = row.modulus.bit_length(), listed.alike
        if row.butterfly:
            self._known.setdefault(key, row)
        elif other := self._known.get(key):
            return replace(row, butterfly=other.butterfly, counted=f"{other.counted}, {other.name}")
        return row

    def _verified(self, made: Sequence[BenchKernel]) -> int:
        row = made[0].row
        if not row.n:
            return check_elements(made[0], CHECKED["elements"] - 1)
        return check_transform(made[0], made[1], 1 if 4 * row.size > HEAVY else CHECKED["ntt"])


def _line(name: str, row: dict[str, Any]) -> str:
    if row["state"] != "measured":
        return f"{name:28} {row['state']:9} {row.get('why', '')}"
    times, floor = row["times"], row.get("over_floor")
    unit = "ps/butterfly" if row["n"] else "ps/element"
    share = f"  {floor:.2f} × floor" if floor else ""
    return (f"{name:28} {times['median_ps_per_butterfly']:10.2f} {unit}, least {times['minimum_ps_per_butterfly']:.2f} "
            f"at batch {times['minimum_batch']}{share}")  # fmt: skip
