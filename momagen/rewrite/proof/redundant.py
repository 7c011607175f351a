"""Proves that a splitting rule bears digits with slack (``slack.py``): its numbers are right, their digits are not."""

from __future__ import annotations

import random
from collections.abc import Sequence

from momagen.ir import OPS
from momagen.rewrite.rules.rule import Rule

from .cases import every_case
from .prove import Proof
from .straight_line import BrokenError, Function, Tape

SUMS = ("add", "addlo", "addc", "addclo", "sublo", "subblo")
"""What goes digit by digit."""
NORMAL = ("shr", "shrd", "low", "word")
"""Operations whose results have normal digits."""
TABLES = {"dot": {3}, "fold": {2}, "dot_near": {4, 5}, "shoup_near": {1, 2}}
"""The arguments that are tables: their rows are what their digits say, none of which is negative."""


class LooseTape(Tape):
    """A tape on which sums, products and what is joined from them fall into digits of any size and sign.

    Attributes:
        modular: whether sums are meant modulo 2^w; otherwise they must not leave their width.
        rng: what moves between neighbouring digits. loose: the numbers with such digits; at first some arguments.
    """

    def __init__(self, modular: bool, rng: random.Random, loose: set[int]) -> None:
        super().__init__()
        self.modular, self.rng, self.loose = modular, rng, loose

    def emit(self, op: str, width: int, *args: int, k: int) -> Sequence[int]:
        if op in SUMS:
            made: Sequence[int] = self._step(self._sum(op, width), args, len(OPS[op].results))
        else:
            made = super().emit(op, width, *args, k=k)
        self.loose.update(() if op in NORMAL else made)
        return made

    def _sum(self, op: str, width: int) -> Function:
        row = OPS[op]

        def summed(*args: int) -> Sequence[int]:
            signs = (1, -1, -1) if op.startswith("sub") else (1, 1, 1)
            total = sum(sign * arg for sign, arg in zip(signs, args, strict=False))
            if len(row.results) == 2:
                return 0, total
            if self.modular:
                return (total % (1 << width),)
            if not 0 <= total < 1 << width:
                raise BrokenError(f"{op} at {width} bits gives {total:#x}, which does not fit")
            return (total,)

        return summed

    def join(self, digits: Sequence[int], weight: int) -> int:
        joined = super().join(digits, weight)
        self.loose.update([joined] if self.loose & set(digits) else ())
        return joined

    def split(self, value: int, weight: int, count: int) -> Sequence[int]:
        rng = self.rng
        if value not in self.loose:
            return super().split(value, weight, count)

        def parts(number: int) -> list[int]:
            found: list[int] = []
            for _ in range(count - 1):
                found.append((number & (1 << weight) - 1) + (rng.randint(-2, 2) << weight))
                number = number - found[-1] >> weight
            return [number, *reversed(found)]

        made = self._step(parts, (value,), count)
        self.loose.update(made)
        return made

    def cut(self, value: int, weight: int) -> Sequence[int]:
        rng = self.rng
        if value not in self.loose:
            return super().cut(value, weight)

        def parts(number: int) -> tuple[int, int]:
            low = (number & (1 << weight) - 1) - (rng.randint(0, 1) << weight)
            return number - low >> weight, low

        made = self._step(parts, (value,), 2)
        self.loose.update(made)
        return made


class LooseProof(Proof):
    """A proof on loose tapes."""

    def __init__(self, rule: Rule, w: int, rng: random.Random) -> None:
        super().__init__(rule, w)
        self.rng = rng

    def new_tape(self) -> Tape:
        free = {at for _, at in self.single if self.row.args[at] == "i"}
        return LooseTape(self.rule.op == "mullo", self.rng, free - TABLES.get(self.rule.op, set()))

    def compare(self, k: int, args: tuple[int, ...], got: tuple[int, ...]) -> None:
        if self.rule.op == "mullo":
            got = (got[0] % (1 << self.width),)
        if self.rule.op == "mul":
            total = (got[0] << self.width) + got[1]
            got = (total >> self.width, total % (1 << self.width))
        super().compare(k, args, got)


def check_slack(rule: Rule, w: int, rng: random.Random, times: int) -> int:
    """How many inputs of digits of ``w`` bits the rule was tried on, each ``times`` times with other digits inside.

    Raises:
        RuleError: it does not bear digits with slack; the message names the rule and the inputs.
    """
    proof, tried = LooseProof(rule, w, rng), 0
    for k, args in every_case(rule.op, rule.digits, w):
        if proof.applies(k, args):
            for _ in range(times):
                proof.check(k, args)
            tried += 1
    return tried
