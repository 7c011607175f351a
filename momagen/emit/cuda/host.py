"""The host code of a CUDA file: its declarations, and its launches as rows of C tables."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.kinds.modular.spec import Spec
from momagen.program.device import DeviceProgram, Launch

from ..c.file import Argument, Declaration, described

MOST_ROWS = 65535
"""The largest number of blocks of a launch in its second dimension."""
ROOM = "t"
"""The name of the scratch memory in launches."""


def device_interface(
    spec: Spec, name: str, moduli: str, word: str, room: bool, most: int
) -> dict[str, Declaration]:
    """Return the declarations of a kernel's functions by their roles: create, room, execute and destroy.

    Args:
        spec: The specification.
        name: The prefix of the names of the functions.
        moduli: A description of the moduli that the kernel supports.
        word: The C type of a word.
        room: Whether a call needs scratch memory.
        most: The largest number of moduli of a plan.
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
    """Return whether a call needs scratch memory."""
    return program.room + program.numbers > 0


def most_moduli(program: DeviceProgram) -> int:
    """Return the largest number of moduli of a plan.

    It is limited by the second dimension of a launch, and by the 32-bit indices of constants and tables.
    """
    return min(MOST_ROWS, ((1 << 32) - 1) // max(program.constants, program.tables, program.powers))


def vectors(spec: Spec, program: DeviceProgram) -> list[str]:
    """Return the names of the vectors that launches refer to by number.

    They are the result, the operands, and the scratch memory if a call needs it.
    """
    ranges = spec.ranges
    return [ranges.result, *ranges.scalars, *ranges.vectors, *[ROOM] * works(program)]


def rows(launches: Sequence[Launch], names: Sequence[str]) -> list[str]:
    """Return the launches as C initialisers. ``names`` are the names of the vectors by number."""
    return [_row(launch, names) for launch in launches]


def _row(launch: Launch, names: Sequence[str]) -> str:
    """Return one launch as a C initialiser."""
    uses = ", ".join(str(names.index(each)) for each in launch.operands) or "0"
    numbers = (launch.threads, launch.blocks, launch.group, launch.shared, len(launch.operands))
    return f"{{(const void *){launch.kernel}, {', '.join(map(str, numbers))}, {{{uses}}}}}"
