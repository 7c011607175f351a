"""The meaning of Intel's intrinsics on vectors of integers.

As Intel's documentation does, ``LANEWISE`` states the operation on one lane, and ``MOVES`` from which lane of the
operands each lane of a result comes. A form with ``_mask`` keeps the lane of its first operand where a mask has a 0,
and one with ``_maskz`` has 0 there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from momagen.prove.c.bits import bit_and, bit_or, bit_xor, choose, mask_flag, opposite_of
from momagen.prove.c.memory import Number
from momagen.prove.c.simd.compare import equals, is_less, is_less_signed, lane_of, minimum, sign
from momagen.prove.c.simd.deferred import Leaf, apply, is_finished
from momagen.prove.c.simd.vectors import Flags, Lanes, load, store
from momagen.prove.c.types import Integer, Mask, Vector
from momagen.prove.checker import ProofError
from momagen.prove.polynomial import plus, scaled, times
from momagen.prove.words import Value, variable_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from momagen.prove.c.machine import Machine
    from momagen.prove.words import Words


# Operations on one lane of w bits. The names of parameters are: k for words, w for the width, a, b, c for lanes.


def _sum(k: Words, w: int, a: Value, b: Value) -> Value:
    return lane_of(Value(plus(a.polynomial, b.polynomial), a.low + b.low, a.high + b.high), w, k)


def _difference(k: Words, w: int, a: Value, b: Value) -> Value:
    total = plus(a.polynomial, b.polynomial, -1)
    if () in total:
        return lane_of(Value(total, a.low - b.high, a.high - b.low), w, k)
    return k.difference(a, b, k.constant(0), w, "lane")[1]


def _low_product(k: Words, w: int, a: Value, b: Value) -> Value:
    return k.product(a, b, w, "lane")[1]


def _product_of_low_halves(k: Words, w: int, a: Value, b: Value) -> Value:
    return k.multiply(*(k.low_bits(x, w // 2, "half") for x in (a, b)))


def _signed_product_of_low_halves(k: Words, w: int, a: Value, b: Value) -> Value:
    signed = []
    for x in (a, b):
        half = k.low_bits(x, w // 2, "half")
        signed.append(plus(half.polynomial, scaled(sign(half, w // 2, k).polynomial, -1 << w // 2)))
    return k.divide(Value(times(*signed), -1 << w - 2, 1 << w - 2), 1 << w, "lane")[1]


def _shift_right(k: Words, w: int, a: Value, by: int) -> Value:
    return k.shift_right(a, by, w, "lane") if by < w else k.constant(0)


def _shift_left(k: Words, w: int, a: Value, by: int) -> Value:
    return k.shift_left(a, by, w, "lane") if by < w else k.constant(0)


def _shift_right_signed(k: Words, w: int, a: Value, by: int) -> Value:
    """Return the quotient of the signed number by 2^by: its top bits are copies of the sign."""
    by = min(by, w - 1)
    shifted, top = k.shift_right(a, by, w, "lane"), sign(a, w, k)
    copies = (1 << w) - (1 << w - by)
    total = plus(shifted.polynomial, scaled(top.polynomial, copies))
    return Value(total, shifted.low + top.low * copies, min(shifted.high + top.high * copies, (1 << w) - 1))


def _funnel_right(k: Words, w: int, a: Value, b: Value, by: int) -> Value:
    """Return the low w bits of the 2w bits b:a, shifted to the right."""
    if by % w == 0:
        return a
    return k.join(k.shift_right(a, by % w, w, "lane"), k.shift_left(b, w - by % w, w, "lane"))


def _complement(w: int, a: Value) -> Value:
    return Value(plus({(): (1 << w) - 1}, a.polynomial, -1), (1 << w) - 1 - a.high, (1 << w) - 1 - a.low)


def _and_not(k: Words, w: int, a: Value, b: Value) -> Any:
    """Return ``~a & b``."""
    if a.is_constant and a.low & (a.low + 1) == 0:
        bits = a.low.bit_length()
        return k.shift_left(k.shift_right(b, bits, w, "lane"), bits, w, "lane")
    return bit_and(_complement(w, a), b, w, k)


def _low52(k: Words, a: Value) -> Value:
    return k.low_bits(a, 52, "low 52 bits")


def _add_low52(k: Words, w: int, a: Value, b: Value, c: Value) -> Value:
    """Return a plus the low 52 bits of the product of the low 52 bits of b and c, modulo 2^64."""
    return _sum(k, w, a, k.product(_low52(k, b), _low52(k, c), 52, "product52")[1])


def _add_high52(k: Words, w: int, a: Value, b: Value, c: Value) -> Value:
    """Return a plus the high 52 bits of the product of the low 52 bits of b and c, modulo 2^64."""
    return _sum(k, w, a, k.product(_low52(k, b), _low52(k, c), 52, "product52")[0])


def _all_bits(k: Words, w: int, flag: Value) -> Value:
    """Return a lane all of whose bits are a flag."""
    return Value(scaled(flag.polynomial, (1 << w) - 1), flag.low * ((1 << w) - 1), flag.high * ((1 << w) - 1))


def _by_sign(k: Words, w: int, a: Value, b: Value, c: Value) -> Value:
    """Return b if the top bit of c is 1, and else a."""
    return choose(sign(c, w, k), b, a, k)


def _by_mask(k: Words, w: int, a: Value, b: Value, c: Value) -> Value:
    """Return b if all bits of c are 1, and a if all are 0: then every byte of c has its top bit set or clear."""
    top = sign(c, w, k)
    if c.polynomial != _all_bits(k, w, top).polynomial:
        raise ProofError("the bytes of a lane are chosen by different conditions")
    return choose(top, b, a, k)


LANEWISE: dict[str, tuple[tuple[int, ...], Callable[..., Any]]] = {
    "add_epi": ((16, 32, 64), _sum),
    "sub_epi": ((16, 32, 64), _difference),
    "mullo_epi": ((16, 32, 64), _low_product),
    "mulhi_epu": ((16,), lambda k, w, a, b: k.product(a, b, w, "lane")[0]),
    "mul_epu32": ((64,), _product_of_low_halves),
    "mul_epi32": ((64,), _signed_product_of_low_halves),
    "madd52lo_epu": ((64,), _add_low52),
    "madd52hi_epu": ((64,), _add_high52),
    "min_epu": ((16, 32, 64), lambda k, w, a, b: minimum(a, b, k)),
    "max_epu": ((16, 32, 64), lambda k, w, a, b: choose(is_less(a, b, k), b, a, k)),
    "srli_epi": ((16, 32, 64), _shift_right),
    "slli_epi": ((16, 32, 64), _shift_left),
    "srai_epi": ((16, 32, 64), _shift_right_signed),
    "srlv_epi": ((32, 64), lambda k, w, a, b: _shift_right(k, w, a, _known(b))),
    "sllv_epi": ((32, 64), lambda k, w, a, b: _shift_left(k, w, a, _known(b))),
    "shrdi_epi": ((32, 64), _funnel_right),
    "cmpgt_epi": ((32, 64), lambda k, w, a, b: _all_bits(k, w, is_less_signed(b, a, w, k))),
    "cmpeq_epi": ((32, 64), lambda k, w, a, b: _all_bits(k, w, equals(a, b, k))),
    "blendv_pd": ((64,), _by_sign),
    "blendv_ps": ((32,), _by_sign),
    "mov_epi": ((16, 32, 64), lambda k, w, a: a),
}
"""The operation on one lane, and the widths of lanes, which end the name of an intrinsic unless there is only one."""

BITWISE: dict[str, Callable[..., Any]] = {
    "and_si": lambda k, w, a, b: bit_and(a, b, w, k),
    "or_si": lambda k, w, a, b: _or(k, w, a, b),
    "xor_si": lambda k, w, a, b: _exclusive_or(k, w, a, b),
    "andnot_si": _and_not,
    "blendv_epi8": _by_mask,
}
"""Operations on bits or bytes, which lanes of any width show; the narrowest lanes among the operands are taken."""

CONDITIONS: dict[str, Callable[..., Value]] = {
    "cmpeq_epi": lambda k, w, a, b: equals(a, b, k),
    "cmpeq_epu": lambda k, w, a, b: equals(a, b, k),
    "cmpneq_epi": lambda k, w, a, b: opposite_of(equals(a, b, k)),
    "cmpneq_epu": lambda k, w, a, b: opposite_of(equals(a, b, k)),
    "cmplt_epu": lambda k, w, a, b: is_less(a, b, k),
    "cmpgt_epu": lambda k, w, a, b: is_less(b, a, k),
    "cmple_epu": lambda k, w, a, b: opposite_of(is_less(b, a, k)),
    "cmpge_epu": lambda k, w, a, b: opposite_of(is_less(a, b, k)),
    "cmplt_epi": lambda k, w, a, b: is_less_signed(a, b, w, k),
    "cmpgt_epi": lambda k, w, a, b: is_less_signed(b, a, w, k),
    "movepi": lambda k, w, a: sign(a, w, k),
}
"""The bit of a mask for one lane."""

MOVES: dict[str, tuple[int, Callable[..., int]]] = {
    "unpacklo_epi32": (32, lambda i, n: i // 4 * 4 + i % 4 // 2 + (n if i % 2 else 0)),
    "unpackhi_epi32": (32, lambda i, n: i // 4 * 4 + 2 + i % 4 // 2 + (n if i % 2 else 0)),
    "unpacklo_epi64": (64, lambda i, n: i // 2 * 2 + (n if i % 2 else 0)),
    "unpackhi_epi64": (64, lambda i, n: i // 2 * 2 + 1 + (n if i % 2 else 0)),
    "shuffle_epi32": (32, lambda i, n, by: i // 4 * 4 + (by >> i % 4 * 2 & 3)),
    "shuffle_ps": (32, lambda i, n, by: i // 4 * 4 + (by >> i % 4 * 2 & 3) + (n if i % 4 > 1 else 0)),
    "movehdup_ps": (32, lambda i, n: i | 1),
    "moveldup_ps": (32, lambda i, n: i & ~1),
    "permute4x64_epi64": (64, lambda i, n, by: by >> i * 2 & 3),
    "blend_epi32": (32, lambda i, n, by: i + (n if by >> i & 1 else 0)),
    "permute2x128_si256": (128, lambda i, n, by: by >> 4 * i & 3),
    "shuffle_i64x2": (128, lambda i, n, by: (by >> i * (n // 2) & n - 1) + (n if 2 * i >= n else 0)),
    "inserti64x4": (256, lambda i, n, by: n if i == by & 1 else i),
    "extracti64x4_epi64": (256, lambda i, n, by: by & 1),
    "inserti128_si256": (128, lambda i, n, by: n if i == by & 1 else i),
    "extracti128_si256": (128, lambda i, n, by: by & 1),
    "castsi512_si256": (256, lambda i, n: 0),
    "castsi256_si128": (128, lambda i, n: 0),
    "castsi512_si128": (128, lambda i, n: 0),
}
"""The index of the lane that becomes lane i. The lanes of a second operand begin at n; ``by`` is a number."""

NARROWER = {"extracti64x4_epi64": 256, "extracti128_si256": 128}
NARROWER |= {"castsi512_si256": 256, "castsi256_si128": 128, "castsi512_si128": 128}
"""The bits of a result that is narrower than the operand."""

TRIED = ("add", "sub", "mul", "madd52", "min", "max", "srli", "slli", "srai", "srlv", "sllv", "shrdi")
"""Operations whose results do not matter in a trial, which only shows by how much counters and pointers change."""

NAME = re.compile(r"_mm(256|512|)_(mask_|maskz_|)(\w+)")
SAME = re.compile(r"cast(?:si\d+_p[sd]|p[sd]_si\d+|p[sd]_p[sd])")
WIDENED = re.compile(r"castsi(128|256)_si(256|512)")
REPEATED = re.compile(r"set1_epi(16|32|64)x?")
LISTED = re.compile(r"set(r?)_epi(16|32|64)x?")
PERMUTED = re.compile(r"(permutex2var_epi|permutexvar_epi|permutevar8x32_epi(?=32))(32|64)")
LOADED = re.compile(r"(?:loadu_si|lddqu_si)\d+")
STORED = re.compile(r"storeu_si\d+")


def _known(value: Value) -> int:
    if not isinstance(value, Value) or not value.is_constant:
        raise ProofError("a lane is shifted or moved by a number that is not known")
    return value.low


def _or(k: Words, w: int, a: Any, b: Any) -> Any:
    for mask, other in ((a, b), (b, a)):
        flag = mask_flag(mask, w, k) if isinstance(mask, Value) and isinstance(other, Value) else None
        if flag is not None:
            return choose(flag, k.constant((1 << w) - 1), other, k)
    return bit_or(a, b, k)


def _exclusive_or(k: Words, w: int, a: Any, b: Any) -> Any:
    for mask, other in ((a, b), (b, a)):
        if isinstance(mask, Value) and isinstance(other, Value):
            if mask.is_constant and mask.low == (1 << w) - 1:
                return _complement(w, other)
            if (flag := mask_flag(mask, w, k)) is not None:
                return choose(flag, _complement(w, other), other, k)
    return bit_xor(a, b, k)


def lane_bits(name: str) -> int:
    """Return the bits of the lanes that an intrinsic makes of numbers, or 64, which no lane exceeds."""
    found = NAME.fullmatch(name)
    made = found and (REPEATED.fullmatch(found[3]) or LISTED.fullmatch(found[3]))
    return int(made[made.lastindex or 1]) if made else 64


def is_intrinsic(name: str) -> bool:
    """Return whether a function is an intrinsic on vectors."""
    return NAME.fullmatch(name) is not None


def call(name: str, arguments: list[Any], machine: Machine) -> Any:
    """Return the result of an intrinsic.

    Raises:
        ProofError: The intrinsic is not in a table, or its operands are not supported.
    """
    found = NAME.fullmatch(name)
    if found is None:
        raise ProofError(f"{name} is no intrinsic")
    bits, form, operation = int(found[1] or 128), found[2], found[3]
    if not form and LOADED.fullmatch(operation):
        return load(Vector(bits), arguments[0], machine.facts)
    if not form and STORED.fullmatch(operation):
        return store(arguments[0], arguments[1], machine.facts)
    if form and operation.endswith("_mask"):
        raise ProofError(f"the form of {name} with a mask is not supported")
    if machine.facts.is_trial and operation.startswith(TRIED):
        return Lanes(Vector(bits), 64, (machine.words.constant(0),) * (bits // 64))
    if form == "mask_" and operation.startswith("blend_epi"):
        mask, kept, arguments, operation = arguments[0], arguments[1], arguments[2:], f"mov{operation[5:]}"
    elif form:
        kept, arguments = (arguments[0], arguments[1:]) if form == "mask_" else (None, arguments)
        mask, arguments = arguments[0], arguments[1:]
    if form == "mask_" and (sums := _masked_sums(operation, mask, kept, arguments, machine)) is not None:
        return sums
    result = _unmasked(name, operation, bits, arguments, machine)
    return _chosen(result, mask, kept, machine) if form else result


def _masked_sums(operation: str, mask: Any, kept: Any, operands: list[Any], machine: Machine) -> Lanes | None:
    """Return the lanes ``a + flag * number`` that a masked sum of kept lanes and known numbers is, or None."""
    found = re.fullmatch(r"(add|sub)_epi(16|32|64)", operation)
    if found is None or not isinstance(mask, Flags):
        return None
    k, width = machine.words, int(found[2])
    rows = [operand.of_width(width, k) for operand in (kept, *operands)]
    lanes = list(zip(mask.bits, *rows, strict=False))
    if len(mask.bits) < len(rows[0]) or not all(isinstance(lane, Value) for row in lanes for lane in row):
        return None
    if not all(a.polynomial == before.polynomial and b.is_constant for _, before, a, b in lanes):
        return None
    sign_ = 1 if found[1] == "add" else -1
    return Lanes(kept.kind, width, tuple(_stepped(k, width, flag, a, sign_ * b.low) for flag, _, a, b in lanes))


def _stepped(k: Words, w: int, flag: Value, a: Value, by: int) -> Value:
    """Return ``a + flag * by`` modulo 2^w. If one condition chose both a and the flag, it chooses between the sums."""
    number, bit = variable_of(a), variable_of(flag)
    if number in k.selections and bit in k.selections and k.selections[number].flag == k.selections[bit].flag:
        first, second = k.selections[number], k.selections[bit]
        condition = k.value_of({(first.flag,): 1})
        chosen = _stepped(k, w, second.chosen, first.chosen, by)
        return choose(condition, chosen, _stepped(k, w, second.other, first.other, by), k)
    step = Value(scaled(flag.polynomial, by), *sorted((flag.low * by, flag.high * by)))
    return lane_of(Value(plus(a.polynomial, step.polynomial), a.low + step.low, a.high + step.high), w, k)


def _unmasked(name: str, operation: str, bits: int, arguments: list[Any], machine: Machine) -> Any:
    k = machine.words
    if SAME.fullmatch(operation):
        return arguments[0]
    if WIDENED.fullmatch(operation):
        return _widened(bits, arguments[0], machine)
    if found := REPEATED.fullmatch(operation):
        width = int(found[1])
        return Lanes(Vector(bits), width, (_lane_of(arguments[0], width, k),) * (bits // width))
    if found := LISTED.fullmatch(operation):
        lanes = tuple(_lane_of(argument, int(found[2]), k) for argument in arguments)
        return Lanes(Vector(bits), int(found[2]), lanes if found[1] else lanes[::-1])
    if operation == f"setzero_si{bits}":
        return Lanes(Vector(bits), 64, (k.constant(0),) * (bits // 64))
    if found := PERMUTED.fullmatch(operation):
        return _permuted(found[1], int(found[2]), arguments, k)
    if operation in ("movemask_pd", "movemask_ps"):
        return _signs(64 if operation.endswith("d") else 32, arguments[0], k)
    operands = [a if isinstance(a, Lanes) else machine.number(a) for a in arguments]
    if operation in MOVES:
        return _moved(operation, bits, operands, k)
    return _by_lanes(name, operation, operands, k)


def _widened(bits: int, vector: Lanes, machine: Machine) -> Lanes:
    """Return a vector with further lanes above, of which Intel's documentation says that they are undefined."""
    width, words = vector.width, machine.words
    count = (bits - vector.kind.bits) // width
    above = [words.variable("undefined", 0, (1 << width) - 1) for _ in range(count)]
    machine.facts.secrets |= {words.number_of(lane) for lane in above}
    return Lanes(Vector(bits), width, (*vector.lanes, *above))


def _by_lanes(name: str, operation: str, operands: list[Any], k: Words) -> Any:
    """Apply an operation to each lane."""
    stem = operation.removesuffix("_mask").rstrip("0123456789")
    number = int(operation.removesuffix("_mask")[len(stem) :] or 0)
    widths = {operand.width for operand in operands if isinstance(operand, Lanes)}
    if operation.endswith("_mask") and (stem in CONDITIONS and number):
        width, meaning = number, CONDITIONS[stem]
    elif operation in LANEWISE and len(LANEWISE[operation][0]) == 1:
        width, meaning = LANEWISE[operation][0][0], LANEWISE[operation][1]
    elif stem in LANEWISE and number in LANEWISE[stem][0]:
        width, meaning = number, LANEWISE[stem][1]
    elif operation in BITWISE or stem in BITWISE:
        width, meaning = min(widths), BITWISE.get(operation) or BITWISE[stem]
    else:
        raise ProofError(f"the intrinsic {name} is not known")
    kind = next(operand.kind for operand in operands if isinstance(operand, Lanes))
    count = kind.bits // width
    rows = [o.of_width(width, k) if isinstance(o, Lanes) else (o,) * count for o in operands]
    if operation not in BITWISE and stem not in BITWISE and not all(is_finished(lane) for row in rows for lane in row):
        raise ProofError(f"{name} is applied to unfinished bits")
    results = tuple(apply(meaning, k, width, *lanes) for lanes in zip(*rows, strict=True))
    if operation.endswith("_mask"):
        return Flags(Mask(max(count, 8)), results + (k.constant(0),) * (8 - count))
    return Lanes(kind, width, results)


def _moved(operation: str, bits: int, operands: list[Any], k: Words) -> Lanes:
    """Take each lane of the result from a lane of the operands."""
    width, source = MOVES[operation]
    vectors = [operand for operand in operands if isinstance(operand, Lanes)]
    numbers = [operand for operand in operands if not isinstance(operand, Lanes)]
    if operation == "permute2x128_si256" and numbers[0] & 0x88:
        raise ProofError("a permutation that sets lanes to 0 is not supported")
    narrow = min(width, 64)
    each = [vector.of_width(narrow, k) for vector in vectors]
    size, lanes = width // narrow, [lane for vector in each for lane in vector]
    n = len(each[0]) // size
    bits = NARROWER.get(operation, bits)
    taken = [source(i, n, *numbers) for i in range(bits // width)]
    return Lanes(Vector(bits), narrow, tuple(lanes[at * size + j] for at in taken for j in range(size)))


def _permuted(form: str, width: int, arguments: list[Any], k: Words) -> Lanes:
    """Take each lane of the result from the lane whose index another vector states."""
    forms = {"permutex2var_epi": ((0, 2), 1), "permutexvar_epi": ((1,), 0), "permutevar8x32_epi": ((0,), 1)}
    sources, indices = forms[form]
    lanes = [lane for at in sources for lane in arguments[at].of_width(width, k)]
    taken = [lanes[_known(index) % len(lanes)] for index in arguments[indices].of_width(width, k)]
    return Lanes(arguments[indices].kind, width, tuple(taken))


def _signs(width: int, vector: Lanes, k: Words) -> Any:
    """Return the number whose bits are the top bits of the lanes."""
    lanes = vector.of_width(width, k)
    if not all(isinstance(lane, Value) for lane in lanes):
        raise ProofError("the signs of these lanes are not supported")
    bits = [sign(lane, width, k) for lane in lanes]
    total = plus({}, {})
    for i, bit in enumerate(bits):
        total = plus(total, bit.polynomial, 1 << i)
    return Number(Integer(32, is_signed=True), k.value_of(total))


def _low_bits(k: Words, w: int, a: Value) -> Value:
    return k.low_bits(a, w, "lane")


def _lane_of(number: Any, width: int, k: Words) -> Any:
    """Return a number modulo 2^width."""
    value = number.value
    if isinstance(value, Leaf):
        return value if number.kind == Integer(width) else apply(_low_bits, k, width, value)
    if value.low >= 0 and value.high < 1 << width:
        return value
    return k.constant(value.low % (1 << width)) if value.is_constant else k.low_bits(value, width, "lane")


def _choice(k: Words, _w: int, flag: Value, a: Value, b: Value) -> Value:
    return choose(flag, a, b, k)


def _chosen(result: Any, mask: Any, kept: Any, machine: Machine) -> Any:
    """Return the lanes of a result where a mask has a 1, and else those of ``kept``, or zeros."""
    k = machine.words
    if not isinstance(result, Lanes):
        raise ProofError("a result is masked that is no vector")
    count = len(result.lanes)
    bits = mask.bits if isinstance(mask, Flags) else [k.constant(machine.number(mask) >> i & 1) for i in range(count)]
    others = (k.constant(0),) * count if kept is None else kept.of_width(result.width, k)
    if len(bits) < count or not all(is_finished(lane) for lane in (*result.lanes, *others)):
        raise ProofError("unfinished bits are masked")
    rows = zip(bits, result.of_width(result.width, k), others, strict=False)
    lanes = (apply(_choice, k, result.width, bit, a, b) for bit, a, b in rows)
    return Lanes(result.kind, result.width, tuple(lanes))
