"""The search for data-dependent branches in machine code.

A codelet is straight-line code, inside an innermost loop or in a function that such a loop calls, so that the
only conditional jump there may be the loop's own back edge. Any other conditional jump counts as a branch on
data, unless its operands are derived from public numbers only: the counts and pointers that ``execute``
receives, and the contents of a plan.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from momagen.arguments import checked_arguments
from momagen.errors import MomagenError, among, build_error, quoted
from momagen.files import path_of

from .public.flow import public_jumps
from .public.kinds import JOB, OPEN, ROWS

FUNCTION = re.compile(r"^[0-9a-f]+ <(?P<name>[^>]+)>:$")
LINE = re.compile(
    r"^\s*(?P<address>[0-9a-f]+):\s+(?:(?:bnd|notrack)\s+)?(?P<op>j[a-z]+|b(?:\.[a-z]+)?|cbn?z|tbn?z|callq?|bl)\s+"
    r"(?:[^<]*,\s*)?(?:0x)?(?P<target>[0-9a-f]+)\s+<(?P<symbol>[^>+]+)"
)
"""The regular expression of a jump to or a call of a fixed address on x86-64 and AArch64, as objdump prints them."""
ADDRESS = re.compile(r"^\s*[0-9a-f]+(?=:)")
CALLS = ("call", "callq", "bl")
UNCONDITIONAL = ("jmp", "jmpq", "b")
STUBS = {"_init", ".plt", ".plt.sec", ".plt.got"}
"""The names that disassemblers give to the linker's stubs of functions such as malloc and free."""


@dataclass(frozen=True)
class Jump:
    """A jump to a fixed address.

    Attributes:
        address: The address of the jump.
        target: The address to which it jumps.
        conditional: Whether it is conditional.
    """

    address: int
    target: int
    conditional: bool


@dataclass(frozen=True)
class MachineFunction:
    """A function of machine code.

    Attributes:
        jumps: Its jumps to fixed addresses.
        calls: The names of the functions that it calls or jumps to.
        lines: Its lines in the listing.
        callees: The address and the name of every call.
    """

    jumps: tuple[Jump, ...]
    calls: frozenset[str]
    lines: tuple[str, ...] = ()
    callees: tuple[tuple[int, str], ...] = ()

    def calls_in(self, loop: Jump) -> set[str]:
        """Return the functions that a loop calls."""
        return {name for address, name in self.callees if loop.target <= address <= loop.address}


@dataclass(frozen=True)
class BranchReport:
    """The result of :func:`momagen.inspect`.

    Attributes:
        functions: The functions that were inspected.
        loops: The number of their innermost loops.
        branches: The number of branches that depend on data.
    """

    functions: tuple[str, ...]
    loops: int
    branches: int


def disassembler() -> str | None:
    """Return the command of GNU's or LLVM's objdump, or None."""
    return shutil.which("objdump") or shutil.which("llvm-objdump")


@checked_arguments
def inspect(library: str | Path, entry: str, plan: str = OPEN, arrays: Sequence[int] = ()) -> BranchReport:
    """Search the machine code of a shared library for conditional jumps on data.

    Args:
        library: The file of the library.
        entry: The function that is inspected, with all functions that it calls.
        plan: The kind of its first argument: "open" for the plan of a kernel of one modulus, "rows" for the plan of
            several moduli, or "job" for the job of a thread, which begins with the address of a plan.
        arrays: The positions of the pointer arguments through which the function reads only public numbers or other
            pointers; position 1 is the first argument after the plan.

    Returns:
        The numbers of loops and of branches that depend on data.

    Raises:
        MomagenError: There is no objdump, or no loop is found because the library is stripped or for another
            architecture.
    """
    path = path_of(library, "library")
    if not isinstance(entry, str):
        raise MomagenError("the name of a function", quoted(entry), "entry")
    kinds = (OPEN, ROWS, JOB)
    if not isinstance(plan, str) or plan not in kinds:
        raise among("one of the kinds of plans", kinds, plan, "plan")
    report = examine(disassemble(path), entry, plan, arrays)
    if not report.loops:
        problem = f"no loops were found in {entry} and the functions that it calls"
        raise build_error(problem, path.name, "use a library that is not stripped, for the architecture of this CPU")
    return report


def disassemble(library: Path) -> str:
    """Return objdump's listing of a shared library.

    Raises:
        MomagenError: There is no objdump.
    """
    command = disassembler()
    if not command:
        problem = "objdump or llvm-objdump is needed to read machine code, and neither was found"
        raise build_error(problem, "assembly", "install binutils (apt install binutils)")
    return subprocess.run([command, "-d", "--no-show-raw-insn", str(library)], capture_output=True, text=True).stdout


def examine(listing: str, entry: str, plan: str = OPEN, arrays: Collection[int] = ()) -> BranchReport:
    """Return the report on a listing.

    The function ``entry`` may be a compiler's copy, which is named entry.part.0 or similar.
    """
    functions = parse(listing)
    entry = next((name for name in functions if name == entry or name.startswith(f"{entry}.")), entry)
    names = reachable(functions, entry)
    loops = sum(len(innermost(functions[name].jumps)) for name in names)
    looping = {name for name in names if any(closing(functions[n].jumps) for n in reachable(functions, name))}
    asked = {each for name in names for each in suspects(functions[name], name == entry, looping)}
    lines = {name: functions[name].lines for name in names}
    found = asked - (public_jumps(lines, entry, plan, arrays) if asked else set())
    return BranchReport(tuple(names), loops, len(found))


def parse(listing: str) -> dict[str, MachineFunction]:
    """Return every function of a listing, by name."""
    lines = listing.splitlines()
    heads = [(i, match["name"]) for i, line in enumerate(lines) if (match := FUNCTION.match(line))]
    return {name: function(lines[start + 1 : end]) for (start, name), (end, _) in pairwise([*heads, (len(lines), "")])}


def function(lines: list[str]) -> MachineFunction:
    """Return the function with these lines."""
    rows = [row for line in lines if (row := LINE.match(line))]
    start = next((int(found.group(), 16) for line in lines if (found := ADDRESS.match(line))), 0)
    jumps = tuple(jump(row, start) for row in rows if row["op"] not in CALLS)
    callees = tuple((int(row["address"], 16), row["symbol"]) for row in rows if row["op"] in CALLS)
    return MachineFunction(jumps, frozenset(row["symbol"] for row in rows) - STUBS, tuple(lines), callees)


def jump(row: re.Match[str], start: int) -> Jump:
    """Return the jump in ``row``.

    A target before ``start``, the start of the function, becomes the next address, so that the jump forms no
    loop.
    """
    address, target = int(row["address"], 16), int(row["target"], 16)
    return Jump(address, target if target >= start else address + 1, row["op"] not in UNCONDITIONAL)


def reachable(functions: dict[str, MachineFunction], entry: str) -> list[str]:
    """Return ``entry`` and all functions that it calls directly or indirectly, except for those behind linker stubs."""
    found, waiting = [], [entry]
    while waiting:
        name = waiting.pop()
        if name in functions and name not in found and not name.endswith("@plt"):
            found.append(name)
            waiting += sorted(functions[name].calls)
    return found


def closing(jumps: tuple[Jump, ...]) -> list[Jump]:
    """Return the backward jumps that close a loop.

    Of several jumps to one address, only the last one is returned.

    Two loops that overlap are one loop, which the later jump closes, because the earlier jump leads into its
    middle.
    """
    loops = {jump.target: jump for jump in jumps if jump.target <= jump.address}
    found: list[Jump] = []
    for loop in sorted(loops.values(), key=lambda jump: jump.address):
        while found and found[-1].target < loop.target <= found[-1].address:
            loop = replace(loop, target=found.pop().target)
        found.append(loop)
    return found


def innermost(jumps: tuple[Jump, ...]) -> list[Jump]:
    """Return the jumps that close loops without inner loops."""
    loops = closing(jumps)
    return [a for a in loops if not any(a is not b and a.target <= b.target and b.address <= a.address for b in loops)]


def suspects(function: MachineFunction, entry: bool, looping: Collection[str] = ()) -> set[int]:
    """Return the addresses of the conditional jumps that may depend on data.

    These are the jumps in innermost loops that close no loop, and all jumps of a function without loops. The
    loop of the entry function runs over transforms; if the entry has no loop, its jumps may still test
    whether there are any transforms, so they are not returned.

    Args:
        function: The function.
        entry: Whether it is the entry function.
        looping: The names of functions with loops. A loop that calls one of them is not an innermost one.
    """
    asked = {jump.address for jump in function.jumps if jump.conditional}
    loops = closing(function.jumps)
    if not loops:
        return set() if entry else asked
    inner = [loop for loop in innermost(function.jumps) if not function.calls_in(loop) & set(looping)]
    inside = {address for address in asked for loop in inner if loop.target <= address <= loop.address}
    return inside - {loop.address for loop in loops}
