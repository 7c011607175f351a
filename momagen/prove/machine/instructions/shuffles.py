"""Instructions that permute the words of vectors, or choose between the words of two vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from momagen.prove.checker import ProofError
from momagen.prove.machine.instructions.decode import Immediate
from momagen.prove.machine.instructions.vectors import by_lanes, operands_of, words_of

if TYPE_CHECKING:
    from momagen.prove.machine.instructions.decode import Instruction
    from momagen.prove.machine.instructions.vectors import Meaning, VectorCpu

HALF = 2
"""The words of 128 bits, a half of a vector of 256 bits."""
WHOLE = 4
"""The words of 256 bits."""


def _number(operand: Any) -> int:
    """Return the 8 bits of an operand that must be a number."""
    if not isinstance(operand, Immediate):
        raise ProofError("words are moved to positions that a register states")
    return operand.value & 255


def _check_sizes(*operands: tuple[Any, int]) -> None:
    """Check that operands have these numbers of words."""
    if any(words_of(operand) != count or operand.bits % 64 for operand, count in operands):
        raise ProofError("the vectors of this instruction have sizes that are not supported")


def _unpack(at: int) -> Meaning:
    """Take word ``at`` of each half of both operands."""

    def meaning(cpu: VectorCpu, i: Instruction) -> None:
        goal, *sources = operands_of(i)
        is_new = i.name.startswith("v")
        a, b = (cpu.lanes(source, words_of(goal), is_aligned=not is_new) for source in sources)
        lanes = [lane for half in range(0, len(a), HALF) for lane in (a[half + at], b[half + at])]
        cpu.set_lanes(goal, lanes, clears=is_new)

    return meaning


def _insert(cpu: VectorCpu, i: Instruction) -> None:
    """Replace the lower or the upper half of a vector."""
    goal, whole, half, by = i.operands
    _check_sizes((goal, WHOLE), (whole, WHOLE), (half, HALF))
    lanes, at = cpu.lanes(whole, WHOLE), HALF * (_number(by) & 1)
    lanes[at : at + HALF] = cpu.lanes(half, HALF)
    cpu.set_lanes(goal, lanes, clears=True)


def _extract(cpu: VectorCpu, i: Instruction) -> None:
    """Take the lower or the upper half of a vector."""
    goal, whole, by = i.operands
    _check_sizes((goal, HALF), (whole, WHOLE))
    at = HALF * (_number(by) & 1)
    cpu.set_lanes(goal, cpu.lanes(whole, WHOLE)[at : at + HALF], clears=True)


def _permute(cpu: VectorCpu, i: Instruction) -> None:
    """Take each word of a vector from any word of another one."""
    goal, source, by = i.operands
    _check_sizes((goal, WHOLE), (source, WHOLE))
    lanes, number = cpu.lanes(source, WHOLE), _number(by)
    cpu.set_lanes(goal, [lanes[number >> 2 * at & 3] for at in range(WHOLE)], clears=True)


def _permute_halves(cpu: VectorCpu, i: Instruction) -> None:
    """Take each half of a vector from any half of two others."""
    goal, a, b, by = i.operands
    _check_sizes((goal, WHOLE), (a, WHOLE), (b, WHOLE))
    number = _number(by)
    if number & 0x88:
        raise ProofError("a permutation that sets words to 0 is not supported")
    lanes = [*cpu.lanes(a, WHOLE), *cpu.lanes(b, WHOLE)]
    starts = [HALF * (number >> 4 * half & 3) for half in range(HALF)]
    cpu.set_lanes(goal, [lanes[start + at] for start in starts for at in range(HALF)], clears=True)


def _blend(cpu: VectorCpu, i: Instruction) -> None:
    """Take each word from one of two vectors; a number states for each half of a word which one."""
    goal, a, b, by = i.operands
    number, count = _number(by), words_of(goal)
    pairs = [number >> 2 * at & 3 for at in range(count)]
    if not all(pair in (0, 3) for pair in pairs):
        by_lanes("blend_epi32")(cpu, i)
        return
    _check_sizes((a, count), (b, count))
    rows = zip(pairs, cpu.lanes(a, count), cpu.lanes(b, count), strict=True)
    cpu.set_lanes(goal, [second if pair else first for pair, first, second in rows], clears=True)


SHUFFLES: dict[str, Meaning] = {
    **dict.fromkeys(("punpcklqdq", "vpunpcklqdq"), _unpack(0)),
    **dict.fromkeys(("punpckhqdq", "vpunpckhqdq"), _unpack(1)),
    **dict.fromkeys(("vinserti128", "vinsertf128"), _insert),
    **dict.fromkeys(("vextracti128", "vextractf128"), _extract),
    **dict.fromkeys(("vpermq", "vpermpd"), _permute),
    **dict.fromkeys(("vperm2i128", "vperm2f128"), _permute_halves),
    "vpblendd": _blend,
    "vblendvpd": by_lanes("blendv_pd"),
}
"""The meaning of each instruction, by the name that capstone gives it."""
