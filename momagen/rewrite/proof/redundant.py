"""Proves that a splitting rule bears digits with slack (``digit_pass``): numbers are right, their digits are not."""

from __future__ import annotations

import random
from collections.abc import Sequence

from momagen.ir import OPS
from momagen.rewrite.operations.composites import CONSTANTS
from momagen.rewrite.rules.rule import Rule

from .cases import every_case
from .prove import Proof
from .straight_line import BrokenError, Function, Tape

SUMS = ("add", "addlo", "addc", "addclo", "sublo", "subblo")
"""What goes digit by digit."""
NORMAL = ("shr", "shrd", "low", "word")
"""Operations whose results have normal digits."""
TABLES = {"dot": {3}, "dot_near": {4, 5}}
"""The arguments that are tables: their rows are what their digits say, none of which is negative."""


class LooseTape(Tape):
    """A tape on which sums, products and what is joined from them fall into digits of any size and sign.

    Attributes:
        modular: whether sums are meant modulo 2^w; otherwise they must not leave their width.
        rng: what moves between neighbouring digits. loose: the numbers with such digits; at first some arguments.
    """

    def __init__(self, args: int, modular: bool, rng: random.Random, loose: set[int]) -> None:
        super().__init__(args)
        self.modular, self.rng, self.loose = modular, rng, loose

    def emit(self, op: str, width: int, *args: int, k: int) -> Sequence[int]:
        if op in SUMS:
            return self._loose(self._step(self._sum(op, width), args, len(OPS[op].results)))
        made = super().emit(op, width, *args, k=k)
        return made if op in NORMAL or op in CONSTANTS else self._loose(made)

    def _loose(self, made: Sequence[int]) -> Sequence[int]:
        self.loose.update(made)
        return made

    def _sum(self, op: str, width: int) -> Function:
        sign, carries = -1 if op.startswith("sub") else 1, len(OPS[op].results) == 2

        def summed(first: int, *more: int) -> Sequence[int]:
            total = first + sign * sum(more)
            if carries:
                return 0, total
            if not self.modular and total >> width:
                raise BrokenError(f"{op} at {width} bits gives {total:#x}, which does not fit")
            return (total % (1 << width),)

        return summed

    def join(self, digits: Sequence[int], weight: int) -> int:
        joined = super().join(digits, weight)
        return self._loose([joined])[0] if self.loose & set(digits) else joined

    def split(self, value: int, weight: int, count: int) -> Sequence[int]:
        return self._apart(value, weight, count, 2) if value in self.loose else super().split(value, weight, count)

    def cut(self, value: int, weight: int) -> Sequence[int]:
        return self._apart(value, weight, 2, 0) if value in self.loose else super().cut(value, weight)

    def _apart(self, value: int, weight: int, count: int, most: int) -> Sequence[int]:
        """Digits below the leading one may be less than they should, or more by ``most`` times their weight."""

        def parts(number: int) -> list[int]:
            found: list[int] = []
            for _ in range(count - 1):
                found.append((number & (1 << weight) - 1) + (self.rng.randint(min(-most, -1), most) << weight))
                number = number - found[-1] >> weight
            return [number, *reversed(found)]

        return self._loose(self._step(parts, (value,), count))


class LooseProof(Proof):
    """A proof on loose tapes."""

    def __init__(self, rule: Rule, w: int, rng: random.Random) -> None:
        super().__init__(rule, w)
        self.rng = rng

    def new_tape(self) -> Tape:
        free = {at for _, at in self.single if self.row.args[at] == "i"} - TABLES.get(self.rule.op, set())
        return LooseTape(len(self.rule.patterns), self.rule.op == "mullo", self.rng, free)

    def check(self, k: int, args: tuple[int, ...], got: tuple[int, ...]) -> None:
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
