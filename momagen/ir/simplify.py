"""Identities that simplify operations without a rewrite rule: x + 0 = x, x·1 = x, (f ? x : x) = x.

There is one function for each operation. It returns the results of the operation, or None if no identity
applies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from .block import Instr
from .ops import KINDS, OPS
from .value import Value, const

Results = tuple[Value, ...] | None
"""The results of an operation, or None if they are unknown."""


class Emitter(Protocol):
    """The part of a builder that identities use; see :class:`momagen.ir.build.Builder`."""

    def has(self, op: str, /) -> bool:
        """Return whether the target has an operation."""

    def maker(self, value: Value, /) -> Instr | None:
        """Return the instruction that defines a value, or None."""

    def emit(self, op: str, w: int, /, *args: Value, k: int = 0) -> tuple[Value, ...]:
        """Return the results of an operation."""

    def one(self, op: str, w: int, /, *args: Value, k: int = 0) -> Value:
        """Return the only result of an operation."""


Identity = Callable[[Emitter, int, int, tuple[Value, ...]], Results]
"""A function that simplifies an operation, with a builder, the width, the attribute k and the arguments."""
NO = const(0, "flag")
"""The flag that is not set."""
ZERO = const(0)


def _is(value: Value, number: int) -> bool:
    """Return whether the value is the constant ``number``."""
    return value.lo == number == value.hi


def _zero_last(a: Value, b: Value) -> tuple[Value, Value]:
    """Return the two values, with the constant 0 as the second one if there is one."""
    return (b, a) if _is(a, 0) else (a, b)


def _flag_of(b: Emitter, value: Value) -> Value | None:
    """Return the flag from which ``value`` was converted to a word, or None."""
    maker = b.maker(value)
    return maker.args[0] if maker is not None and maker.op == "word" else None


def _add(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    x, y = _zero_last(*args)
    return (NO, x) if _is(y, 0) else None


def _plus_number(b: Emitter, w: int, value: Value) -> tuple[Value, int] | None:
    """Return x and c if ``value`` is x + c modulo 2^w for a constant c, or None."""
    maker = b.maker(value)
    if maker is not None and (maker.op, maker.w) == ("addlo", w):
        for x, c in (maker.args, maker.args[::-1]):
            if c.is_const:
                return x, c.lo
    return None


def _addlo(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    x, y = _zero_last(*args)
    if _is(y, 0):
        return (x,)
    for number, other in ((x, y), (y, x)):
        if number.is_const and (found := _plus_number(b, w, other)):
            return b.emit("addlo", w, found[0], const((found[1] + number.lo) % (1 << w)))
    for word, other in ((x, y), (y, x)) if b.has("addclo") else ():
        flag = _flag_of(b, word)
        if flag is not None:
            return b.emit("addclo", w, other, ZERO, flag)
    return None


def _addc(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    x, y = _zero_last(*args[:2])
    if _is(args[2], 0):
        return b.emit("add", w, x, y)
    return (NO, b.one("word", w, args[2])) if _is(x, 0) else None


def _addclo(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    x, y = _zero_last(*args[:2])
    if _is(args[2], 0):
        return b.emit("addlo", w, x, y)
    if _is(x, 0):
        return b.emit("word", w, args[2])
    for word, other in ((x, y), (y, x)):
        flag = _flag_of(b, word)
        if flag is not None and not _is(other, 0):
            return b.emit("addclo", w, b.one("addclo", w, other, ZERO, flag), ZERO, args[2])
    return None


def _sub(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    if args[0] is args[1]:
        return NO, ZERO
    return (NO, args[0]) if _is(args[1], 0) else None


def _sublo(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    if args[0] is args[1]:
        return (ZERO,)
    return args[:1] if _is(args[1], 0) else None


def _subb(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    x, y, borrow = args
    if _is(borrow, 0):
        return b.emit("sub", w, x, y)
    if _is(x, 0) and _is(y, 0):
        return borrow, b.one("select", w, borrow, const((1 << w) - 1), ZERO)
    return None


def _subblo(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    return b.emit("sublo", w, *args[:2]) if _is(args[2], 0) else None


def _mul(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    x, y = _zero_last(*args)
    if _is(y, 0):
        return ZERO, ZERO
    x, y = (y, x) if _is(x, 1) else (x, y)
    return (ZERO, x) if _is(y, 1) else None


def _mullo(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    results = _mul(b, w, k, args)
    return results and results[1:]


def _mulhi(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    results = _mul(b, w, k, args)
    return results and results[:1]


def _select(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    flag, x, y = args
    if flag.is_const:
        return (x if flag.lo else y,)
    return (x,) if x is y else None


def _and(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    x, y = args
    return (y,) if _is(x, 1) or x is y else (x,) if _is(y, 1) else None


def _or(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    x, y = args
    return (y,) if _is(x, 0) or x is y else (x,) if _is(y, 0) else None


def _not(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    maker = b.maker(args[0])
    return maker.args if maker is not None and maker.op == "not" else None


def _shift(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    return args if k == 0 else None


def _shrd(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    if k in (0, w):
        return (args[1] if k == 0 else args[0],)
    if k > w:
        return b.emit("shr", w, args[0], k=k - w)
    return b.emit("shr", w, args[1], k=k) if _is(args[0], 0) else None


def _low(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    return args if args[0].lo >> min(k, w) == args[0].hi >> min(k, w) == 0 else None


def _mac(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    return args[:2] if _is(args[2], 0) or _is(args[3], 0) else None


def _leading(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    """Return the low argument if the high one is 0 and rounding to 53 bits does not change the low one."""
    high, low = args
    return (low,) if _is(high, 0) and max(-low.lo, low.hi) >> 53 == 0 else None


def _mad(half: int) -> Identity:
    """Return the identity for a multiply-add of one half of a product.

    If the product is 0, a sum remains; without summands, the instruction becomes one for the whole product.

    Args:
        half: The index of the half among the results of ``mul``: 0 for the high half, 1 for the low one.
    """

    def simplified(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
        x, y, c, carry = args
        if _is(x, 0) or _is(y, 0):
            return b.emit("addc", w, c, ZERO, carry)
        return (NO, b.emit("mul", w, x, y)[half]) if _is(c, 0) and _is(carry, 0) else None

    return simplified


def _subbif(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    flag, x, y, borrow = args
    if flag.is_const:
        return b.emit("subb", w, x, y, borrow) if flag.lo else (NO, x)
    return (NO, x) if _is(y, 0) and _is(borrow, 0) else None


def _mulhalf(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    """Return the low half of x for the product 1·x, if the target can compute it directly."""
    x, y = args if args[1].is_const else args[::-1]
    one = y.is_const and y.lo % (1 << w // 2) == 1
    return b.emit("low", w, x, k=w // 2) if one and (x.hi >> w // 2 == 0 or b.has("low")) else None


def _mulhalves(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    """Return x without its low half word for the product 2^(w/2)·x by half words."""
    x, y = args if args[1].is_const else args[::-1]
    return b.emit("sublo", w, x, b.one("low", w, x, k=w // 2)) if _is(y, 1 << w // 2) and b.has("low") else None


IDENTITIES: dict[str, Identity] = {
    "add": _add, "addlo": _addlo, "addc": _addc, "addclo": _addclo,
    "sub": _sub, "sublo": _sublo, "subb": _subb, "subblo": _subblo,
    "mul": _mul, "mullo": _mullo, "mulhi": _mulhi, "mulhalf": _mulhalf,
    "mulhalves": _mulhalves, "mad_low": _mad(1), "mad_high": _mad(0), "subbif": _subbif,
    "select": _select, "and": _and, "or": _or, "not": _not, "mor": _or,
    "shr": _shift, "shl": _shift, "shrd": _shrd, "low": _low,
    "mac": _mac, "leading": _leading,
}  # fmt: skip
"""The identities by operation."""


def constants(op: str, numbers: Iterable[int]) -> tuple[Value, ...]:
    """Return known results of an operation as constants."""
    return tuple(const(n, KINDS[kind]) for kind, n in zip(OPS[op].results, numbers, strict=True))


def simpler(b: Emitter, op: str, w: int, k: int, args: tuple[Value, ...]) -> Results:
    """Return the results of an operation if it is constant or an identity applies, and None otherwise."""
    for each in args:
        if each.lo != each.hi:
            identity = IDENTITIES.get(op)
            return identity and identity(b, w, k, args)
    return constants(op, OPS[op].meaning(w, k, *(a.lo for a in args)))
