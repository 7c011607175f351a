"""The effect of each instruction on the known values: which results are public and which are data.

Copies, sums and shifts of public numbers are public; loads from data are data. An instruction that the table
does not contain makes data of every register that it may write.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .kinds import ARRAY, INSIDE, JOB, OPEN, PUBLIC, ROWS, ZERO, FrameAddress, Kind, Known, added, made, moved
from .listing import WORD, Instruction, signed, whole

IMMEDIATE = re.compile(r"\$-?0x[0-9a-f]+")
FLAGLESS = re.compile("v(?!u?comis|p?test)|kmov|mulx|p(?!test|cmp.str)|mov|xchg")
"""The instructions in the rows for data that do not change the flags."""
IMPLICIT = ("a", "b", "c", "d", "si", "di")
"""The registers that instructions may write without naming them."""


def _copy(known: Known, found: Instruction) -> None:
    source, target = found.operands
    known.write(target, known.value(source), found.size)


def _address(known: Known, found: Instruction) -> None:
    source, target = found.operands
    known.write(target, known.address(source), found.size)


def _push(known: Known, found: Instruction) -> None:
    kind = known.value(found.operands[0])
    known.hold("sp", moved(known.held.get("sp"), -WORD))
    known.write("(%rsp)", kind, WORD)


def _pop(known: Known, found: Instruction) -> None:
    kind = known.value("(%rsp)")
    known.hold("sp", moved(known.held.get("sp"), WORD))
    known.write(found.operands[0], kind, WORD)


def _leave(known: Known, found: Instruction) -> None:
    known.hold("sp", known.held.get("bp"))
    _pop(known, Instruction(found.address, "pop", ("%rbp",)))


def _shifted(known: Known, found: Instruction) -> Kind:
    """Return the kind of a known number plus an address in the frame or a plan, or None for other operands."""
    source, target = found.operands
    kind = known.value(target)
    if kind == ROWS or known.value(source) == ROWS:
        return {"add": added(kind, known.value(source)), "sub": INSIDE}.get(found.op[:3])
    if kind == ARRAY and found.op[:3] in ("add", "sub"):
        return added(kind, known.value(source))
    if not (IMMEDIATE.fullmatch(source) and (kind in (OPEN, JOB) or isinstance(kind, FrameAddress))):
        return None
    by = signed(source[1:])
    if found.op.startswith("and"):
        return FrameAddress(found.address, 0) if isinstance(kind, FrameAddress) else None
    return moved(kind, by if found.op.startswith("add") else -by) if found.op[:3] in ("add", "sub") else None


def _sum(known: Known, found: Instruction) -> None:
    operands = found.operands
    same = found.op[:3] in ("xor", "sub") and len(operands) == 2 and operands[0] == operands[1]
    summands = operands[:-1] if len(operands) == 3 else operands
    kinds: list[Kind] = [ZERO] if same else [*map(known.value, summands)]
    kind = ZERO if same else (_shifted(known, found) if len(operands) == 2 else None) or made(*kinds)
    known.write(operands[-1], kind, found.size)
    known.flag(*kinds)


def _step(known: Known, found: Instruction) -> None:
    kind = made(known.value(found.operands[0]))
    known.write(found.operands[0], kind, found.size)
    known.hold("flags", kind)


def _flagless(known: Known, found: Instruction) -> None:
    known.write(found.operands[-1], made(*map(known.value, found.operands[:-1] or found.operands)), found.size)


def _with_carry(known: Known, found: Instruction) -> None:
    source, target = found.operands
    own = [] if source == target and found.op.startswith("sbb") else [known.value(source), known.value(target)]
    kind = made(*own, known.held.get("carry"))
    known.write(target, kind, found.size)
    known.flag(kind)


def _compare(known: Known, found: Instruction) -> None:
    kinds = [*map(known.value, found.operands)]
    known.flag(*kinds)
    if kinds == [ZERO, ZERO]:  # a test of a register with itself, or a comparison with 0
        known.hold("flags", ZERO)


def _chosen(known: Known, found: Instruction) -> None:
    *sources, target = found.operands
    kinds = map(known.value, (*sources, target) if sources else ())
    known.write(target, made(*kinds, known.held.get("flags"), known.held.get("carry")), found.size)


def _wide(known: Known, found: Instruction) -> None:
    if len(found.operands) > 1:
        return _sum(known, found)
    kind = made(
        known.value(found.operands[0]), known.held.get("a"), known.held.get("d") if "div" in found.op else PUBLIC
    )
    known.flag(kind)
    for name in ("a", "d"):
        known.hold(name, kind)


def _sign(known: Known, found: Instruction) -> None:
    known.hold("d", made(known.held.get("a")))


def _data(known: Known, found: Instruction) -> None:
    """Make data of the operands that the instruction writes."""
    for operand in found.operands[-1:]:
        known.write(operand, None, found.size)
    for operand in found.operands[1:]:
        if operand.startswith("%"):
            known.hold(whole(operand[1:]), None)
    if not FLAGLESS.match(found.op):
        known.flag(None)


def _exchange(known: Known, found: Instruction) -> None:
    first, second = found.operands
    kinds = known.value(second), known.value(first)
    known.write(first, kinds[0], found.size)
    known.write(second, kinds[1], found.size)


def _fill(known: Known, found: Instruction) -> None:
    """Record that the instruction writes several words from an address on, usually because it has a repeat prefix."""
    if known.held.get("di") == INSIDE or isinstance(known.held.get("di"), FrameAddress):
        known.slots.clear()
    for name in ("c", "si", "di"):
        known.hold(name, made(known.held.get(name)))


def _unknown(known: Known, found: Instruction) -> None:
    _data(known, found)
    for name in IMPLICIT:
        known.hold(name, None)


def _nothing(known: Known, found: Instruction) -> None:
    """Change nothing, because the instruction writes no register that is followed."""


TABLE: tuple[tuple[str, Callable[[Known, Instruction], None]], ...] = (
    (r"(?:v?mov[dq]|mov(?:abs)?[bwlq]?|mov[zs][bwl][wlq])", _copy),
    (r"lea[wlq]?", _address),
    (r"pushq?", _push),
    (r"popq?", _pop),
    (r"leaveq?", _leave),
    (r"(?:add|sub|and|or|xor|shl|shr|sar|sal|neg)[bwlq]?", _sum),
    (r"(?:inc|dec)[bwlq]?", _step),
    (r"i?(?:mul|div)[lq]?", _wide),
    (r"cqto|cltd", _sign),
    (r"xchg[bwlq]?", _exchange),
    (r"(?:stos|movs)[bwlq]?", _fill),
    (r"not[bwlq]?|(?:shl|shr|sar|ror)x[lq]?|bswap[lq]?", _flagless),
    (r"(?:adc|sbb)[bwlq]?", _with_carry),
    (r"(?:cmp|test)[bwlq]?", _compare),
    (r"cmov[a-z]+|set[a-z]+", _chosen),
    (r"nop[wl]?|endbr64|vzeroupper|cltq|cwtl|prefetch\w*|v?ldmxcsr|j[a-z]+|retq?|callq?", _nothing),
    (r"[vkp].*|mulx[lq]?|ad[co]x[lq]?|andn[lq]?|bextr[lq]?|bls.*|bzhi[lq]?|[lt]zcnt.*|bt.*|bs[fr].*", _data),
    (r"(?:sh[lr]d|ro[lr]|rc[lr])[bwlq]?|mov(?:dq|[ahlu]+p[sd]|s[sd]|nt).*|cvt.*|[a-z]*p[sd]", _data),
)
"""The effects of instructions by regular expressions of their mnemonics; the first expression that matches
counts."""
_EFFECTS: dict[str, Callable[[Known, Instruction], None]] = {}


def effect(known: Known, found: Instruction) -> None:
    """Change the known values as an instruction does."""
    if found.op not in _EFFECTS:
        _EFFECTS[found.op] = next((row for pattern, row in TABLE if re.fullmatch(pattern, found.op)), _unknown)
    row = _EFFECTS[found.op]
    fits = row in (_nothing, _sign, _leave) or found.operands
    (row if fits else _unknown)(known, found)
