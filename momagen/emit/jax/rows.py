"""The printer of straight-line code on arrays: one statement for each result, as the target spells the operation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from momagen.ir import Block, Value
from momagen.targets import Target

LETTERS = "abcdefgh"


class ArrayRows:
    """The arrays of one function, by the values that they contain.

    Attributes:
        target: The target.
        names: The names of the arrays by the ids of the values.
    """

    def __init__(self, target: Target) -> None:
        self.target, self.names, self._fresh = target, dict[int, str](), count(1)

    def called(self, value: Value, name: str) -> None:
        """Record that the array ``name`` contains ``value``."""
        self.names[id(value)] = name

    def name(self, value: Value) -> str:
        """Return the name of the array that contains a value, or the text of a constant."""
        if not value.is_const:
            return self.names[id(value)]
        return f"np.bool_({bool(value.lo)})" if value.kind == "flag" else self.target.types["const"].format(x=value.lo)

    def lines(self, block: Block, materialised: Sequence[Sequence[Value]] = ()) -> Iterator[str]:
        """Yield one statement for each result, and the statements that materialise words.

        Args:
            block: The block.
            materialised: Groups of words. Each group is materialised as soon as all its words are computed.
        """
        left = [[each for each in some if not each.is_const] for some in materialised]
        for instr in block.instrs:
            words: dict[str, object] = {
                letter: self.name(arg) for letter, arg in zip(LETTERS, instr.args, strict=False)
            }
            mask = (1 << instr.k) - 1 if instr.k > 0 else 0
            words |= {"k": instr.k, "mask": self.target.types["const"].format(x=mask)}
            for value, text in zip(instr.results, self.target.spelling(instr.op).results, strict=True):
                self.called(value, f"t{next(self._fresh)}")
                yield f"{self.name(value)} = {text.format(**words)}"
            done = [some for some in left if all(id(each) in self.names for each in some)]
            for some in done:
                names = ", ".join(map(self.name, some))
                yield f"{names}{',' * (len(some) == 1)} = materialised({names})"
            left = [some for some in left if some not in done]
