"""Instruction counts of a kernel: by mnemonic, by class, and of the arithmetic of a butterfly.

An instruction is part of the arithmetic if a stored value depends on it through registers. It is part of the
addresses if only the addresses of loads and stores, or the control flow, depend on it. Loads end the search,
because the computation of their addresses is not arithmetic on the loaded values. The arithmetic of a radix-2
codelet, which loads x, y and a twiddle and stores X and Y, is therefore its butterfly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from momagen.errors import MomagenError

from .classes import class_of
from .line import SassLine
from .listing import SassFunction

STACK = "R1"
"""The stack pointer, which every kernel initialises, also if it has no stack."""


@dataclass(frozen=True)
class SassCount:
    """The numbers of instructions of a kernel or of a part of it.

    Attributes:
        total: The number of all instructions.
        mnemonics: The numbers by mnemonic with its modifiers.
        classes: The numbers by the name of the class.
    """

    total: int
    mnemonics: Counter[str] = field(default_factory=Counter)
    classes: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class SassParts:
    """The parts of a straight-line kernel.

    Attributes:
        arithmetic: The instructions on which stored values depend.
        addresses: The instructions on which only addresses and control flow depend.
        memory: Loads and stores, and reads of constants and special registers.
        control: Exits, jumps and barriers.
    """

    arithmetic: tuple[SassLine, ...]
    addresses: tuple[SassLine, ...]
    memory: tuple[SassLine, ...]
    control: tuple[SassLine, ...]


def instructions_of(function: SassFunction | Iterable[SassLine]) -> SassCount:
    """Return the counts of all instructions of a function, without padding, or of some lines."""
    lines = function.lines if isinstance(function, SassFunction) else tuple(function)
    mnemonics = Counter(line.mnemonic for line in lines)
    classes: Counter[str] = Counter()
    for mnemonic, count in mnemonics.items():
        classes[class_of(mnemonic).name] += count
    return SassCount(len(lines), mnemonics, classes)


def butterfly_of(function: SassFunction) -> SassCount:
    """Return the counts of the arithmetic between a codelet's loads and its stores, without addresses.

    Raises:
        MomagenError: The function has loops or calls, so that its listing is not what is executed.
    """
    return instructions_of(parts_of(function).arithmetic)


def parts_of(function: SassFunction) -> SassParts:
    """Return the parts of a kernel without loops. Every instruction belongs to one part.

    Raises:
        MomagenError: The kernel has loops or calls.
    """
    if function.loops:
        raise MomagenError("a kernel without loops and calls", function.loops[0], f"kernel {function.name}")
    return parts_of_lines(function.lines)


def parts_of_lines(lines: Sequence[SassLine]) -> SassParts:
    """Return the parts of consecutive lines, such as the body of a loop. Every line belongs to one part."""
    parts: dict[str, list[SassLine]] = {"arithmetic": [], "addresses": [], "memory": [], "control": []}
    wanted = _Wanted(set(), {STACK})
    for line in reversed(lines):
        parts[wanted.before(line)].append(line)
    return SassParts(**{name: tuple(reversed(lines)) for name, lines in parts.items()})


@dataclass
class _Wanted:
    """The registers whose values are still needed, in an analysis from the end backwards.

    Attributes:
        values: The registers on which stored values depend.
        places: The registers on which addresses and control flow depend.
    """

    values: set[str]
    places: set[str]

    def before(self, line: SassLine) -> str:
        """Update the registers to those before a line, and return the part to which the line belongs."""
        kind = class_of(line.mnemonic).kind
        if kind == "control":
            self.places |= line.reads
            return "control"
        value, place = not self.values.isdisjoint(line.writes), not self.places.isdisjoint(line.writes)
        if not line.guards:  # if the predicate is false, the old value remains
            self.values -= line.writes
            self.places -= line.writes
        if line.stores:
            self.values |= line.values
            self.places |= line.addresses | line.guards
            return "memory"
        if line.loads or kind == "constant":
            self.places |= line.reads
            return "memory"
        if value or not place:  # ptxas did not remove a result that nothing reads, so it is counted
            self.values |= line.reads
            return "arithmetic"
        self.places |= line.reads
        return "addresses"
