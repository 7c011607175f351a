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
SHIFTS = {"<<": "shl", ">>": "shr", "mod 2^": "low"}
SIGNS = {**COMPARISONS, **LOGIC, **SHIFTS, "if": "select"}
"""What has one name however it is written; any other name is the operation's own."""
IsFlag = Callable[[Expr], bool]


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
    if not isinstance(expr, Apply):
        raise MomagenError("an operation", str(expr), where)
    carry = bool(targets) and targets[0].flag
    if expr.head in ("+", "-"):
        return _sum(expr, carry, is_flag, where)
    if expr.head in ("·", "*"):
        words = len(targets) - carry
        return OperationForm("mul" if words >= 2 * max(map(width, expr.args)) else "mullo", expr.args)
    if expr.head == "⌊/2^⌋":
        return _floor(expr)
    if expr.head == "mod":
        return _modulo(expr, is_flag, where)
    if expr.head == ">>" and isinstance(expr.args[0], Digits) and len(expr.args[0].items) == 2 and len(targets) == 1:
        return OperationForm("shrd", expr.args[0].items, expr.distance)
    return _named(expr, where)


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
    terms = _terms(expr)
    words = [(sign, part) for sign, part in terms if not is_flag(part)]
    flags = [(sign, part) for sign, part in terms if is_flag(part)]
    if len(words) > 2 or len(flags) > 1:
        if carry:
            raise MomagenError("at most two words and one carry in a sum with carry out", str(len(terms)), where)
        return _sum_of(terms[-1][0], expr.args[0], expr.args[1], False, is_flag)
    signs = {sign for sign, _ in terms[1:]}
    parts = [part for _, part in words] + [Literal(0)] * (2 - len(words)) + [part for _, part in flags]
    if len(signs) != 1 or terms[0][0] != "+":
        return _sum_of(terms[-1][0], expr.args[0], expr.args[1], carry, is_flag)
    return OperationForm(_SUMS[signs.pop(), bool(flags), carry], tuple(parts))


def _sum_of(sign: str, left: Expr, right: Expr, carry: bool, is_flag: IsFlag) -> OperationForm:
    flag = is_flag(right)
    return OperationForm(_SUMS[sign, flag, carry], (left, Literal(0), right) if flag else (left, right))


_SUMS = {
    ("+", False, True): "add", ("+", True, True): "addc", ("+", False, False): "addlo", ("+", True, False): "addclo",
    ("-", False, True): "sub", ("-", True, True): "subb", ("-", False, False): "sublo", ("-", True, False): "subblo",
}  # fmt: skip


def _floor(expr: Apply) -> OperationForm:
    inner = expr.args[0]
    if isinstance(inner, Apply) and inner.head in ("·", "*"):
        return OperationForm("mulhi", inner.args, expr.distance)
    return OperationForm("shr", (inner,), expr.distance)


def _modulo(expr: Apply, is_flag: IsFlag, where: str) -> OperationForm:
    value, modulus = expr.args
    if isinstance(value, Apply) and value.head in ("+", "-"):
        return OperationForm("addmod" if value.head == "+" else "submod", (*value.args, modulus))
    if isinstance(value, Digits) and is_flag(value.items[0]):
        rest = value.items[1] if len(value.items) == 2 else Digits(value.items[1:])
        return OperationForm("reduce", (value.items[0], rest, modulus))
    raise MomagenError("a sum, a difference or [carry:1, …] before “mod”", str(value), where)
