"""What PTX instructions mean, by the PTX ISA's text, on Python integers: words without sign in, words out."""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Mapping
from typing import Any

import gmpy2

SIZES = {"pred": 1} | {f"{kind}{bits}": bits for kind in "busf" for bits in (8, 16, 32, 64)}
Meaning = Callable[..., int]


def signed(x: int, bits: int) -> int:
    """A word as a number with a sign."""
    return x - (1 << bits) if x >> (bits - 1) else x


def _quotient(a: int, b: int) -> int:
    """Towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _lop3(a: int, b: int, c: int, table: int, bits: int) -> int:
    index = [4 * (a >> i & 1) + 2 * (b >> i & 1) + (c >> i & 1) for i in range(32)]
    return sum((table >> index[i] & 1) << i for i in range(32))


def _prmt(a: int, b: int, c: int, bits: int) -> int:
    held = (b << 32 | a).to_bytes(8, "little")
    chosen = [(held[c >> 4 * i & 7], c >> (4 * i + 3) & 1) for i in range(4)]
    return int.from_bytes(bytes((255 if byte >> 7 else 0) if sign else byte for byte, sign in chosen), "little")


def _bfe(a: int, pos: int, length: int, sign: bool, bits: int) -> int:
    """The ISA's own program."""
    pos, length, msb = pos & 0xFF, length & 0xFF, bits - 1
    sbit = 0 if not sign or length == 0 else a >> min(pos + length - 1, msb) & 1
    return sum(((a >> (pos + i) & 1) if i < length and pos + i <= msb else sbit) << i for i in range(bits))


def _bfi(a: int, b: int, pos: int, length: int, bits: int) -> int:
    pos, length = pos & 0xFF, length & 0xFF
    mask = ((1 << length) - 1 << pos) % (1 << bits)
    return (b & ~mask) | (a << pos & mask)


WORDS: Mapping[str, Meaning] = {
    "mov": lambda a, bits: a,
    "add": lambda a, b, bits: a + b,
    "sub": lambda a, b, bits: a - b,
    "mul.lo": lambda a, b, bits: a * b,
    "mul.hi": lambda a, b, bits: a * b >> bits,
    "mul.wide": lambda a, b, bits: a * b,
    "mad.lo": lambda a, b, c, bits: a * b + c,
    "mad.hi": lambda a, b, c, bits: (a * b >> bits) + c,
    "mad.wide": lambda a, b, c, bits: a * b + c,
    "mul24.lo": lambda a, b, bits: (a % 2**24) * (b % 2**24),
    "div": lambda a, b, bits: _quotient(a, b),
    "rem": lambda a, b, bits: a - b * _quotient(a, b),
    "sad": lambda a, b, c, bits: abs(a - b) + c,
    "abs": lambda a, bits: abs(a),
    "neg": lambda a, bits: -a,
    "min": lambda a, b, bits: min(a, b),
    "max": lambda a, b, bits: max(a, b),
    "and": lambda a, b, bits: a & b,
    "or": lambda a, b, bits: a | b,
    "xor": lambda a, b, bits: a ^ b,
    "not": lambda a, bits: ~a,
    "shl": lambda a, b, bits: a << min(b, bits),
    "shr": lambda a, b, bits: a >> min(b, bits),
    "shf.l.wrap": lambda a, b, c, bits: (b << 32 | a) << (c & 31) >> 32,
    "shf.l.clamp": lambda a, b, c, bits: (b << 32 | a) << min(c, 32) >> 32,
    "shf.r.wrap": lambda a, b, c, bits: (b << 32 | a) >> (c & 31),
    "shf.r.clamp": lambda a, b, c, bits: (b << 32 | a) >> min(c, 32),
    "lop3": _lop3,
    "prmt": _prmt,
    "bfi": _bfi,
    "bfind": lambda a, bits: a.bit_length() - 1,
    "bfind.shiftamt": lambda a, bits: bits - a.bit_length() if a else -1,
    "clz": lambda a, bits: bits - a.bit_length(),
    "popc": lambda a, bits: a.bit_count(),
    "brev": lambda a, bits: int(f"{a:0{bits}b}"[::-1], 2),
    "selp": lambda a, b, c, bits: a if c else b,
}  # fmt: skip
"""Operands of a type s… come with their sign."""

CARRIES: Mapping[str, Meaning] = {
    "add": lambda a, b, bits: a + b,
    "sub": lambda a, b, bits: a + (~b % (1 << bits)),
    "mad.lo": lambda a, b, c, bits: a * b % (1 << bits) + c,
    "mad.hi": lambda a, b, c, bits: (a * b >> bits) % (1 << bits) + c % (1 << bits),
}
"""Sums before the carry flag is added; sub.cc begins with 1 in its place. Bit N of a sum is the new flag, also of a
difference: so ptxas compiles them (sub.cc, addc: IADD3 R, P0, a, -b, RZ; SEL R, RZ, 1, !P0), whatever the ISA's text
says of a borrow."""

COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "lo": operator.lt, "ls": operator.le, "hi": operator.gt, "hs": operator.ge,
}  # fmt: skip
COMBINE: Mapping[str, Callable[[Any, Any], bool]] = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}


def word_result(name: str, kind: str, words: list[int]) -> int:
    """The value of an instruction without flags; not yet cut to its type."""
    bits = SIZES[kind]
    values = [signed(x, bits) for x in words] if kind[0] == "s" else words
    if name in ("shl", "shr", "mad.wide"):  # their last operand is of another type
        values[-1] = words[-1]
    if name == "bfe":
        return _bfe(*words, kind[0] == "s", bits)
    return WORDS[name](*values, bits)


def flag_result(name: str, kind: str, words: list[int], flag: int) -> tuple[int, int]:
    """The sum of an instruction with .cc or c, and the new flag."""
    bits = SIZES[kind]
    reads, base = name.split(".")[0] in ("addc", "subc", "madc"), name.replace("c.", ".").removesuffix(".c")
    base = base.removesuffix(".cc").removesuffix("c") if base.split(".")[0] in ("addc", "subc") else base
    base = base.removesuffix(".c").removesuffix(".cc")
    signs = kind[0] == "s" and base.startswith("mad.hi")
    values = [signed(x, bits) for x in words[:2]] + words[2:] if signs else words
    carried = flag if reads else int(base == "sub")
    total = CARRIES[base](*values, bits) + carried
    return total, total >> bits & 1


def comparison(words: tuple[str, ...], kind: str, a: int, b: int, c: int) -> tuple[bool, bool]:
    """setp's two results; ``words``: of its opcode between setp and the type."""
    bits = SIZES[kind]
    if kind[0] == "f":
        holds = _compare_real(words[0], as_real(a, bits), as_real(b, bits))
    else:
        x, y = (signed(a, bits), signed(b, bits)) if kind[0] == "s" else (a, b)
        holds = COMPARE[words[0]](x, y)
    if len(words) == 1:
        return holds, not holds
    return COMBINE[words[1]](holds, bool(c)), COMBINE[words[1]](not holds, bool(c))


def _compare_real(name: str, x: Any, y: Any) -> bool:
    """Without an order, false; true of a name that ends in u."""
    if gmpy2.is_nan(x) or gmpy2.is_nan(y):
        return name.endswith("u")
    return COMPARE[name.removesuffix("u") if name not in COMPARE else name](x, y)


ROUND = {"rn": gmpy2.RoundToNearest, "rz": gmpy2.RoundToZero, "rm": gmpy2.RoundDown, "rp": gmpy2.RoundUp}
FORMATS = {32: (24, 8), 64: (53, 11)}


def context(bits: int, mode: str) -> Any:
    """gmpy2's numbers of IEEE 754's format of so many bits."""
    digits, exponent = FORMATS[bits]
    emax = 1 << (exponent - 1)
    return gmpy2.context(precision=digits, emax=emax, emin=4 - emax - digits, subnormalize=True, round=ROUND[mode])


def as_real(word: int, bits: int) -> Any:
    """The number that a word is; every one has 53 bits."""
    (number,) = struct.unpack("<d" if bits == 64 else "<f", word.to_bytes(bits // 8, "little"))
    return gmpy2.mpfr(number, 53)


def as_word(x: Any, bits: int) -> int:
    """The word of a number that the format has; of NaN, the one that the ISA gives."""
    if gmpy2.is_nan(x):
        return (1 << (bits - 1)) - 1
    return int.from_bytes(struct.pack("<d" if bits == 64 else "<f", float(x)), "little")


REALS: Mapping[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "div": lambda x, y: x / y,
    "fma": gmpy2.fma, "rcp": lambda x: gmpy2.div(1, x), "sqrt": gmpy2.sqrt,
}  # fmt: skip


def real_result(name: str, kind: str, words: list[int]) -> int:
    """An operation on real numbers, rounded as its name says; to nearest where it says nothing."""
    base, _, mode = name.partition(".")
    bits = SIZES[kind]
    if base in ("mov", "selp"):
        return WORDS[base](*words, bits)
    if base in ("abs", "neg"):
        high = 1 << (bits - 1)
        return words[0] & ~high if base == "abs" else words[0] ^ high
    if base in ("min", "max"):
        return as_word(_extreme(base, *(as_real(x, bits) for x in words)), bits)
    with context(bits, mode or "rn"):
        return as_word(REALS[base](*(as_real(x, bits) for x in words)), bits)


def _extreme(name: str, x: Any, y: Any) -> Any:
    """The number where the other is none; -0 is less than 0."""
    if gmpy2.is_nan(x) or gmpy2.is_nan(y):
        return y if gmpy2.is_nan(x) else x
    first, second = sorted([x, y], key=lambda each: (each, not gmpy2.is_signed(each)))
    return first if name == "min" else second


def conversion(name: str, to: str, source: str, word: int) -> int:
    """cvt: of integers, cut or extended; else rounded, and within the integers of the type."""
    mode, bits, have = name.partition(".")[2], SIZES[to], SIZES[source]
    if to[0] != "f" and source[0] != "f":
        value = signed(word, have) if source[0] == "s" else word
        return signed(value % (1 << bits), bits) if to[0] == "s" else value % (1 << bits)
    if to[0] == "f" and source[0] == "f" and not mode.endswith("i"):
        with context(bits, mode or "rn") as now:
            exact = as_real(word, have)
            return as_word(gmpy2.mpfr(exact) if now else exact, bits)
    if to[0] == "f" and source[0] != "f":
        with context(bits, mode):
            return as_word(gmpy2.mpfr(signed(word, have) if source[0] == "s" else gmpy2.mpz(word)), bits)
    return _to_whole(mode, to, as_real(word, have))


def _to_whole(mode: str, to: str, x: Any) -> int:
    bits = SIZES[to]
    round_: Callable[[Any], Any] = {
        "rni": gmpy2.rint, "rzi": gmpy2.rint_trunc, "rmi": gmpy2.rint_floor, "rpi": gmpy2.rint_ceil,
    }[mode]  # fmt: skip
    if to[0] == "f":
        with context(bits, "rn"):
            return as_word(x if gmpy2.is_nan(x) or gmpy2.is_infinite(x) else round_(x), bits)
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if to[0] == "s" else (0, (1 << bits) - 1)
    if gmpy2.is_nan(x):
        return 0
    if gmpy2.is_infinite(x):
        return most if x > 0 else least
    with gmpy2.context(precision=64):
        return min(max(int(round_(x)), least), most)
