"""The number of times that a kernel executes each of its machine instructions, by counters in its loops.

A mark is one instruction that increments a counter; every copy of it that the compiler makes has its own
counter. All instructions of a basic block are executed as often as the mark in it. A mark changes neither
registers nor other memory, so the compiler generates the same code as without marks.
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
PLACES = re.compile(r"^( *for \(.*\) \{|static MG_NOINLINE .*\n\{|( *for \(.*\)\n)+ *[^{}\n]*;)$", re.MULTILINE)
"""The places where generated code gets marks: in every loop, in functions that a loop may call, and behind loops
without braces, because the instructions there are in another basic block than those before the loop."""
COUNTING = re.compile(r"(?:inc|dec|add|sub|cmp|test|lea|j\w+)[lq]?\s.*")
"""The instructions that close a loop. They are not counted, because without a mark a compiler may execute
them once for several iterations."""
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S.*)$")
JUMP = re.compile(r"(?:(?:bnd|notrack) )?(?:j[a-z]+)\s+(?:0x)?([0-9a-f]+)?|(?:rep )?ret|ud2")
FRAME = re.compile(r"movq? +%rsp, ?%rbp")
COUNTER = re.compile(r"incq\s+(?:0x|-0x)?[0-9a-f]+\(%rip\)\s+# (?:0x)?([0-9a-f]+)")

Instruction = tuple[int, str]


@dataclass(frozen=True)
class BasicBlock:
    """A sequence of instructions that are executed together or not at all.

    Attributes:
        instructions: The instructions without marks.
        counters: The addresses of the counters of its marks.
    """

    instructions: tuple[Instruction, ...]
    counters: tuple[int, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The instructions without their addresses."""
        return tuple(text for _, text in self.instructions)


def marked(source: Source) -> Source:
    """Return the source with marks in all basic blocks that a loop may execute."""
    return replace(source, source=PLACES.sub(lambda place: f"{place[1]} {MARK}", source.source))


@dataclass(frozen=True)
class Loaded:
    """The functions of a loaded library.

    Attributes:
        functions: The instructions of each function, with their addresses in the file.
        base: The difference between addresses in memory and addresses in the file.
    """

    functions: dict[str, list[Instruction]]
    base: int

    @classmethod
    def of(cls, library: Path, name: str, address: int) -> Loaded:
        """Return the library in the file ``library``, whose function ``name`` is loaded at ``address``."""
        functions = parse(disassemble(library))
        return cls(functions, address - functions[name][0][0])


def executions(
    kernel: Built, batch: int, prepare: Callable[[Loaded], None] = lambda loaded: None
) -> Counter[Instruction]:
    """Return the number of times that one call of a marked kernel executes every instruction.

    Args:
        kernel: The marked kernel.
        batch: The number of transforms, products or elements in the call.
        prepare: A function that is called with the loaded library before the call.
    """
    call = kernel_call(kernel, batch)
    name = f"{kernel.compiled.name}_execute"
    loaded = Loaded.of(library_path(kernel.compiled), name, call.job.function)
    prepare(loaded)
    return executed(loaded, call.once)


def executed(library: Loaded, run: Callable[[], object]) -> Counter[Instruction]:
    """Return how often ``run()`` executes every instruction in the marked blocks of ``library``."""
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
    """Return the sums of the counts of equal instructions at different addresses."""
    found: Counter[str] = Counter()
    for (_, text), times in counts.items():
        found[text] += times
    return found


def _value(address: int) -> int:
    return ctypes.c_uint64.from_address(address).value


def parse(listing: str) -> dict[str, list[Instruction]]:
    """Return the instructions of every function in a disassembler's listing, with their addresses."""
    functions: dict[str, list[Instruction]] = {}
    body: list[Instruction] = []
    for line in listing.splitlines():
        if head := FUNCTION.match(line):
            body = functions.setdefault(head["name"], [])
        elif row := INSTRUCTION.match(line):
            body.append((int(row[1], 16), " ".join(row[2].split())))
    return functions


def blocks(body: list[Instruction]) -> Iterator[BasicBlock]:
    """Yield the basic blocks of a function, which begin at the targets of jumps and end with jumps."""
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
    """Return the instructions with %rsp as the only name of the frame register, if the function copies %rsp to %rbp."""
    framed = any(FRAME.fullmatch(text) for _, text in body)
    return [(address, text.replace("(%rbp", "(%rsp")) for address, text in body] if framed else body


def _goal(text: str) -> int | None:
    """Return the address to which an instruction jumps, or None."""
    jump = JUMP.match(text)
    return int(jump[1], 16) if jump and jump[1] else None


def _block(part: list[Instruction]) -> BasicBlock:
    marks = [mark for _, text in part if (mark := COUNTER.match(text))]
    rest = [each for each in part if not COUNTER.match(each[1])]
    if _goal(part[-1][1]) == part[0][0]:
        while rest and COUNTING.fullmatch(rest[-1][1]):
            rest.pop()
    return BasicBlock(tuple(rest), tuple(int(mark[1], 16) for mark in marks))
