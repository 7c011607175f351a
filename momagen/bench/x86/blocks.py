"""How often a kernel runs each of its machine instructions: counters in its loops, and the blocks that they stand in.

A mark is one instruction that counts, with a counter of its own wherever the compiler copies it to. All instructions of
a basic block run as often as the mark in it. A mark leaves registers and memory alone, so the rest of the code stays.
"""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from momagen.bench.measure.built import Built, library_path
from momagen.bench.measure.kernel import kernel_call
from momagen.emit import Source

from .assembly import FUNCTION, disassemble

MARK = (
    '__asm__ volatile("incq 1f(%%rip)\\n.pushsection momagen_marks, \\"aw\\"\\n.balign 8\\n1: .quad 0\\n.popsection"'
    ' : : : "cc");'
)
PLACES = re.compile(r"^( *for \(.*\) \{|static MG_NOINLINE .*\n\{)$", re.MULTILINE)
"""Where generated code gets marks: in every loop, and in functions that a loop may call."""
COUNTING = re.compile(r"(?:inc|dec|add|sub|cmp|test|lea|j\w+)[lq]?\s.*")
"""What closes a loop. It does not count: without a mark a compiler may do it once for several rounds."""
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S.*)$")
JUMP = re.compile(r"(?:(?:bnd|notrack) )?(?:j[a-z]+)\s+(?:0x)?([0-9a-f]+)?|(?:rep )?ret|ud2")
FRAME = re.compile(r"movq? +%rsp, ?%rbp")
COUNTER = re.compile(r"incq\s+(?:0x|-0x)?[0-9a-f]+\(%rip\)\s+# (?:0x)?([0-9a-f]+)")

Instruction = tuple[int, str]


@dataclass(frozen=True)
class BasicBlock:
    """Instructions of which all run or none, and the addresses of the counters among them."""

    instructions: tuple[Instruction, ...]
    counters: tuple[int, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The instructions without their addresses."""
        return tuple(text for _, text in self.instructions)


def marked(source: Source) -> Source:
    """``source`` with a mark in every loop."""
    return replace(source, source=PLACES.sub(lambda place: f"{place[1]} {MARK}", source.source))


@dataclass(frozen=True)
class Loaded:
    """The instructions of a library's functions, and how far from their addresses they are loaded."""

    functions: dict[str, list[Instruction]]
    base: int

    @classmethod
    def of(cls, library: Path, name: str, address: int) -> Loaded:
        """``library``, whose function ``name`` is loaded at ``address``."""
        functions = parse(disassemble(library))
        return cls(functions, address - functions[name][0][0])


def executions(
    kernel: Built, batch: int, prepare: Callable[[Loaded], None] = lambda loaded: None
) -> Counter[Instruction]:
    """How often one call of a marked kernel runs every instruction; ``prepare`` comes before it."""
    call = kernel_call(kernel, batch)
    name = f"{kernel.compiled.name}_execute"
    loaded = Loaded.of(library_path(kernel.compiled), name, call.job.function)
    prepare(loaded)
    return executed(loaded, call.once)


def executed(library: Loaded, run: Callable[[], object]) -> Counter[Instruction]:
    """How often every instruction of the marked blocks of ``library`` runs while ``run`` does."""
    base = library.base
    found = [block for body in library.functions.values() for block in blocks(body) if block.counters]
    before = [_value(base + block.counters[0]) for block in found]
    run()
    counts: Counter[Instruction] = Counter()
    for block, start in zip(found, before, strict=True):
        times = _value(base + block.counters[0]) - start
        counts.update(dict.fromkeys(block.instructions, times))
    return counts


def by_text(counts: Mapping[Instruction, int]) -> Counter[str]:
    """The same, wherever an instruction stands."""
    found: Counter[str] = Counter()
    for (_, text), times in counts.items():
        found[text] += times
    return found


def _value(address: int) -> int:
    return ctypes.c_uint64.from_address(address).value


def parse(listing: str) -> dict[str, list[Instruction]]:
    """The instructions of every function in a disassembler's text, with their addresses."""
    functions: dict[str, list[Instruction]] = {}
    body: list[Instruction] = []
    for line in listing.splitlines():
        if head := FUNCTION.match(line):
            body = functions.setdefault(head["name"], [])
        elif row := INSTRUCTION.match(line):
            body.append((int(row[1], 16), " ".join(row[2].split())))
    return functions


def blocks(body: list[Instruction]) -> Iterator[BasicBlock]:
    """The basic blocks of a function, cut before the goals of jumps and after jumps."""
    body = one_frame(body)
    goals = {goal for _, text in body if (goal := _goal(text))}
    part: list[Instruction] = []
    for address, text in body:
        if address in goals and part:
            yield _block(part)
            part = []
        part.append((address, text))
        if JUMP.match(text):
            yield _block(part)
            part = []
    if part:
        yield _block(part)


def one_frame(body: list[Instruction]) -> list[Instruction]:
    """``body`` with one name for the frame's register: %rbp, where the function makes it one, is %rsp too."""
    framed = any(FRAME.fullmatch(text) for _, text in body)
    return [(address, text.replace("(%rbp", "(%rsp")) for address, text in body] if framed else body


def _goal(text: str) -> int | None:
    """Where an instruction jumps to."""
    jump = JUMP.match(text)
    return int(jump[1], 16) if jump and jump[1] else None


def _block(part: list[Instruction]) -> BasicBlock:
    marks = [mark for _, text in part if (mark := COUNTER.match(text))]
    rest = [each for each in part if not COUNTER.match(each[1])]
    if _goal(part[-1][1]) == part[0][0]:
        while rest and COUNTING.fullmatch(rest[-1][1]):
            rest.pop()
    return BasicBlock(tuple(rest), tuple(int(mark[1], 16) for mark in marks))
