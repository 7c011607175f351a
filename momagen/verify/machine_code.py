"""The check that the machine code of a kernel runs in constant time, as its header promises."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from momagen.bench.x86.assembly import disassembler, inspect
from momagen.bench.x86.public.kinds import JOB, OPEN, ROWS
from momagen.errors import MomagenError
from momagen.runtime.compiled import Compiled

from .report import Report

PART = "part_of"
"""The function that computes one thread's part of a call; the code around it does not depend on data."""


def inspected(report: Report, compiled: Compiled) -> Report:
    """Return ``report`` with the number of conditional jumps on data in the machine code of ``compiled``."""
    return replace(report, branches=data_branches(compiled), compiler=str(compiled.compiler))


def data_branches(compiled: Compiled) -> int | None:
    """Return the number of conditional jumps on data in the code of ``execute``, or None if it cannot be inspected.

    It cannot be inspected if stand-ins replace the target's instructions, if there is no disassembler, or if the
    machine's assembly language is not supported.
    """
    if not isinstance(compiled, Compiled) or compiled.missing or not disassembler():
        return None
    try:
        spec = compiled.spec
        entry, plan = (PART, JOB) if spec.threads else (f"{compiled.name}_execute", ROWS if spec.basis else OPEN)
        return inspect(Path(compiled.library._name), entry, plan).branches
    except MomagenError:
        return None
