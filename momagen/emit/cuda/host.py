"""The host's side of a CUDA file: what it declares, and its launches as rows of tables in C."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.kinds.modular.spec import Spec
from momagen.program.device import DeviceProgram, Launch

from ..c.file import Argument, Declaration, described

MOST_ROWS = 65535
"""Blocks of a launch in its second dimension."""
ROOM = "t"
"""What launches call the memory that a call works in."""


def device_interface(
    spec: Spec, name: str, moduli: str, word: str, room: bool, most: int
) -> dict[str, Declaration]:
    """The functions of a kernel by what they do: create, room, execute and destroy; their names begin with ``name``.

    Args:
        moduli: what it serves, in words. word: C's type of a word. room: whether a call needs memory to work in.
        most: moduli of a plan.
    """
    ranges, read = spec.ranges, f"const {word} *"
    count = Argument("size_t ", "batch" if spec.n else "n")
    plan = Argument(f"const {name}_plan *", "plan")
    numbers = [Argument(read, each) for each in ("q", *["root"] * (spec.n > 0))]
    which = [Argument("size_t ", "moduli")] * bool(spec.basis)
    operands = [Argument(read, each) for each in (*ranges.scalars, *ranges.vectors)]
    where = [Argument("void *", "room"), Argument("void *", "stream")]
    found = {
        "create": (f"{name}_plan *", [*which, *numbers, Argument("int *", "why")]),
        "room": ("size_t ", [plan, count]),
        "execute": ("int ", [plan, Argument(f"{word} *", ranges.result), *operands, count, *where]),
        "destroy": ("void ", [Argument(f"{name}_plan *", "plan")]),
    }
    texts = {verb: f"cuda/{verb}.txt.j2" for verb in ("create", "room", "execute")}
    docs = described(spec, moduli, count.name, texts, room=room, most=most)
    return {verb: Declaration(type, f"{name}_{verb}", (*given,), docs[verb]) for verb, (type, given) in found.items()}


def works(program: DeviceProgram) -> bool:
    """Whether a call needs memory to work in."""
    return program.room + program.numbers > 0


def most_moduli(program: DeviceProgram) -> int:
    """Of a plan: what a launch has in its second dimension, and what 32 bits reach of constants and tables."""
    return min(MOST_ROWS, ((1 << 32) - 1) // max(program.constants, program.tables, program.powers))


def vectors(spec: Spec, program: DeviceProgram) -> list[str]:
    """What launches take by number: the result, the operands, the room."""
    ranges = spec.ranges
    return [ranges.result, *ranges.scalars, *ranges.vectors, *[ROOM] * works(program)]


def rows(launches: Sequence[Launch], names: Sequence[str]) -> list[str]:
    """Launches as initializers; ``names``: of the operands by number."""
    return [_row(launch, names) for launch in launches]


def _row(launch: Launch, names: Sequence[str]) -> str:
    uses = ", ".join(str(names.index(each)) for each in launch.operands) or "0"
    numbers = (launch.threads, launch.blocks, launch.group, launch.shared, len(launch.operands))
    return f"{{(const void *){launch.kernel}, {', '.join(map(str, numbers))}, {{{uses}}}}}"
