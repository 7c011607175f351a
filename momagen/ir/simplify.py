"""Identities that need no rule: x + 0 = x, x·1 = x, (f ? x : x) = x. One row per operation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from .block import Instr
from .ops import KINDS, OPS
from .value import Value, const

Results = tuple[Value, ...] | None


class Emitter(Protocol):
    """What an identity asks of the builder that it simplifies for."""

    def has(self, op: str, /) -> bool: ...
    def maker(self, value: Value, /) -> Instr | None: ...
    def emit(self, op: str, w: int, /, *args: Value, k: int = 0) -> tuple[Value, ...]: ...
    def one(self, op: str, w: int, /, *args: Value, k: int = 0) -> Value: ...


Identity = Callable[[Emitter, int, int, tuple[Value, ...]], Results]
NO = const(0, "flag")
ZERO = const(0)


def _is(value: Value, number: int) -> bool:
    return value.lo == number == value.hi


def _zero_last(a: Value, b: Value) -> tuple[Value, Value]:
    return (b, a) if _is(a, 0) else (a, b)


def _flag_of(b: Emitter, value: Value) -> Value | None:
    """The flag that ``value`` is the word of, if it is one."""
    maker = b.maker(value)
    return maker.args[0] if maker is not None and maker.op == "word" else None


def _add(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    x, y = _zero_last(*args)
    return (NO, x) if _is(y, 0) else None


def _plus_number(b: Emitter, w: int, value: Value) -> tuple[Value, int] | None:
    """x and c where ``value`` is x + c modulo 2^w for a number c."""
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
    """Of 53 bits nothing is lost."""
    high, low = args
    return (low,) if _is(high, 0) and max(-low.lo, low.hi) >> 53 == 0 else None


def _mad(half: int) -> Identity:
    """A half of a product that is 0 leaves a sum; without summands it is one of a whole product."""

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
    """1·x is the low half of x, where the machine can take it by itself."""
    x, y = args if args[1].is_const else args[::-1]
    one = y.is_const and y.lo % (1 << w // 2) == 1
    return b.emit("low", w, x, k=w // 2) if one and (x.hi >> w // 2 == 0 or b.has("low")) else None


def _mulhalves(b: Emitter, w: int, k: int, args: tuple[Value, ...]) -> Results:
    """2^(w/2)·x by halves is x without its low half."""
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


def constants(op: str, numbers: Iterable[int]) -> tuple[Value, ...]:
    """Results of ``op`` that are known."""
    return tuple(const(n, KINDS[kind]) for kind, n in zip(OPS[op].results, numbers, strict=True))


def simpler(b: Emitter, op: str, w: int, k: int, args: tuple[Value, ...]) -> Results:
    """The results of ``op`` where arguments are known, or an identity gives them; else None."""
    for each in args:
        if each.lo != each.hi:
            identity = IDENTITIES.get(op)
            return identity and identity(b, w, k, args)
    return constants(op, OPS[op].meaning(w, k, *(a.lo for a in args)))
