"""Integer arithmetic on widths: distances and guards of a rule (``k - w``, ``w ≥ 2 word``, ``a < 2^(w-1)``)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .syntax import Apply, Expr, Literal, Variable

_ARITHMETIC: dict[str, Callable[..., int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "·": operator.mul, "/": operator.floordiv,
    "2^": lambda a: 1 << a, "<<": operator.lshift, ">>": operator.rshift, "mod": operator.mod,
    "mod 2^": lambda a, n: a % (1 << n), "min": min, "max": max, "bits": int.bit_length,
    "inverse": lambda a, n: pow(a, -1, 1 << n),
}  # fmt: skip
COMPARE: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt, "≤": operator.le, "=": operator.eq, ">": operator.gt, "≥": operator.ge,
}  # fmt: skip


def number(expr: Expr, names: Mapping[str, int]) -> int:
    """The integer that ``expr`` is for these names.

    Raises:
        KeyError: a name that ``names`` does not give.
    """
    if isinstance(expr, Apply):
        args = expr.args if expr.distance is None else (*expr.args, expr.distance)
        return _ARITHMETIC[expr.head](*[number(arg, names) for arg in args])
    assert isinstance(expr, Variable | Literal)
    return names[expr.text] if isinstance(expr, Variable) else expr.value


@dataclass(frozen=True)
class Guard:
    """A conjunction of comparisons, which hold for all of an interval: an argument's name stands for its top, or on the
    greater side for its bottom."""

    text: str
    terms: tuple[Apply, ...]

    def holds(self, tops: Mapping[str, int], bottoms: Mapping[str, int] | None = None) -> bool:
        """Whether every comparison holds; without ``bottoms`` the numbers are known.

        Raises:
            KeyError: a name that the mappings do not give.
        """
        ends = tops if bottoms is None else bottoms, tops
        return all([
            COMPARE[term.head](number(left, ends[term.head not in ">≥"]), number(right, ends[term.head in ">≥"]))
            for term in self.terms for left, right in [term.args]
        ])  # fmt: skip
