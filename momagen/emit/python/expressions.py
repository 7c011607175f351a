"""Expressions of a program in Python: pointers are views, and a word stays below 2^64 by a mask."""

from __future__ import annotations

from momagen.program import Binary, Call, Choice, Element, Expr, Name, Number, Real, Same, Type

OPERATORS = {"/": "//", "&&": "and"}
WRAPS = ("+", "-", "*", "<<")
RESERVED = {"from": "from_", "pass_": "numbers"}
"""Names that mean something else in Python."""


def name_of(name: Name) -> str:
    """What Python calls ``name``."""
    return RESERVED.get(name.text, name.text)


def text(expr: Expr, alone: bool = True) -> str:
    """``expr`` in Python; in parentheses where it is made of parts and does not stand ``alone``."""
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
