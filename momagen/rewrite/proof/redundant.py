"""Proves that a splitting rule bears digits with slack (``digits.slack``): numbers are right, their digits are not."""

from __future__ import annotations

import random
from collections.abc import Sequence

from momagen.ir import OPS
from momagen.rewrite.operations.composites import CONSTANTS
from momagen.rewrite.rules.rule import Rule

from .cases import every_case
from .prove import BrokenError, Integers, Proof

SUMS = ("add", "addlo", "addc", "addclo", "sublo", "subblo")
"""What goes digit by digit."""
NORMAL = ("shr", "shrd", "low", "word")
"""Operations whose results have normal digits."""


class Loose(int):
    """A number by digits of any size and sign."""


class LooseIntegers(Integers):
    """Integers of which sums, products and what is joined from them fall into digits of any size and sign.

    Attributes:
        modular: whether sums are meant modulo 2^w; otherwise they must not leave their width.
        rng: what moves between neighbouring digits.
    """

    def __init__(self, high: int, modular: bool, rng: random.Random) -> None:
        super().__init__(high)
        self.modular, self.rng = modular, rng

    def emit(self, op: str, width: int, *args: int, k: int) -> Sequence[int]:
        if op in SUMS:
            return self._sum(op, width, *args)
        kind = int if op in NORMAL or op in CONSTANTS else Loose
        return [kind(made) for made in super().emit(op, width, *args, k=k)]

    def _sum(self, op: str, width: int, first: int, *more: int) -> Sequence[int]:
        total = first + (-1 if op.startswith("sub") else 1) * sum(more)
        if len(OPS[op].results) == 2:
            return 0, Loose(total)
        if not self.modular and total >> width:
            raise BrokenError(f"{op} at {width} bits gives {total:#x}, which does not fit")
        return (Loose(total % (1 << width)),)

    def join(self, digits: Sequence[int], weight: int) -> int:
        joined = super().join(digits, weight)
        return Loose(joined) if any(isinstance(digit, Loose) for digit in digits) else joined

    def split(self, value: int, weight: int, count: int) -> Sequence[int]:
        loose = isinstance(value, Loose)
        return self._apart(value, weight, count, 2) if loose else super().split(value, weight, count)

    def cut(self, value: int, weight: int) -> Sequence[int]:
        return self._apart(value, weight, 2, 0) if isinstance(value, Loose) else super().cut(value, weight)

    def _apart(self, value: int, weight: int, count: int, most: int) -> Sequence[int]:
        """Digits below the leading one may be less than they should, or more by ``most`` times their weight."""
        found: list[int] = []
        for _ in range(count - 1):
            found.append((value & (1 << weight) - 1) + (self.rng.randint(min(-most, -1), most) << weight))
            value = value - found[-1] >> weight
        return [*map(Loose, (value, *reversed(found)))]


class LooseProof(Proof):
    """A proof on loose integers."""

    def __init__(self, rule: Rule, w: int, rng: random.Random) -> None:
        super().__init__(rule, w)
        self.rng = rng
        self.free = {at for _, at in self.single if self.row.args[at] == "i"}

    def algebra(self, high: int) -> Integers:
        return LooseIntegers(high, self.rule.op == "mullo", self.rng)

    def run(self, k: int, args: Sequence[int]) -> None:
        super().run(k, [Loose(arg) if at in self.free else arg for at, arg in enumerate(args)])

    def check(self, k: int, args: Sequence[int], got: tuple[int, ...]) -> None:
        if self.rule.op in ("mullo", "mul"):
            total = got[-1] + (got[0] << self.width) * (len(got) - 1)
            got = (total >> self.width, total % (1 << self.width))[-len(got) :]
        super().check(k, args, got)


def check_slack(rule: Rule, w: int, rng: random.Random, times: int) -> int:
    """How many inputs of digits of ``w`` bits the rule was tried on, each ``times`` times with other digits inside.

    Raises:
        RuleError: it does not bear digits with slack; the message names the rule and the inputs.
    """
    return LooseProof(rule, w, rng).tried(every_case(rule.op, rule.digits, w), times)
