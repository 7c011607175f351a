"""A parser of the output of llvm-mca --json (LLVM 14 and newer)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from momagen.errors import MomagenError
from momagen.tables import parse_json

from .body import normal
from .table import PortTable, PressureRow, best_spread

WHERE, EXPECTED = "llvm-mca", "the JSON of llvm-mca 14 or newer"
CPU = re.compile(r"^ +(\S+) +- Select the ", re.MULTILINE)
NUMBERED = re.compile(r"(\w*?)Port0*(\d+)")
UNSUPPORTED = re.compile(r"unsupported instruction.*?\n.*?instruction:\s*(.+)", re.DOTALL)


def cpus(help_text: str) -> list[str]:
    """Return the names of the CPUs in the output of -mcpu=help."""
    return CPU.findall(help_text)


def unsupported(messages: str) -> str:
    """Return the instruction that the CPU lacks according to the messages, or "" if they state another problem."""
    found = UNSUPPORTED.search(messages)
    return normal(found[1].splitlines()[0]) if found else ""


def parse(simulated: str, spread: str) -> PortTable:
    """Return the table of the only block.

    The "block throughput" of llvm-mca ignores ports that some uops share with others, so that it is often too
    low.

    Args:
        simulated: The output of llvm-mca.
        spread: The output with -instruction-tables, which distributes uops evenly over their ports.

    Raises:
        MomagenError: The output has another form.
    """
    try:
        raw, tables = (parse_json(text, EXPECTED, WHERE) for text in (simulated, spread))
        region, (model, names) = raw["CodeRegions"][0], labels(raw["TargetInfo"]["Resources"])
        *rows, totals = _pressures(region, names)
        evenly = _pressures(tables["CodeRegions"][0], names)[:-1]
        found, summary = tuple(map(PressureRow, map(normal, region["Instructions"]), rows)), region["SummaryView"]
        uops = summary["TotaluOps"] / summary["Iterations"]
        bound = summary["BlockRThroughput"]
    except (KeyError, IndexError, TypeError) as error:
        raise MomagenError(EXPECTED, f"output without {error}", WHERE) from None
    return PortTable(tuple(names), found, totals, best_spread(evenly), bound, uops, model)


def _pressures(region: dict[str, Any], names: Sequence[str]) -> list[dict[str, float]]:
    """Return the port cycles of every instruction, and as the last entry the port cycles of the block."""
    found: list[dict[str, float]] = [{} for _ in range(len(region["Instructions"]) + 1)]
    for each in region["ResourcePressureView"]["ResourcePressureInfo"]:
        found[each["InstructionIndex"]][names[each["ResourceIndex"]]] = each["ResourceUsage"]
    return found


def labels(resources: Sequence[str]) -> tuple[str, list[str]]:
    """Return the name of the scheduling model, with which the names of all resources begin, and the names without it.

    Ports are named by their numbers. Other resources have names, and the units of one resource are numbered.
    """
    numbered = (found[1] for name in resources if (found := NUMBERED.match(name)))
    model = next(numbered, "") or _begin(resources)
    return model, [_label(name.removeprefix(model)) for name in resources]


def _begin(names: Sequence[str]) -> str:
    """Return the longest common prefix of the names."""
    least, most = min(names), max(names)
    return next((least[:at] for at, letter in enumerate(least) if most[at : at + 1] != letter), least)


def _label(name: str) -> str:
    if found := NUMBERED.fullmatch(name):
        return found[2]
    head, dot, unit = name.partition(".")  # the number of the unit is encoded as a character
    return f"{head}.{ord(unit) if unit and not unit.isdigit() else unit}" if dot else name
