"""The classification of expressions as operations: ``δ + a + b`` is ``addc``, ``⌊a·b / 2^w⌋`` is ``mulhi``.

Both sides of a rule are classified in the same way. The targets of an assignment select one of several
related operations: ``[c:1, s] = a + b`` keeps the carry (``add``), while ``s = a + b`` is modulo 2^w
(``addlo``); ``[h, l] = a · b`` is the whole product (``mul``), while a single target is the low half.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from momagen.errors import MomagenError
from momagen.ir import OPS

from .syntax import Apply, Digits, Expr, Literal, Variable

COMPARISONS = {"<": "lt", "≤": "le", "=?": "eq"}
LOGIC = {"∧": "and", "∨": "or", "¬": "not"}
SHIFTS = {"<<": "shl", ">>": "shr", "⌊/2^⌋": "shr", "mod 2^": "low"}
SIGNS = {**COMPARISONS, **LOGIC, **SHIFTS, "if": "select"}
"""The heads that always mean the same operation, with its name. Any other head is itself the name of an
operation."""
ZERO, W = Literal(0), Variable("w")


class OperationForm(NamedTuple):
    """An operation with its arguments.

    Attributes:
        op: The name of the operation.
        args: The expressions of its arguments.
        distance: The attribute of the operation, or None.
    """

    op: str
    args: tuple[Expr, ...]
    distance: Expr | None = None


class Operand(NamedTuple):
    """A value of a right-hand side.

    Attributes:
        at: The index of the value.
        digits: The number of its limbs, or 0 for a constant, which fits any width.
        flag: Whether it is a flag.
        alone: Whether it is one of several results of any size of an operation.
    """

    at: int
    digits: int
    flag: bool = False
    alone: bool = False


Known = Mapping[str, Operand]
"""The values of names. On left-hand sides it is empty, and the marks of the names say which of them are
flags."""


def digits_of(expr: Expr, known: Known) -> int:
    """Return the number of limbs of a name or of limbs in brackets, and 1 for anything else."""
    if isinstance(expr, Variable) and expr.text in known:
        return known[expr.text].digits
    return len(expr.items) if isinstance(expr, Digits) else 1


def is_flag(expr: Expr, known: Known) -> bool:
    """Return whether an expression is a flag: its name, a name with the mark ``:1``, a comparison, logic."""
    if isinstance(expr, Variable):
        return known[expr.text].flag if expr.text in known else expr.flag
    return isinstance(expr, Apply) and (expr.head in COMPARISONS or expr.head in LOGIC)


def shape(expr: Expr, targets: Sequence[Variable], known: Known, where: str) -> OperationForm:
    """Return the operation at the root of an expression.

    Args:
        expr: The expression.
        targets: The targets of the assignment, or nothing to select the low part.
        known: The values of names.
        where: The place of the expression, for errors.

    Raises:
        MomagenError: The expression is no operation.
    """
    carry = bool(targets) and targets[0].flag
    match expr:
        case Apply("+" | "-"):
            return _sum(expr, carry, known, where)
        case Apply("·" | "*", factors):
            whole = len(targets) - carry >= 2 * max(digits_of(each, known) for each in factors)
            return OperationForm("mul" if whole else "mullo", factors)
        case Apply("⌊/2^⌋", (Apply("·" | "*", factors),), distance):
            digits = max(digits_of(each, known) for each in factors)
            if distance != (W if digits == 1 else Apply("*", (Literal(digits), W))):
                half = f"the high half, ⌊a · b / 2^{digits if digits > 1 else ''}w⌋"
                raise MomagenError(half, f"2^({distance})", where)
            return OperationForm("mulhi", factors)
        case Apply("mod", (value, modulus)):
            return _modulo(value, modulus, known, where)
        case Apply(">>", (Digits((high, low)),), distance) if len(targets) == 1:
            return OperationForm("shrd", (high, low), distance)
        case Apply():
            return _named(expr, where)
    raise MomagenError("an operation", str(expr), where)


def _named(expr: Apply, where: str) -> OperationForm:
    """Return an operation that is identified by its head alone."""
    name = SIGNS.get(expr.head, expr.head)
    if name not in OPS:
        raise MomagenError("a known operation", expr.head, where)
    if len(OPS[name].args) != len(expr.args):
        raise MomagenError(f"{len(OPS[name].args)} arguments of {name}", len(expr.args), where)
    return OperationForm(name, expr.args, expr.distance)


def _terms(expr: Expr) -> list[tuple[str, Expr]]:
    """Return the terms of a sum with their signs."""
    if isinstance(expr, Apply) and expr.head in ("+", "-"):
        return [*_terms(expr.args[0]), (expr.head, expr.args[1])]
    return [("+", expr)]


def _sum(expr: Apply, carry: bool, known: Known, where: str) -> OperationForm:
    """Return the operation for a sum or a difference.

    Two words and a flag that are all added, or all subtracted from the first one, are one operation.
    Otherwise, it is the last one of several.
    """
    terms = _terms(expr)
    words, flags = ([part for _, part in terms if is_flag(part, known) == flag] for flag in (False, True))
    few = len(words) <= 2 and len(flags) <= 1
    if carry and not few:
        raise MomagenError("at most two words and one carry in a sum with carry out", str(len(terms)), where)
    parts = (*words, *[ZERO] * (2 - len(words)), *flags)
    if not few or len({sign for sign, _ in terms[1:]}) > 1:
        left, right = expr.args
        parts = (left, ZERO, right) if is_flag(right, known) else expr.args
    return OperationForm(_SUMS[expr.head, len(parts) == 3, carry], parts)


_SUMS = {
    ("+", False, True): "add", ("+", True, True): "addc", ("+", False, False): "addlo", ("+", True, False): "addclo",
    ("-", False, True): "sub", ("-", True, True): "subb", ("-", False, False): "sublo", ("-", True, False): "subblo",
}  # fmt: skip


def _modulo(value: Expr, modulus: Expr, known: Known, where: str) -> OperationForm:
    """Return the operation for a sum, a difference or a number with a carry that is reduced by a modulus."""
    match value:
        case Apply("+" | "-" as sign, args):
            return OperationForm("addmod" if sign == "+" else "submod", (*args, modulus))
        case Digits((carry, *rest)) if is_flag(carry, known):
            return OperationForm("reduce", (carry, rest[0] if len(rest) == 1 else Digits(tuple(rest)), modulus))
    raise MomagenError("a sum, a difference or [carry:1, …] before “mod”", str(value), where)
