"""The output of ``momagen rpu``."""

from __future__ import annotations

import argparse
import json
import re

from momagen.files import write
from momagen.papers.rpu.model.energy import energy
from momagen.rpu.isa.assembly import disassemble
from momagen.rpu.isa.intrinsics import intrinsics
from momagen.rpu.isa.program import RpuProgram, write_program
from momagen.rpu.isa.table import PIPELINES
from momagen.rpu.machine.design import Design
from momagen.screen import console
from momagen.screen.tables import plain_table
from momagen.simulate.cycles import CycleCount, count_cycles
from momagen.simulate.trace import perfetto, picture

UNITS = {"verified": " values compared with the definition"}
"""The units of some facts about a program."""
PIPELINE_COLUMNS = ("instructions", "cycles busy", "share of cycles")
TEXT, C = ".s", ".c"
"""The suffixes of assembly and of C with intrinsics; other files are programs."""


def tell(text: str, given: argparse.Namespace) -> None:
    """Print a text, or write it to --output."""
    if given.output is None:
        print(text, end="")
    else:
        write(given.output, text)


def keep(program: RpuProgram, given: argparse.Namespace) -> None:
    """Write a program to --output, in the format of its suffix."""
    if given.output is None:
        return
    if given.output.suffix == TEXT:
        write(given.output, disassemble(program.instructions))
    elif given.output.suffix == C:
        write(given.output, intrinsics(program, re.sub(r"\W", "_", given.output.stem)))
    else:
        write(given.output, write_program(program))


def counted(program: RpuProgram, design: Design, given: argparse.Namespace, about: dict[str, object]) -> int:
    """Simulate the program, and print the facts ``about`` it and its cycles; return 0."""
    found = count_cycles(program.instructions, design, program.sdm)
    if given.trace is not None:
        draw = picture if given.trace.suffix == ".svg" else perfetto
        write(given.trace, draw(program.instructions, found))
    rows, parts = _pipelines(program, found), energy(program.instructions)
    if given.json:
        told = {"machine": design.name, "cycles": found.cycles, "microseconds": found.microseconds, "pipelines": rows,
                "microjoules": parts}  # fmt: skip
        print(json.dumps({**about, **told}, indent=2))
        return 0
    screen = console()
    for name, value in about.items():
        screen.print(f"{name:<10} {value}{UNITS.get(name, '')}", markup=False, soft_wrap=True)
    screen.print(f"{design.name}: {found.cycles:,} cycles, {found.microseconds:.2f} µs at {design.clock} GHz")
    table = plain_table("pipeline", *PIPELINE_COLUMNS, numbers=PIPELINE_COLUMNS)
    for name, row in rows.items():
        table.add_row(name, f"{row['instructions']:,}", f"{row['busy']:,}", f"{row['busy'] / max(1, found.cycles):.0%}")
    screen.print(table)
    total = sum(parts.values())
    shares = ", ".join(f"{name.upper()} {part / total:.1%}" for name, part in parts.items()) if total else ""
    power = f", {total / found.microseconds:.2f} W: {shares}" if total else ""
    screen.print(f"energy (model): {total:.2f} µJ{power}", soft_wrap=True)
    return 0


def _pipelines(program: RpuProgram, found: CycleCount) -> dict[str, dict[str, int]]:
    """Return the number of instructions of each pipeline, and the cycles for which they occupy it."""
    rows = {name: {"instructions": 0, "busy": 0} for name in PIPELINES}
    for each, holds in zip(program.instructions, found.holds.tolist(), strict=True):
        rows[each.opcode.pipeline]["instructions"] += 1
        rows[each.opcode.pipeline]["busy"] += holds
    return rows
