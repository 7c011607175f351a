"""Syntax trees for the notation of the papers, such as ``[c0:1, c1] = δ + a0 + b0``.

The grammar, in which ``*`` is another spelling of ``·``::

    line      := statement {";" statement} | "repeat" sum "{" | "}"
    statement := "assume" (name | "|" name "|") ("<" | "≤") [number "·"] (name | "2^" atom)
               | targets "=" value
    targets   := item | "[" item {"," item} "]" | "[" name "," name ":" sum "]"
    item      := name [":1"] | "0" | "_"
    value     := operators ["if" operators "otherwise" value]
    operators := loosest first ∨, ∧ or "and", ¬, < ≤ =?, << >>, + -, · /, mod; sum: from + on; of one level
                 from left to right
    atom      := name [":1"] | number [name] | "2^" atom | "[" value {"," value} "]" | "(" value ")"
               | "⌊" value "/" "2^" atom "⌋" | name ["{" sum "}"] "(" value {"," value} ")"

The expressions after <<, >> and 2^, in braces and after a colon are *distances*: integers in terms of w (the
bits of a limb), k (the attribute of the operation) and the names of other widths. A number before a name
multiplies it. ``[h, l:n] = a`` splits a number: a = h·2^n + l. ``assume x < m·y`` and ``assume |x| ≤ y`` are
theorems. The lines between ``repeat n {`` and ``}`` are repeated n times, for i = 0, …, n - 1 in their
distances; a name refers to the last value assigned to it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Variable:
    """A name.

    Attributes:
        text: The name.
        flag: Whether it is marked as a flag.
        bits: The number of bits of the low part, if the name is the target for the low part of a number that
            is split.
    """

    text: str
    flag: bool = False
    bits: Expr | None = None

    def __str__(self) -> str:
        return f"{self.text}:1" if self.flag else self.text


@dataclass(frozen=True)
class Literal:
    """An integer."""

    value: int

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class Digits:
    """A number that is written by its limbs, the high one first."""

    items: tuple[Expr, ...]

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.items))}]"


@dataclass(frozen=True)
class Apply:
    """An operator or a named operation with its arguments.

    Attributes:
        head: The operator or name.
        args: The arguments.
        distance: The distance of a shift, the exponent of a modulus 2^k, or the attribute of a composite
            operation.
    """

    head: str
    args: tuple[Expr, ...]
    distance: Expr | None = None

    def __str__(self) -> str:
        infix = len(self.args) == 2 and not self.head.isidentifier()
        return f" {self.head} ".join(map(str, self.args)) if infix else f"{self.head}({', '.join(map(str, self.args))})"


Expr = Variable | Literal | Digits | Apply
"""An expression."""


@dataclass(frozen=True)
class Equation:
    """An assignment of ``value`` to ``targets``."""

    targets: tuple[Variable, ...]
    value: Expr


@dataclass(frozen=True)
class Assume:
    """The theorem ``name < factor·most``, or ``≤`` if it is not ``strict``. Intervals alone do not prove it.

    Attributes:
        name: The name that is bounded.
        factor: The factor of the bound.
        most: A name or a power of two.
        strict: Whether equality is excluded.
        signed: Whether the absolute value is bounded.
    """

    name: str
    factor: int
    most: Expr
    strict: bool
    signed: bool = False


@dataclass(frozen=True)
class Repeat:
    """Statements that are repeated ``count`` times."""

    count: Expr
    body: tuple[Equation | Assume, ...]


Statement = Equation | Assume | Repeat
"""A statement of a rule."""
