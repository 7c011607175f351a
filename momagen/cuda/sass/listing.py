"""The listing of machine code by nvdisasm: the functions of a cubin with their instructions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from momagen import processes
from momagen.cuda.places import program
from momagen.errors import MomagenError, build_error
from momagen.runtime import cache

from .line import SassLine, read_line

INSTALL = "python3 -m pip install nvidia-cuda-nvdisasm"
SECTION = re.compile(r"\.text\.(\S+):")
LABEL = re.compile(r"(\.L\S*):")
CODE = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;.*")
PADDING = ("BRA", "NOP")


@dataclass(frozen=True)
class SassFunction:
    """A function as a disassembler lists it.

    Attributes:
        name: The name.
        lines: Its instructions in order, without the padding after its end.
        labels: For each label, the index of the next instruction.
    """

    name: str
    lines: tuple[SassLine, ...]
    labels: Mapping[str, int]

    @property
    def loops(self) -> list[str]:
        """The backward jumps and calls, at which the order of the listing is not the order of execution."""
        back = {end for _, end in self._back}
        calls = ("CALL", "BRX", "RET")
        return [str(line) for number, line in enumerate(self.lines) if number in back or line.base in calls]

    @property
    def bodies(self) -> list[tuple[SassLine, ...]]:
        """The instructions of each loop, from the target of a backward jump to the jump."""
        return [self.lines[start : end + 1] for start, end in self._back]

    @property
    def innermost(self) -> list[tuple[SassLine, ...]]:
        """The instructions of each loop that contains no other loop."""
        loops = self._back
        inner = [(start, end) for start, end in loops
                 if not any((start, end) != (a, b) and start <= a and b <= end for a, b in loops)]  # fmt: skip
        return [self.lines[start : end + 1] for start, end in inner]

    @property
    def _back(self) -> list[tuple[int, int]]:
        """The indices of the targets of backward jumps and of these jumps."""
        found = []
        for number, line in enumerate(self.lines):
            goal = re.search(r"\((\.L\S*)\)", " ".join(line.operands))
            if line.base == "BRA" and goal is not None and self.labels.get(goal[1], 0) <= number:
                found.append((self.labels.get(goal[1], 0), number))
        return found


def disassemble(cubin: bytes) -> dict[str, SassFunction]:
    """Return the functions of machine code, by name.

    Raises:
        MomagenError: nvdisasm is not installed, or it cannot read the file.
    """
    tool = program("nvdisasm")
    if tool is None:
        raise build_error("NVIDIA's disassembler nvdisasm was not found", "CUDA", f"install it ({INSTALL})")
    with cache.work() as work:
        path = Path(work) / "kernel.cubin"
        path.write_bytes(cubin)
        try:
            done = processes.run([str(tool), "-c", str(path)])
        except OSError as error:
            raise build_error(f"the disassembler cannot be started ({error})", str(tool)) from None
    if done.returncode:
        said = " ".join(done.stderr.split())
        raise build_error(f"nvdisasm cannot read the machine code of {len(cubin)} bytes ({said})", "cubin")
    return read_listing(done.stdout)


def read_listing(text: str) -> dict[str, SassFunction]:
    """Return the functions of a listing that ``nvdisasm -c`` printed.

    Raises:
        MomagenError: A line is not an instruction.
    """
    found: dict[str, tuple[list[SassLine], dict[str, int]]] = {}
    lines: list[SassLine] = []
    labels: dict[str, int] = {}
    for number, row in enumerate(map(str.strip, text.splitlines()), 1):
        if section := SECTION.fullmatch(row):
            lines, labels = found.setdefault(section[1], ([], {}))
        elif label := LABEL.fullmatch(row):
            labels[label[1]] = len(lines)
        elif code := CODE.fullmatch(row):
            if (line := read_line(code[1])) is None:
                raise MomagenError("a SASS instruction", code[1], f"listing, line {number}")
            lines.append(line)
    return {name: SassFunction(name, _without_padding(*each), each[1]) for name, each in found.items()}


def _without_padding(lines: list[SassLine], labels: Mapping[str, int]) -> tuple[SassLine, ...]:
    """Return the lines without the jumps and no-operations after the final exit."""
    end = len(lines)
    while end and lines[end - 1].base in PADDING and not lines[end - 1].predicate:
        end -= 1
    return tuple(lines[:end] if end and lines[end - 1].base == "EXIT" else lines)
