"""The functions that divide a call of a program among threads."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from momagen.kinds.modular.derived.sharing import smallest_part
from momagen.program import Program

from .writer import ProgramWriter

Given = dict[str, dict[str, Any]]
"""The names of functions of ``rules/sharing.toml``, with the numbers that the text of each function uses."""


def shared_program(writer: ProgramWriter, program: Program) -> Program:
    """Return ``program`` with the functions that its threads call."""
    for name, numbers in (_phases if program.phases else _parts)(writer, program).items():
        writer.write(name, **numbers)
    return replace(program, functions=writer.functions)


def _phases(writer: ProgramWriter, program: Program) -> Given:
    """Return the functions for transforms that all threads execute together."""
    of = {"phases": program.phases, "stride": program.stride}
    found: Given = {"steps_of": of, "step_at": of, "phase_of": of}
    for field in program.room:
        found |= {"room_for": {"shared": field.words, "own": field.each}} if field.each else {}
    return found


def _parts(writer: ProgramWriter, program: Program) -> Given:
    """Return the functions for threads that each process some of the vectors or elements."""
    spec = writer.spec
    stride, several = program.stride or writer.arith.words, int(bool(spec.basis))
    beside = several * (spec.n > 0)
    found: Given = {
        "part_begins": {}, "part_ends": {}, "of_all_moduli": {"several": several},
        "worth_threads": {"grain": smallest_part(spec)}, "modulus_at": {}, "at_once": {"beside": beside},
        "operand_at": {"beside": beside, "stride": stride},
    }  # fmt: skip
    found |= {"result_at": {"gives": program.gives}} if program.gives != program.stride else {}
    return found | ({"scalar_at": {}} if spec.ranges.scalars else {})
