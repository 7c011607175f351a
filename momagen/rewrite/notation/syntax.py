"""The papers' notation as a tree: ``[c0:1, c1] = δ + a0 + b0``, ``δ = (a0 < b0) ∨ ((a0 =? b0) ∧ (a1 < b1))``.

Grammar, loosest first (``·`` may be written ``*``)::

    statement := "assume" (name | "|" name "|") ("<" | "≤") [number "·"] (name | "2^" distance) | targets "=" choice
    targets   := item | "[" item {"," item} "]" | "[" name "," name ":" distance "]"
    item      := name [":1"] | "0" | "_"
    choice    := or ["if" or "otherwise" choice]
    or        := and {"∨" and}        and := not {"∧" not}        not := "¬" not | compare
    compare   := shift [("<" | "≤" | "=?") shift]
    shift     := sum [("<<" | ">>") distance]
    sum       := product {("+" | "-") product}
    product   := modulus {"·" modulus}
    modulus   := atom ["mod" ("2^" distance | atom)]
    atom      := name [":1"] | number | "[" choice {"," choice} "]" | "(" choice ")" | "⌊" choice "/" "2^" distance "⌋"
               | name ["{" distance "}"] "(" choice {"," choice} ")"
    distance  := integer arithmetic in w (bits of a digit) and k (the operation's attribute)

``[h, l:n] = a`` takes a number apart: a = h·2^n + l. ``assume x < m·y`` and ``assume |x| ≤ y`` are theorems.
"""

from __future__ import annotations

from dataclasses import dataclass

from .distance import Distance


@dataclass(frozen=True)
class Variable:
    text: str
    flag: bool = False

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
    distance: Distance | None = None

    def __str__(self) -> str:
        infix = len(self.args) == 2 and not self.head.isidentifier()
        return f" {self.head} ".join(map(str, self.args)) if infix else f"{self.head}({', '.join(map(str, self.args))})"


Expr = Variable | Literal | Digits | Apply


@dataclass(frozen=True)
class Assigned:
    """A name to assign; with ``bits`` it is the low part, of so many bits, of a number taken apart."""

    name: str
    flag: bool = False
    bits: Distance | None = None


@dataclass(frozen=True)
class Equation:
    targets: tuple[Assigned, ...]
    value: Expr


@dataclass(frozen=True)
class Assume:
    """``name < factor·most``, or ``name ≤ most`` where the factor is 0: a theorem that intervals cannot see.

    Attributes:
        most: a name, or the exponent of a power of two. signed: it is the absolute value that is bounded.
    """

    name: str
    factor: int
    most: str | Distance
    signed: bool = False


Statement = Equation | Assume
