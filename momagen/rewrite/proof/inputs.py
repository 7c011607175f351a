"""The valid inputs of composite operations: ``rules/inputs.toml``, read as short *programs* of choices."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TypeAlias

from momagen.data import folder
from momagen.rewrite.notation.guard import number
from momagen.rewrite.notation.parser import RuleParser
from momagen.rewrite.notation.syntax import Expr
from momagen.tables import parse_toml

FILE = "inputs.toml"
Pick: TypeAlias = Callable[[int, int], int]
"""Any integer of a range."""
Case: TypeAlias = tuple[int, tuple[int, ...]]
"""The attribute k and the arguments."""
Program: TypeAlias = Callable[[Pick, int], Case]
Choice: TypeAlias = tuple[str, Expr, Expr | None]
"""A name, and the integer or the ends of the range that it is of."""


class EmptyRangeError(Exception):
    """A choice among nothing: the choices before it lead to no valid input."""


@lru_cache(maxsize=1)
def programs() -> dict[str, Program]:
    """The programs by operation.

    Raises:
        MomagenError: the file is not TOML, or a choice no arithmetic; file, operation and text are named.
    """
    found = parse_toml((folder("rules") / FILE).read_text(encoding="utf-8"), "inputs in TOML", FILE)
    return {op: _program(op, text, found["shared"]) for op, text in found["inputs"].items()}


def _program(op: str, text: str, shared: Mapping[str, str]) -> Program:
    args, _, rest = text.partition(":")
    names, choices = args.split(), _choices(rest, shared, f"{FILE}, {op}")

    def program(pick: Pick, w: int) -> Case:
        known = {"w": w, "k": 0}
        for name, low, high in choices:
            least = number(low, known)
            known[name] = least if high is None else pick(least, number(high, known))
        return known["k"], tuple(known[name] for name in names)

    return program


def _choices(text: str, shared: Mapping[str, str], where: str) -> list[Choice]:
    found: list[Choice] = []
    for part in filter(None, map(str.strip, re.split("[;\n]", text))):
        name, _, ends = part.partition(" = ")
        if not ends:
            found += _choices(shared[name], shared, where)
            continue
        low, *high = (RuleParser(end, where).distance() for end in ends.split(" … "))
        found.append((name, low, high[0] if high else None))
    return found
