"""One SASS instruction: its predicate, mnemonic and operands, and the registers that it reads and writes.

NVIDIA documents the names of instructions (CUDA Binary Utilities, "Instruction Set Reference") but not their
operands. The rules in this module were derived from code that ptxas generates: destinations come first,
written predicates follow them, and a width in the mnemonic (WIDE, 64, 128, F64) determines the number of
registers of an operand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

REGISTER = re.compile(r"(?<![\w.])(UR|UP|R|P)(\d+)(\.64)?")
PREDICATE = re.compile(r"!?U?P(\d|T)")
FORM = re.compile(r"(?:@(!?U?P(?:\d|T)) +)?([A-Z][\w.]*)(?: +(.*))?")
STORES = ("ST", "STG", "STS", "STL", "RED", "REDG")
LOADS = ("LD", "LDG", "LDS", "LDL", "LDC", "ULDC", "LDCU", "LDSM")
ATOMICS = ("ATOM", "ATOMG", "ATOMS")
MEMORY = (*STORES, *LOADS, *ATOMICS)
NO_RESULT = (*STORES, "BAR", "BRA", "BRX", "CALL", "RET", "EXIT", "NOP", "MEMBAR", "DEPBAR", "LDGDEPBAR", "BSSY",
             "BSYNC", "WARPSYNC", "ERRBAR", "CCTL", "BPT", "NANOSLEEP", "YIELD", "BREAK", "KILL")  # fmt: skip
SETS_PREDICATES = ("ISETP", "UISETP", "FSETP", "DSETP", "HSETP2", "PLOP3", "UPLOP3")
"""The instructions that write their first two operands."""
DOUBLES = ("DFMA", "DADD", "DMUL", "DSETP", "DMNMX")
CONVERSIONS = ("I2F", "F2I", "F2F", "I2I")
TYPES = ("F64", "U64", "S64", "F32", "U32", "S32", "F16")
SIZES = {"64": 2, "128": 4, "256": 8}
ALL_PREDICATES = frozenset(f"P{number}" for number in range(7))


@dataclass(frozen=True)
class SassLine:
    """A SASS instruction.

    Attributes:
        predicate: The predicate under which it is executed, such as "P0" or "!P0", or "".
        mnemonic: The mnemonic with all modifiers, such as "IMAD.WIDE.U32.X".
        operands: The operands as printed, destinations first.
    """

    predicate: str
    mnemonic: str
    operands: tuple[str, ...]

    def __str__(self) -> str:
        guard = f"@{self.predicate} " if self.predicate else ""
        return f"{guard}{self.mnemonic} {', '.join(self.operands)}".rstrip()

    @property
    def base(self) -> str:
        """The mnemonic without modifiers, such as "IMAD"."""
        return self.mnemonic.partition(".")[0]

    @property
    def stores(self) -> bool:
        """Whether it stores to memory."""
        return self.base in (*STORES, *ATOMICS)

    @property
    def loads(self) -> bool:
        """Whether it loads from memory or a constant bank."""
        return self.base in LOADS

    @property
    def writes(self) -> frozenset[str]:
        """The registers ("R4", "UR6") and predicates ("P0") that it writes."""
        if self.base == "R2P":
            return ALL_PREDICATES
        return frozenset(self._registers(self.operands[: self.results], True))

    @property
    def reads(self) -> frozenset[str]:
        """The registers and predicates that it reads, including its own predicate."""
        packs = ALL_PREDICATES if self.base == "P2R" else frozenset()
        return frozenset(self._registers(self.operands[self.results :], False)) | self.guards | packs

    @property
    def guards(self) -> frozenset[str]:
        """Its predicate in a set, which is empty without a predicate."""
        name = self.predicate.lstrip("!")
        return frozenset({name}) if name and not name.endswith("T") else frozenset()

    @property
    def addresses(self) -> frozenset[str]:
        """The registers from which a load or store computes its address, which are in brackets."""
        inside = [operand for operand in self.operands[self.results :] if "[" in operand]
        return frozenset(self._registers(inside, False)) if self.base in MEMORY else frozenset()

    @property
    def values(self) -> frozenset[str]:
        """The registers that it reads as values, which are its sources except for addresses.

        For a store, these are the registers that it stores.
        """
        sources = [operand for operand in self.operands[self.results :] if "[" not in operand]
        return frozenset(self._registers(sources, False))

    @property
    def results(self) -> int:
        """The number of operands that it writes, which are the first ones."""
        if self.base in NO_RESULT:
            return 0
        if self.base in SETS_PREDICATES:
            return 2
        count = 0
        while count < len(self.operands) and PREDICATE.fullmatch(self.operands[count]):
            count += 1
        count += 1
        most = count + (1 if self.base in ("VOTE", "VOTEU") else 2)
        while count < min(most, len(self.operands)) and PREDICATE.fullmatch(self.operands[count]):
            count += 1
        return min(count, len(self.operands))

    def _registers(self, operands: tuple[str, ...] | list[str], written: bool) -> Iterator[str]:
        """Yield the registers and predicates of operands, one for each 32 bits."""
        for place, operand in enumerate(operands):
            for kind, number, double in REGISTER.findall(operand):
                width = 1 if kind in ("P", "UP") else self._width(place, written)
                if "[" in operand:
                    width = 2 if double or (operand.startswith("desc") and kind == "UR") else 1
                yield from (f"{kind}{int(number) + offset}" for offset in range(width))

    def _width(self, place: int, written: bool) -> int:
        """Return the number of registers of an operand; ``place`` is its index among the results or the sources."""
        parts = self.mnemonic.split(".")
        third = not written and place == 2
        if self.base in ("IMAD", "UIMAD"):
            return 2 if (third and {"WIDE", "HI"} & {*parts}) or (written and "WIDE" in parts) else 1
        if self.base in DOUBLES or (self.base == "CS2R" and "32" not in parts):
            return 2
        if self.base in CONVERSIONS:
            return 2 if _long(parts, self.base, written) else 1
        return next((SIZES[part] for part in parts[1:] if part in SIZES), 1)


def read_line(text: str) -> SassLine | None:
    """Return an instruction as a disassembler prints it, without address and semicolon, or None for other text."""
    found = FORM.fullmatch(re.sub(r"\s+", " ", text).strip(" {}"))
    if not found:
        return None
    return SassLine(found[1] or "", found[2], tuple(_split(found[3] or "")))


def _split(text: str) -> Iterator[str]:
    for operand in text.split(","):
        if operand.strip():
            yield operand.strip().replace(".reuse", "")


def _long(parts: list[str], base: str, written: bool) -> bool:
    """Return whether the result or the source of a conversion has 64 bits.

    A single type is that of the floating-point side.
    """
    types = [part for part in parts if part in TYPES]
    if len(types) == 1:
        return types[0].endswith("64") and written == (base == "I2F")
    return bool(types) and types[0 if written else -1].endswith("64")
