"""Expressions of a program in C."""

from __future__ import annotations

from momagen.program.expressions import Binary, Call, Choice, Element, Expr, Name, Number, Real, Same, Type

TYPES = {
    Type.COUNT: "size_t ", Type.WORD: "uint64_t ", Type.WORDS: "uint64_t *", Type.INPUT: "const uint64_t *",
    Type.COUNTS: "const size_t *",
}  # fmt: skip
"""What stands in front of a name that is declared."""
LEVELS = [["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", "<=", ">"], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]]
PRECEDENCE = {op: level for level, ops in enumerate(LEVELS, 1) for op in ops}
PRIMARY = len(LEVELS) + 1
SUMS, FACTORS, ORDERS = ("+", "-"), ("*", "/", "%"), ("==", "!=", "<", "<=", ">")
BARE = {
    **{op: {*SUMS, *FACTORS} for op in SUMS}, **{op: {*SUMS, *FACTORS, "<<", ">>"} for op in ORDERS}, "*": {"*"},
    "&&": {"&&", *ORDERS}, "|": {"|"}, "^": {"^"}, "&": {">>"}, ">>": set(), "<<": set(), "/": {"*"}, "%": set(),
}  # fmt: skip
"""Operators within others that compilers and readers take without parentheses."""


def text(expr: Expr, alone: bool = True) -> str:
    """``expr`` in C; in parentheses where it is made of parts and does not stand ``alone``."""
    match expr:
        case Number():
            return _number(expr)
        case Name():
            return expr.text
        case Element():
            return f"{text(expr.pointer, False)}[{text(expr.at)}]"
        case Call():
            return f"{expr.name}({', '.join(map(text, expr.args))})"
        case Real():
            return f"((union {{ double d; uint64_t w; }}){{(double)(int64_t){text(expr.value, False)}}}).w"
        case Same():
            found = f"memcmp({text(expr.a)}, {text(expr.b)}, sizeof(uint64_t) * {text(expr.count, False)}) == 0"
        case Choice():
            found = f"{_part(expr.test, '&&')} ? {text(expr.yes, False)} : {text(expr.no, False)}"
        case Binary():
            number = expr.op == "<<" and isinstance(expr.left, Number)
            cast = f"({TYPES[expr.left.type].strip()})" * number
            found = f"{cast}{_part(expr.left, expr.op)} {expr.op} {_part(expr.right, expr.op, right=True)}"
        case _:
            raise TypeError(expr)
    return found if alone else f"({found})"


def _part(expr: Expr, op: str, right: bool = False) -> str:
    """``expr`` as one side of ``op``."""
    own = expr.op if isinstance(expr, Binary) else "==" if isinstance(expr, Same) else ""
    if not own:
        return text(expr, not isinstance(expr, Choice))
    return text(expr, own in BARE[op] and PRECEDENCE[own] - right >= PRECEDENCE[op])


def _number(expr: Number) -> str:
    if expr.type is Type.WORD and expr.value >> 31:
        return f"UINT64_C({expr.value:#x})"
    return str(expr.value) if expr.value < 1 << 31 else f"(size_t)UINT64_C({expr.value})"


def declared(name: Name, fixed: bool = False) -> str:
    """The declaration of ``name``, without a semicolon."""
    space = "" if name.type.pointer else "const " if fixed else ""
    if fixed and name.type.pointer:
        return f"{TYPES[name.type]}const {name.text}"
    return f"{space}{TYPES[name.type]}{name.text}"
