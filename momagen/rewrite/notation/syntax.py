"""The papers' notation as a tree: ``[c0:1, c1] = δ + a0 + b0``, ``δ = (a0 < b0) ∨ ((a0 =? b0) ∧ (a1 < b1))``.

Grammar (``·`` may be written ``*``)::

    line      := statement {";" statement} | "repeat" sum "{" | "}"
    statement := "assume" (name | "|" name "|") ("<" | "≤") [number "·"] (name | "2^" atom) | targets "=" value
    targets   := item | "[" item {"," item} "]" | "[" name "," name ":" sum "]"
    item      := name [":1"] | "0" | "_"
    value     := operators ["if" operators "otherwise" value]
    operators := loosest first ∨, ∧ or "and", ¬, < ≤ =?, << >>, + -, · /, mod; sum: from + on; of one level from
                 left to right
    atom      := name [":1"] | number [name] | "2^" atom | "[" value {"," value} "]" | "(" value ")"
               | "⌊" value "/" "2^" atom "⌋" | name ["{" sum "}"] "(" value {"," value} ")"

After <<, >> and 2^, in braces and after a colon stands a *distance*, an integer in w (bits of a digit), k (the
operation's attribute) and other names of widths. A number before a name multiplies it.
``[h, l:n] = a`` takes a number apart: a = h·2^n + l. ``assume x < m·y`` and ``assume |x| ≤ y`` are theorems. What
stands between ``repeat n {`` and ``}`` is done n times, for i = 0, …, n - 1 in its distances; names stand for what they
were given last.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Variable:
    """A name; where it is assigned, with ``bits`` the low part, of so many bits, of a number taken apart."""

    text: str
    flag: bool = False
    bits: Expr | None = None

    def __str__(self) -> str:
        return f"{self.text}:1" if self.flag else self.text


@dataclass(frozen=True)
class Literal:
    value: int

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class Digits:
    items: tuple[Expr, ...]

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.items))}]"


@dataclass(frozen=True)
class Apply:
    """An operator or a named operation; ``distance`` is a shift's, a modulus 2^k's or a composite's attribute."""

    head: str
    args: tuple[Expr, ...]
    distance: Expr | None = None

    def __str__(self) -> str:
        infix = len(self.args) == 2 and not self.head.isidentifier()
        return f" {self.head} ".join(map(str, self.args)) if infix else f"{self.head}({', '.join(map(str, self.args))})"


Expr = Variable | Literal | Digits | Apply


@dataclass(frozen=True)
class Equation:
    targets: tuple[Variable, ...]
    value: Expr


@dataclass(frozen=True)
class Assume:
    """``name < factor·most``, or ``≤`` where it is not ``strict``: a theorem that intervals cannot see.

    Attributes:
        most: a name, or a power of two. signed: it is the absolute value that is bounded.
    """

    name: str
    factor: int
    most: Expr
    strict: bool
    signed: bool = False


@dataclass(frozen=True)
class Repeat:
    """Statements that are done ``count`` times."""

    count: Expr
    body: tuple[Equation | Assume, ...]


Statement = Equation | Assume | Repeat
