"""What a CPU issues per cycle: as `issue` measured it on this one, or as a sweep on another one wrote it down."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from momagen.errors import MomagenError, build_error

from .uops import Use, classes, groups

Stream = tuple[str, str, str]
"""What is measured: "alone", "mixed" or "group"; the class or group; the registers."""
OTHERS = 4
"""How many instructions of its pool surround one in a mixed stream."""
MOST = 100
"""No CPU issues so many in a cycle."""
RATIOS = (1 / 4, 1 / 3, 1 / 2, 2 / 3, 1, *(half / 2 for half in range(3, 21)))


@dataclass(frozen=True)
class Rates:
    """Instructions per cycle of every stream that the CPU ``cpu`` can run; none where they are unknown."""

    streams: Mapping[Stream, float] = field(default_factory=dict)
    cpu: str = ""

    def rate(self, use: Use) -> float | None:
        """Instructions of a class per cycle, where it is known."""
        return whole(measured) if (measured := self.streams.get(("alone", *use))) else None

    def group_rate(self, name: str, registers: str) -> float | None:
        """Instructions per cycle of a group in equal parts, or of its fastest class where that is more."""
        members = next(group.classes for group in groups() if group.name == name)
        mixed = self.streams.get(("group", name, registers))
        return max([whole(mixed), *(self.rate((member, registers)) or 0.0 for member in members)]) if mixed else None

    def slots(self, use: Use) -> int:
        """How many instructions of its pool one of a class displaces."""
        alone, mixed = self.streams.get(("alone", classes()[use[0]].pool, use[1])), self.streams.get(("mixed", *use))
        return max(1, round(alone * (1 + OTHERS) / mixed) - OTHERS) if alone and mixed else 1

    def alone(self) -> dict[str, float]:
        """Of every class and register by itself, as the floor takes them."""
        found = {stream[1:]: self.rate(stream[1:]) for stream in self.streams if stream[0] == "alone"}
        return {f"{name} {registers}": rate for (name, registers), rate in found.items() if rate}

    def written(self) -> dict[str, float]:
        """All of them by the words of their streams, as JSON has them."""
        return {" ".join(stream): rate for stream, rate in self.streams.items()}


def whole(measured: float) -> float:
    """The ratio that ports can have, from 3 % below to 12 % above: wide products slow the clock meanwhile."""
    return next((ratio for ratio in RATIOS if measured / 1.03 <= ratio <= measured * 1.12), measured)


def read_rates(path: Path) -> Rates:
    """Return the rates of the CPU on which a sweep wrote ``path``, its file sweep.json.

    Raises:
        MomagenError: the file cannot be read, or has no rates.
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
