"""The names of values as in the papers.

A number is a letter, whose limbs are numbered from the high end, and carries are called δ.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from momagen.ir import Block, Value, leaves, words

POOL = "cdefghmnprstuxyz"
FLAG = "δ"
_ASCII = {"δ": "delta", "μ": "mu", "′": "p", "″": "pp"}
_SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Symbol:
    """A letter with optional marks.

    Attributes:
        letter: The letter.
        digit: The number of the limb, or None if the number has one limb.
        bits: The width in bits, which is printed as in ``a:128``, or None.
    """

    letter: str
    digit: int | None = None
    bits: int | None = None

    def __str__(self) -> str:
        low = "" if self.digit is None else str(self.digit).translate(_SUBSCRIPT)
        return self.letter + low + ("" if self.bits is None else f":{self.bits}")

    @property
    def code(self) -> str:
        """The name in source text, such as ``d_0`` or ``delta_1``."""
        plain = "".join(_ASCII.get(char, char) for char in self.letter)
        return plain if self.digit is None else f"{plain}_{self.digit}"


@dataclass(frozen=True)
class Power:
    """A power of two."""

    exponent: int

    def __str__(self) -> str:
        return "2" + str(self.exponent).translate(_SUPERSCRIPT)


Token = str | Symbol | Power


def _letters(taken: Container[str]) -> Iterator[str]:
    """Yield letters that are not taken, then letters with primes, then numbered ones."""
    yield from (letter for prime in ("", "′", "″") for x in POOL if (letter := x + prime) not in taken)
    yield from (f"u{number}" for number in count(1))


class Names:
    """The names of values at one level of rewriting; :meth:`split` derives the names of the next level.

    A value has a letter and a position among the limbs of that letter. Limbs that are known to be zero have
    no name, so that the printed limbs are numbered without gaps.

    Args:
        block: The block whose values are named.
        level: The number of bits of a limb.
        q: A baked-in modulus, which is written as q, or 0.
    """

    def __init__(self, block: Block, level: int, q: int = 0) -> None:
        self.level, self.known = level, {q: "q"} if q else {}
        self._free = _letters((*block.inputs, *block.outputs))
        self._places: dict[int, tuple[str, int]] = {}
        for name, value in (*block.inputs.items(), *block.outputs.items()):
            if value.kind == "flag":
                self._flag(value)
            else:
                self._place(leaves(value), name)
        for instr in block.instrs:
            self.group(instr.results)
        self._rank()

    def _place(self, values: Iterable[Value], letter: str, first: int = 0) -> None:
        for position, value in enumerate(values, first):
            if not value.is_const:
                self._places.setdefault(id(value), (letter, position))

    def _flag(self, flag: Value) -> None:
        """Name ``flag`` with the next δ."""
        self._place([flag], FLAG, 1 + max((p for letter, p in self._places.values() if letter == FLAG), default=-1))

    def _rank(self) -> None:
        """Assign consecutive numbers to the limbs of each letter."""
        of: dict[str, list[tuple[int, int]]] = {}
        for key, (letter, position) in self._places.items():
            of.setdefault(letter, []).append((position, key))
        self._symbols = {
            key: Symbol(letter, rank if len(places) > 1 else None)
            for letter, places in of.items()
            for rank, (_, key) in enumerate(sorted(places))
        }

    def group(self, values: Iterable[Value], alive: set[int] | None = None) -> None:
        """Give the unnamed words of one result, high part first, a new letter, and each flag the next δ.

        Args:
            values: The values of the result.
            alive: The values that get names, by ``id``, or None for all.
        """
        free = [v for v in values if id(v) not in self._places and not v.is_const]
        fresh = [v for v in free if alive is None or id(v) in alive]
        for flag in (v for v in fresh if v.kind == "flag"):
            self._flag(flag)
        named = [v for v in fresh if v.kind == "word"]
        if named:
            self._place(named, next(self._free))

    def split(self, known: dict[int, Value], level: int) -> None:
        """Derive the names at a narrower level: limb i of a letter becomes the limbs r·i to r·i + r - 1.

        Args:
            known: The new value of each old one, by ``id``.
            level: The number of bits of a limb at the new level.
        """
        ratio, old = self.level // level, self._places
        self._places, self.level = {}, level
        for key, (letter, position) in old.items():
            if key in known:
                long = -(-known[key].hi.bit_length() // level)  # a single number may have more limbs than the ratio
                low_first = words(known[key], level, max(ratio, long)) if letter != FLAG else [known[key]]
                self._place(reversed(low_first), letter, position * ratio)

    def settle(self) -> None:
        """Assign numbers to the limbs, after all values of this level have letters."""
        self._rank()

    def __contains__(self, value: Value) -> bool:
        return id(value) in self._symbols

    def __getitem__(self, value: Value) -> Symbol:
        return self._symbols[id(value)]
