"""The pass for numbers that stand across lanes: whole numbers stay, sums go word by word, carries by masks.

Its operations on a number go word by word: k bits a word, and a mask that has a bit for each; no carry goes anywhere.
"""

from __future__ import annotations

from momagen.ir import OPS, Op, Value, register
from momagen.ir.masks import known
from momagen.rewrite.engine.engine import RewritePass
from momagen.rewrite.engine.machine import Machine, Trace
from momagen.rewrite.rules.table import RuleTable

WORDWISE = {
    "each_add": ("addlo", "ww", "c_i = a_i + b_i"), "each_sub": ("sublo", "ww", "c_i = a_i - b_i"),
    "each_addif": ("addif", "fww", "c_i = a_i + b_i if δ otherwise a_i"),
    "each_subif": ("subif", "fww", "c_i = a_i - b_i if δ otherwise a_i"),
    "each_inc": ("inc", "wm", "c_i = a_i + m_i"), "each_dec": ("dec", "wm", "c_i = a_i - m_i"),
    "each_lt": ("lt", "ww", "m_i = a_i < b_i"), "each_eq": ("eq", "ww", "m_i = a_i =? b_i"),
}  # fmt: skip
"""What it does on each word, its arguments (a flag is the same for all words), and how the papers write it."""


def _part(kind: str, k: int, at: int, number: int) -> int:
    """What word ``at`` has of an argument."""
    return {"f": number, "m": number >> at & 1, "w": number >> k * at & (1 << k) - 1}[kind]


def _row(name: str) -> Op:
    """A number of w bits, or a mask with a bit for each word, may be any."""
    base, args, notation = WORDWISE[name]
    row, mask = OPS[base], OPS[base].results == "f"

    def meaning(w: int, k: int, *numbers: int) -> tuple[int]:
        words = (
            row.meaning(k, 0, *(_part(kind, k, at, number) for kind, number in zip(args, numbers, strict=True)))
            for at in range(w // k)
        )
        return (sum(found << (at if mask else k * at) for at, (found,) in enumerate(words)),)

    bounds = known(meaning, lambda w, k, *_: ((0, (1 << (w // k if mask else w)) - 1),))
    return Op(name, args, "m" if mask else "w", meaning, bounds, notation, rank=0,
              requires=lambda w, k, *_: k > 0 and w % k == 0)  # fmt: skip


def _if(w: int, k: int, f: int, m: int) -> tuple[int]:
    return (f * (m & (1 << k) - 1),)


def _off(w: int, k: int, m: int) -> tuple[int]:
    return (m >> k & 1,)


_EQUAL = _row("each_eq")
_ROWS = [
    *map(_row, WORDWISE),
    Op("each_full", "w", "m", lambda w, k, a: _EQUAL.meaning(w, k, a, (1 << w) - 1),
       lambda w, k, a: _EQUAL.bounds(w, k, a, ((1 << w) - 1,) * 2), "m_i = a_i is 2^k - 1", rank=0,
       requires=_EQUAL.requires),
    Op("each_if", "fm", "m", _if, known(_if, lambda w, k, f, m: ((0, f[1] * ((1 << k) - 1)),)),
       "c_i = m_i ∧ δ for i < k", rank=0),
    Op("off", "m", "f", _off, known(_off, lambda w, k, m: ((0, min(1, m[1] >> k)),)), "δ = m_k", rank=0),
]  # fmt: skip

EACH = {row.name: register(row) for row in _ROWS}

ACROSS = "words:across"
"""The choice of the rules for such numbers."""
KEPT = {*EACH, "carries", "carries_within", "mand", "mor", "mxor", "select"}
"""What registers and masks do for all numbers at once; so do they for flags."""


class AcrossPass(RewritePass):
    """The pass down to operations on words, each in a lane of its own, and on masks; all is modulo 2^level.

    Raises:
        MomagenError: an operation that is no sum, difference or comparison.
    """

    def __init__(self, table: RuleTable, word: int, words: int, trace: Trace | None = None) -> None:
        machine = Machine(word, lambda op, width: op in KEPT or OPS[op].logic, dict([ACROSS.split(":")]))
        super().__init__(table, machine, word * words, trace or Trace())

    def has(self, op: str) -> bool:
        return op in KEPT

    def stays(self, op: str, width: int) -> bool:
        return self.machine.legal(op, width)

    def emit(self, op: str, width: int, *args: Value, k: int = 0) -> tuple[Value, ...]:
        if op == "shl":
            return (self._doubled(args[0], k),)
        if op == "low" and k >= self.level:
            return args
        return super().emit(op, self.level, *args, k=k)

    def _doubled(self, value: Value, k: int) -> Value:
        """value·2^k, which fits."""
        for _ in range(k):
            value = self.one("addlo", self.level, value, value)
        return value
