"""Loops of compiled functions, and the uops of their instructions on ports for vectors."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from momagen.bench.x86.assembly import MachineFunction, disassemble, parse
from momagen.bench.x86.uops import VECTORS, Use, uses
from momagen.emit import Source
from momagen.emit.c.functions import UNROLL
from momagen.runtime import Compiler, compile_shared

ELSEWHERE = ("vector load", "vector store")
"""Classes of uops that other ports execute."""
RETURN = re.compile(r":\s+(?:repz\s+)?ret")
FOLD = "if (left) {"
"""The test, in generated code, whether products are left when a sum is full."""
SLOTS = {"low multiply": 3}
"""Uops of an instruction, where it is more than one: `vpmullq` on Intel's cores."""


def compiled(source: Source, compiler: Compiler | None, options: Sequence[str] = ()) -> dict[str, MachineFunction]:
    """Return the functions of a kernel as compiled with ``options``, by name."""
    flags = ["-std=c99", *source.spec.target.flags, *options]
    headers = {f"{source.name}.h": source.header}
    path = compile_shared(source.source, name=source.name, flags=flags, includes=headers, compiler=compiler)
    return parse(disassemble(path))


def compiled_as_loops(source: Source, compiler: Compiler | None, unrolled: int) -> dict[str, MachineFunction]:
    """Return the functions of a kernel as compiled without the ``unrolled`` copies of a loop.

    There is no copy of a loop for each kind of operand either, so that each loop of the program is one loop.
    """
    several, one = (UNROLL.format(count=count) for count in (unrolled, 1))
    assert several in source.source, "a kernel with unrolled loops"
    rolled = replace(source, source=source.source.replace(several, one))
    return compiled(rolled, compiler, ["-fno-unswitch-loops", "-fno-version-loops-for-strides", "-fno-thread-jumps"])


def without_folds(source: Source) -> Source:
    """Return a key switch without the code that folds full sums, for so few digits that no sum is full."""
    assert source.source.count(FOLD) == 1, "a kernel that folds sums"
    return replace(source, source=source.source.replace(FOLD, "if (0) {"))


def copies(functions: dict[str, MachineFunction], name: str) -> list[MachineFunction]:
    """Return a function as compiled: the shortest copy for one group of columns, the longest copy for many groups."""
    found = (function for key, function in functions.items() if key.split(".")[0] == name)
    return sorted(found, key=lambda function: len(function.lines))


def loops(function: MachineFunction) -> list[Counter[Use]]:
    """Return the uses of ports in each loop of a function, the innermost loop first.

    A function without loops counts as one; loops that work on no vectors, such as loops over pointers, are left out.
    """
    found = [uses_within(function, *span) for span in _spans(function) or [(0, sys.maxsize)]]
    return [each for each in found if vector_uops(each)]


def nest(function: MachineFunction) -> list[Counter[Use]]:
    """Return the uses of ports in the loops of a function's deepest nest, the innermost loop first."""
    return [uses_within(function, *span) for span in _nest(function)]


def _nest(function: MachineFunction) -> list[tuple[int, int]]:
    """Return the first and the last address of each loop of the deepest nest, the innermost loop first."""
    spans = [span for span in _spans(function) if vector_uops(uses_within(function, *span))]
    nests = [[(a, b) for a, b in spans if a <= first and last <= b] for first, last in spans]
    return max(nests, key=len)


def innermost(function: MachineFunction) -> list[Counter[Use]]:
    """Return the uses of ports in each loop of a function that has no loop within it and works on vectors."""
    return [Counter(use for text in body for use in uses(text)) for body in innermost_bodies(function)]


def innermost_bodies(function: MachineFunction) -> list[list[str]]:
    """Return the instructions of each of these loops."""
    spans = _spans(function)
    alone = [(a, b) for a, b in spans if not any(a <= c and d <= b and (a, b) != (c, d) for c, d in spans)]
    return [[*_within(function, *span)] for span in alone if vector_uops(uses_within(function, *span))]


def repeated(function: MachineFunction, times: int) -> list[str]:
    """Return the instructions of the outermost loop of a nest with ``times`` iterations of the innermost one."""
    (first, last), *_, (start, end) = _nest(function)
    before, after = _within(function, start, first - 1), _within(function, last + 1, end)
    return [*before, *[*_within(function, first, last)] * times, *after]


def _spans(function: MachineFunction) -> list[tuple[int, int]]:
    """The first and the last address of each loop of a function, the shortest loop first.

    What follows a return is no part of a loop, although it may jump back into one.
    """
    returns = [_address(line) for line in function.lines if RETURN.search(line)]
    back = [jump for jump in function.jumps if jump.target <= jump.address
            and (jump.conditional or not any(jump.target < at < jump.address for at in returns))]  # fmt: skip
    by_start = {jump.target: jump.address for jump in sorted(back, key=lambda jump: jump.address)}
    return sorted(by_start.items(), key=lambda span: span[1] - span[0])


def uses_within(function: MachineFunction, first: int, last: int) -> Counter[Use]:
    """Return the uses of ports of the instructions from one address to another."""
    return Counter(use for text in _within(function, first, last) for use in uses(text))


def vector_uops(found: Counter[Use]) -> int:
    """Return how many uops the ports for vectors execute."""
    here = {use: count for use, count in found.items() if use[1] in VECTORS and use[0] not in ELSEWHERE}
    return sum(count * SLOTS.get(name, 1) for (name, _), count in here.items())


def _within(function: MachineFunction, first: int, last: int) -> Iterator[str]:
    for line in function.lines:
        _, _, text = line.partition(":")
        if text and first <= _address(line) <= last:
            yield text.strip()


def _address(line: str) -> int:
    """The address of an instruction in the lines of a function."""
    return int(line.partition(":")[0], 16)
