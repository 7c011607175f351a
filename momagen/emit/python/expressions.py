"""Expressions of a program in Python, where views represent pointers and a mask keeps words below 2^64."""

from __future__ import annotations

from momagen.program import Binary, Call, Choice, Element, Expr, Name, Number, Real, Same, Type

OPERATORS = {"/": "//", "&&": "and"}
"""The operators that Python spells differently."""
WRAPS = ("+", "-", "*", "<<")
"""The operators whose results may exceed 64 bits."""
RESERVED = {"from": "from_", "pass_": "numbers"}
"""Names of variables that have another meaning in Python, and the names that replace them."""


def name_of(name: Name) -> str:
    """Return the name of a variable in Python."""
    return RESERVED.get(name.text, name.text)


def text(expr: Expr, alone: bool = True) -> str:
    """Return ``expr`` in Python.

    Args:
        expr: The expression.
        alone: Whether no operator is next to the expression. Otherwise an expression with an operator is put
            in parentheses.
    """
    match expr:
        case Number():
            return str(expr.value) if expr.value < 1 << 16 else hex(expr.value)
        case Name():
            return name_of(expr)
        case Element():
            return f"int({text(expr.pointer, False)}[{text(expr.at)}])"
        case Call():
            return f"{expr.name}({', '.join(map(text, expr.args))})"
        case Same():
            a, b = (f"{text(at, False)}[:{text(expr.count)}]" for at in (expr.a, expr.b))
            return f"np.array_equal({a}, {b})"
        case Real():
            unit = f"u64({text(expr.twos, False)} + 1023 << 52 & FULL).view(f64)"
            return f"int((f64(u64({text(expr.value)}).view(i64)) * {unit}).view(u64))"
        case Binary(op="==") if expr.left.type.pointer:
            found = f"{text(expr.left)} is {text(expr.right)}"
        case Binary() if expr.type.pointer:
            return f"{text(expr.left, False)}[{text(expr.right)}:]"
        case Choice():
            found = f"{text(expr.yes, False)} if {text(expr.test)} else {text(expr.no, False)}"
        case Binary():
            found = f"{text(expr.left, False)} {OPERATORS.get(expr.op, expr.op)} {text(expr.right, False)}"
            if expr.type in (Type.WORD, Type.LONG) and expr.op in WRAPS:
                found = f"({found}) & FULL"
        case _:
            raise TypeError(expr)
    return found if alone else f"({found})"
