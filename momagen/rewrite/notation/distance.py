"""Integer arithmetic on widths: distances and guards of a rule (``k - w``, ``w ≥ 2 word``, ``a < 2^(w-1)``)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from momagen.errors import MomagenError

_TOKEN = re.compile(r"\s*(≤|≥|<|>|=|2\^|[A-Za-z_μ][A-Za-z0-9_']*|\d+|[()+\-*/])")
_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "<": lambda a, b: a < b, "≤": lambda a, b: a <= b, "=": lambda a, b: a == b,
    ">": lambda a, b: a > b, "≥": lambda a, b: a >= b,
}  # fmt: skip
_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a // b,
}  # fmt: skip


@dataclass(frozen=True)
class Distance:
    """An integer expression as a tree: a number, a name, or (operator, left, right)."""

    tree: object

    def __str__(self) -> str:
        return _written(self.tree)

    def value(self, names: Mapping[str, int]) -> int:
        """The number for these widths.

        Raises:
            KeyError: a name that ``names`` does not give.
        """
        return _evaluate(self.tree, names)


def _evaluate(tree: object, names: Mapping[str, int]) -> int:
    if isinstance(tree, tuple):
        head, *rest = tree
        numbers = [_evaluate(part, names) for part in rest]
        return 1 << numbers[0] if head == "2^" else _ARITHMETIC[head](*numbers)
    return names[tree] if isinstance(tree, str) else int(str(tree))


def _written(tree: object) -> str:
    if not isinstance(tree, tuple):
        return str(tree)
    head, *parts = tree
    return f"2^({_written(parts[0])})" if head == "2^" else f"({f' {head} '.join(map(_written, parts))})"


Fail = Callable[[], MomagenError]


def parse_distance(tokens: list[str], at: int, fail: Fail) -> tuple[Distance, int]:
    """A sum at ``tokens[at:]`` and where it ends; a number stuck to a name multiplies it (``2w`` is two tokens)."""
    tree, at = _product(tokens, at, fail)
    while at < len(tokens) and tokens[at] in ("+", "-"):
        right, end = _product(tokens, at + 1, fail)
        tree, at = (tokens[at], tree, right), end
    return Distance(tree), at


def _product(tokens: list[str], at: int, fail: Fail) -> tuple[object, int]:
    tree, at = _factor(tokens, at, fail)
    while at < len(tokens) and (tokens[at] in ("*", "/") or re.fullmatch(r"[A-Za-z]\w*", tokens[at])):
        stuck = tokens[at] not in ("*", "/")
        if stuck and tokens[at] in ("if", "otherwise", "mod", "and"):
            break
        right, end = _factor(tokens, at if stuck else at + 1, fail)
        tree, at = ("*" if stuck else tokens[at], tree, right), end
    return tree, at


def _factor(tokens: list[str], at: int, fail: Fail) -> tuple[object, int]:
    if at >= len(tokens):
        raise fail()
    if tokens[at] == "2^":
        tree, at = _factor(tokens, at + 1, fail)
        return ("2^", tree), at
    if tokens[at] == "(":
        inner, at = parse_distance(tokens, at + 1, fail)
        if at >= len(tokens) or tokens[at] != ")":
            raise fail()
        return inner.tree, at + 1
    if not re.match(r"\w", tokens[at]):
        raise fail()
    return (int(tokens[at]) if tokens[at].isdigit() else tokens[at]), at + 1


@dataclass(frozen=True)
class Guard:
    """A conjunction of comparisons, which hold for all of an interval: an argument's name stands for its top, or on the
    greater side for its bottom."""

    text: str
    terms: tuple[tuple[str, Distance, Distance], ...]

    def holds(self, tops: Mapping[str, int], bottoms: Mapping[str, int] | None = None) -> bool:
        """Whether every comparison holds; without ``bottoms`` the numbers are known.

        Raises:
            KeyError: a name that the mappings do not give.
        """
        ends = tops if bottoms is None else bottoms, tops
        return all([
            _COMPARE[head](left.value(ends[head not in (">", "≥")]), right.value(ends[head in (">", "≥")]))
            for head, left, right in self.terms
        ])  # fmt: skip


def parse_guard(text: str, where: str) -> Guard:
    """The guard ``text``: comparisons parted by "and"."""

    def fail() -> MomagenError:
        return MomagenError("a guard such as “k < w and w ≥ 2 word”", text, where)

    terms = []
    for part in text.split(" and ") if text else []:
        tokens = _TOKEN.findall(part)
        if "".join(tokens) != part.replace(" ", ""):
            raise fail()
        left, at = parse_distance(tokens, 0, fail)
        if at >= len(tokens) or tokens[at] not in _COMPARE:
            raise fail()
        right, end = parse_distance(tokens, at + 1, fail)
        if end != len(tokens):
            raise fail()
        terms.append((tokens[at], left, right))
    return Guard(text, tuple(terms))
