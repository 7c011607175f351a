"""The issue rates of a CPU, which ``issue`` measured on this CPU or a sweep on another CPU wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from momagen.errors import MomagenError, build_error

from .uops import Use, classes, groups

Stream = tuple[str, str, str]
"""The key of a measured stream: "alone", "mixed" or "group", the class or group, and the registers."""
OTHERS = 4
"""The number of instructions of its pool that are mixed with each instruction in a mixed stream."""
MOST = 100
"""An upper bound on the number of instructions that a CPU issues per cycle, which only invalid files exceed."""
RATIOS = (1 / 4, 1 / 3, 1 / 2, 2 / 3, 1, *(half / 2 for half in range(3, 21)))


@dataclass(frozen=True)
class Rates:
    """The issue rates of a CPU.

    Attributes:
        streams: The instructions per cycle of every stream that the CPU can run; empty if they are unknown.
        cpu: The name of the CPU.
    """

    streams: Mapping[Stream, float] = field(default_factory=dict)
    cpu: str = ""

    def rate(self, use: Use) -> float | None:
        """Return the instructions per cycle of a class, or None if they are unknown."""
        return whole(measured) if (measured := self.streams.get(("alone", *use))) else None

    def group_rate(self, name: str, registers: str) -> float | None:
        """Return the instructions per cycle of a group in equal parts, or None if they are unknown.

        If a class of the group alone is faster, its rate is returned.
        """
        members = next(group.classes for group in groups() if group.name == name)
        mixed = self.streams.get(("group", name, registers))
        return max([whole(mixed), *(self.rate((member, registers)) or 0.0 for member in members)]) if mixed else None

    def slots(self, use: Use) -> int:
        """Return the number of instructions of its pool that an instruction of a class displaces."""
        alone, mixed = self.streams.get(("alone", classes()[use[0]].pool, use[1])), self.streams.get(("mixed", *use))
        return max(1, round(alone * (1 + OTHERS) / mixed) - OTHERS) if alone and mixed else 1

    def alone(self) -> dict[str, float]:
        """Return the rate of every class and register width by itself, rounded as for port floors."""
        found = {stream[1:]: self.rate(stream[1:]) for stream in self.streams if stream[0] == "alone"}
        return {f"{name} {registers}": rate for (name, registers), rate in found.items() if rate}

    def written(self) -> dict[str, float]:
        """Return the measured rates of all streams, with keys that JSON supports."""
        return {" ".join(stream): rate for stream, rate in self.streams.items()}


def whole(measured: float) -> float:
    """Return the smallest ratio that ports can have near a measured rate, or the rate itself if there is none.

    The ratio is from 3 % below to 12 % above the rate, because wide products slow down the clock during the
    measurement.
    """
    return next((ratio for ratio in RATIOS if measured / 1.03 <= ratio <= measured * 1.12), measured)


def read_rates(path: Path) -> Rates:
    """Return the rates of the CPU on which a sweep wrote its file sweep.json.

    Args:
        path: The file.

    Raises:
        MomagenError: The file cannot be read, or it contains no rates.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        streams = {_stream(words): float(rate) for words, rate in data["streams"].items()}
        cpu = str(data["machine"]["cpu"])
    except OSError as error:
        raise build_error(f"the file cannot be read ({error.strerror})", f"rates, {path}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        problem = f"the file is not a sweep.json that a sweep wrote ({type(error).__name__}: {error})"
        raise build_error(problem, f"rates, {path}") from None
    if wrong := [f"{rate} for {' '.join(stream)}" for stream, rate in streams.items() if not 0 < rate < MOST]:
        expected = f"numbers of instructions per cycle above 0 and below {MOST}"
        raise MomagenError(expected, wrong[0], f"rates, {path}")
    return Rates(streams, cpu)


def _stream(words: str) -> Stream:
    kind, rest = words.split(" ", 1)
    name, registers = rest.rsplit(" ", 1)
    return kind, name, registers
