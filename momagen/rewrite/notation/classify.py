"""Which operation an expression of the notation is: ``δ + a + b`` is ``addc``, ``⌊a·b / 2^w⌋`` is ``mulhi``.

One reading serves both sides of a rule. What the targets hold decides between siblings: ``[c:1, s] = a + b`` keeps the
carry (``add``), ``s = a + b`` is modulo 2^w (``addlo``); ``[h, l] = a · b`` is the whole product (``mul``), one word
the low half.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from momagen.errors import MomagenError
from momagen.ir import OPS

from .syntax import Apply, Assigned, Digits, Expr, Literal, Variable

COMPARISONS = {"<": "lt", "≤": "le", "=?": "eq"}
LOGIC = {"∧": "and", "∨": "or", "¬": "not"}
SHIFTS = {"<<": "shl", ">>": "shr", "⌊/2^⌋": "shr", "mod 2^": "low"}
SIGNS = {**COMPARISONS, **LOGIC, **SHIFTS, "if": "select"}
"""What has one name however it is written; any other name is the operation's own."""
IsFlag = Callable[[Expr], bool]
ZERO = Literal(0)


@dataclass(frozen=True)
class OperationForm:
    op: str
    args: tuple[Expr, ...]
    distance: Expr | None = None


def digits_of(expr: Expr) -> int:
    """How many digits a bracket writes out; 1 for anything else."""
    return len(expr.items) if isinstance(expr, Digits) else 1


def marked_flag(expr: Expr) -> bool:
    """Whether ``expr`` is a flag by its own notation: marked ``:1``, a comparison, or logic."""
    if isinstance(expr, Variable):
        return expr.flag
    return isinstance(expr, Apply) and (expr.head in COMPARISONS or expr.head in LOGIC)


def shape(
    expr: Expr, targets: tuple[Assigned, ...], is_flag: IsFlag, width: Callable[[Expr], int], where: str
) -> OperationForm:
    """The operation at the root of ``expr``; ``width`` gives a part's digits, ``targets`` may be empty (low part)."""
    carry = bool(targets) and targets[0].flag
    match expr:
        case Apply("+" | "-"):
            return _sum(expr, carry, is_flag, where)
        case Apply("·" | "*", factors):
            whole = len(targets) - carry >= 2 * max(map(width, factors))
            return OperationForm("mul" if whole else "mullo", factors)
        case Apply("⌊/2^⌋", (Apply("·" | "*", factors),), distance):
            return OperationForm("mulhi", factors, distance)
        case Apply("mod", (value, modulus)):
            return _modulo(value, modulus, is_flag, where)
        case Apply(">>", (Digits((high, low)),), distance) if len(targets) == 1:
            return OperationForm("shrd", (high, low), distance)
        case Apply():
            return _named(expr, where)
    raise MomagenError("an operation", str(expr), where)


def _named(expr: Apply, where: str) -> OperationForm:
    name = SIGNS.get(expr.head, expr.head)
    if name not in OPS:
        raise MomagenError("a known operation", expr.head, where)
    if len(OPS[name].args) != len(expr.args):
        raise MomagenError(f"{len(OPS[name].args)} arguments of {name}", len(expr.args), where)
    return OperationForm(name, expr.args, expr.distance)


def _terms(expr: Expr) -> list[tuple[str, Expr]]:
    if isinstance(expr, Apply) and expr.head in ("+", "-"):
        return [*_terms(expr.args[0]), (expr.head, expr.args[1])]
    return [("+", expr)]


def _sum(expr: Apply, carry: bool, is_flag: IsFlag, where: str) -> OperationForm:
    """Of two words and a flag, all added or all subtracted, one operation; else the last one of several."""
    terms = _terms(expr)
    words, flags = ([part for _, part in terms if is_flag(part) == flag] for flag in (False, True))
    few = len(words) <= 2 and len(flags) <= 1
    if carry and not few:
        raise MomagenError("at most two words and one carry in a sum with carry out", str(len(terms)), where)
    parts = (*words, *[ZERO] * (2 - len(words)), *flags)
    if not few or len({sign for sign, _ in terms[1:]}) > 1:
        left, right = expr.args
        parts = (left, ZERO, right) if is_flag(right) else expr.args
    return OperationForm(_SUMS[expr.head, len(parts) == 3, carry], parts)


_SUMS = {
    ("+", False, True): "add", ("+", True, True): "addc", ("+", False, False): "addlo", ("+", True, False): "addclo",
    ("-", False, True): "sub", ("-", True, True): "subb", ("-", False, False): "sublo", ("-", True, False): "subblo",
}  # fmt: skip


def _modulo(value: Expr, modulus: Expr, is_flag: IsFlag, where: str) -> OperationForm:
    match value:
        case Apply("+" | "-" as sign, args):
            return OperationForm("addmod" if sign == "+" else "submod", (*args, modulus))
        case Digits((carry, *rest)) if is_flag(carry):
            return OperationForm("reduce", (carry, rest[0] if len(rest) == 1 else Digits(tuple(rest)), modulus))
    raise MomagenError("a sum, a difference or [carry:1, …] before “mod”", str(value), where)
