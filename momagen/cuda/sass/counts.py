"""What a kernel consists of, counted: instructions by mnemonic and class, and the arithmetic of a butterfly.

An instruction belongs to the arithmetic where a stored value depends on it through registers, and to the addresses
where only the places of loads and stores, or the kernel's control flow, depend on it. Loads end the search: what leads
to their addresses is no arithmetic on what they load. Counted so, the arithmetic of a radix-2 codelet, which loads x, y
and a twiddle and stores X and Y, is its butterfly.
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
"""The stack pointer, which every kernel sets, whether or not it has a stack."""


@dataclass(frozen=True)
class SassCount:
    """Instructions of a kernel, or of a part of it.

    Attributes:
        total: of all kinds. mnemonics: by mnemonic with its modifiers. classes: by the name of the class.
    """

    total: int
    mnemonics: Counter[str] = field(default_factory=Counter)
    classes: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class SassParts:
    """A straight-line kernel in parts.

    Attributes:
        arithmetic: what stored values depend on. addresses: what only addresses and control flow depend on.
        memory: loads and stores, and reads of constants and special registers. control: ends, jumps, barriers.
    """

    arithmetic: tuple[SassLine, ...]
    addresses: tuple[SassLine, ...]
    memory: tuple[SassLine, ...]
    control: tuple[SassLine, ...]


def instructions_of(function: SassFunction | Iterable[SassLine]) -> SassCount:
    """All instructions of a function, padding apart, or of the lines given."""
    lines = function.lines if isinstance(function, SassFunction) else tuple(function)
    mnemonics = Counter(line.mnemonic for line in lines)
    classes: Counter[str] = Counter()
    for mnemonic, count in mnemonics.items():
        classes[class_of(mnemonic).name] += count
    return SassCount(len(lines), mnemonics, classes)


def butterfly_of(function: SassFunction) -> SassCount:
    """The arithmetic between a codelet's loads and its stores, addresses apart.

    Raises:
        MomagenError: it has loops or calls, so that its listing is not what runs.
    """
    return instructions_of(parts_of(function).arithmetic)


def parts_of(function: SassFunction) -> SassParts:
    """Return the parts of a kernel without loops; every instruction belongs to one part.

    Raises:
        MomagenError: the kernel has loops or calls.
    """
    if function.loops:
        raise MomagenError("a kernel without loops and calls", function.loops[0], f"kernel {function.name}")
    return parts_of_lines(function.lines)


def parts_of_lines(lines: Sequence[SassLine]) -> SassParts:
    """Return the parts of lines that run one after the other, such as the body of a loop; every line is in one part."""
    parts: dict[str, list[SassLine]] = {"arithmetic": [], "addresses": [], "memory": [], "control": []}
    wanted = _Wanted(set(), {STACK})
    for line in reversed(lines):
        parts[wanted.before(line)].append(line)
    return SassParts(**{name: tuple(reversed(lines)) for name, lines in parts.items()})


@dataclass
class _Wanted:
    """Registers whose values are still needed, from the end backwards: ``values`` by what is stored, ``places`` by
    addresses and control flow."""

    values: set[str]
    places: set[str]

    def before(self, line: SassLine) -> str:
        """Step over a line; the part that it belongs to."""
        kind = class_of(line.mnemonic).kind
        if kind == "control":
            self.places |= line.reads
            return "control"
        value, place = not self.values.isdisjoint(line.writes), not self.places.isdisjoint(line.writes)
        if not line.guards:  # under a predicate the old value may last
            self.values -= line.writes
            self.places -= line.writes
        if line.stores:
            self.values |= line.values
            self.places |= line.addresses | line.guards
            return "memory"
        if line.loads or kind == "constant":
            self.places |= line.reads
            return "memory"
        if value or not place:  # what nothing reads was not left out by ptxas, so it is counted
            self.values |= line.reads
            return "arithmetic"
        self.places |= line.reads
        return "addresses"
