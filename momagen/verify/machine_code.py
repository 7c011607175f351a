"""What a compiler made of a kernel: whether it keeps the header's promise of constant time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from momagen.bench.x86.assembly import disassembler, inspect
from momagen.bench.x86.public.kinds import JOB, OPEN, ROWS
from momagen.build.compiled import Compiled
from momagen.errors import MomagenError

from .report import Report

PART = "part_of"
"""The function of what a thread does of a call; how threads find each other depends on no data."""


def inspected(report: Report, compiled: Compiled) -> Report:
    """``report`` with the conditional jumps on data that the machine code of ``compiled`` holds."""
    return replace(report, branches=data_branches(compiled), compiler=str(compiled.compiler))


def data_branches(compiled: Compiled) -> int | None:
    """Conditional jumps on data in what execute runs; None where nobody can look: stand-ins run instead of the target's
    instructions, there is no disassembler, or it is not known how this machine's code reads."""
    if not isinstance(compiled, Compiled) or compiled.missing or not disassembler():
        return None
    try:
        spec = compiled.spec
        entry, plan = (PART, JOB) if spec.threads else (f"{compiled.name}_execute", ROWS if spec.basis else OPEN)
        return inspect(Path(compiled.library._name), entry, plan).branches
    except MomagenError:
        return None
