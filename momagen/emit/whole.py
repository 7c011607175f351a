"""A kernel without a language, of one size or of several: its program, and what files say of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from momagen.kernels.spec.spec import Spec
from momagen.lower.kernels import lowered
from momagen.lower.writer import ProgramWriter
from momagen.program import Program
from momagen.program.sizes import of_sizes


@dataclass(frozen=True)
class Whole:
    """What a language prints.

    Attributes:
        writer: of the program, or of the largest size. moduli: those that are served, in words.
        rules_applied, operations, notes: as in :class:`momagen.emit.source.Source`.
    """

    spec: Spec
    program: Program
    writer: ProgramWriter
    rules_applied: Counter[str]
    operations: Counter[str]
    notes: list[str]
    moduli: str


def whole(spec: Spec) -> Whole:
    """The kernel that ``spec`` asks for.

    Raises:
        MomagenError: options that do not go with the width, a size or each other.
    """
    made = {n: lowered(spec.of_size(n) if spec.sized else spec) for n in spec.sizes}
    writers, programs = [each.writer for each in made.values()], {n: each.program for n, each in made.items()}
    rules = sum((writer.trace.rules_applied for writer in writers), Counter[str]())
    operations = sum((writer.operations for writer in writers), Counter[str]())
    program = of_sizes(programs) if spec.sized else programs[spec.n]
    served = _grouped((each.writer.moduli, n) for n, each in made.items())
    said = _grouped((note, n) for n, each in made.items() for note in each.notes)
    of_size = "n = {}: {}" if spec.sized else "{1}"
    notes = [of_size.format(", ".join(map(str, sorted(sizes))), note) for note, sizes in said.items()]
    ranges = [f"{text} with n from {min(sizes)} to {max(sizes)}" for text, sizes in served.items()]
    moduli = "; ".join(ranges if len(served) > 1 else served)
    return Whole(spec, program, writers[0], rules, operations, notes, moduli)


def _grouped(told: Iterable[tuple[str, int]]) -> dict[str, list[int]]:
    """The sizes of which the same is told."""
    found: dict[str, list[int]] = {}
    for text, n in told:
        found.setdefault(text, []).append(n)
    return found
