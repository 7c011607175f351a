"""Vector registers, and the instructions that move words between them, memory and general registers.

Every vector register consists of eight words. An instruction whose name begins with ``v`` sets the upper words of its
destination to 0, and an older one leaves them as they are. An older instruction requires that an operand in memory is
aligned to its size, unless it is one of those for unaligned addresses.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from momagen.prove.c.memory import Number, Pointer
from momagen.prove.c.simd.vectors import Lanes
from momagen.prove.c.types import INT, Vector
from momagen.prove.checker import ProofError
from momagen.prove.machine.contents import HERE, ONLY_MOVED, MachineWord, as_value, held_by, hold
from momagen.prove.machine.cpu import WORD_BITS, Cpu
from momagen.prove.machine.instructions.decode import Immediate, Memory, RegisterPart
from momagen.prove.machine.space import AT_ENTRY
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.c.memory import Block
    from momagen.prove.machine.instructions.decode import Instruction

VECTOR = re.compile(r"[xyz]mm(\d+)")
OLD_COUNT = 16
"""The number of vector registers before AVX-512."""
COUNT, WORDS_OF_VECTOR = 32, 8


class VectorCpu(Cpu):
    """A processor with vector registers.

    Attributes:
        vectors: The words of the vector registers, by the numbers of the register and of the word.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.vectors = {
            (i, j): MachineWord(f"xmm{i}[{j}]", self.words) for i in range(COUNT) for j in range(WORDS_OF_VECTOR)
        }

    def blocks(self) -> list[Block]:
        """Return all registers and words of the stack."""
        return [*super().blocks(), *self.vectors.values()]

    def forget(self, kept: set[str]) -> None:
        """Let the registers and words of the stack that a function may change hold nothing known.

        Args:
            kept: The general registers that it leaves as they are.
        """
        for name, register in self.registers.items():
            if name not in kept and name != "rsp":
                register.use = register.use or "written"
                register.cells.clear()
        for register in self.vectors.values():
            register.cells.clear()
        for offset, slot in self.space.slots.items():
            if offset < self.space.top():
                slot.cells.clear()
        for array in self.space.arrays:
            if array.start < self.space.top():
                array.cells.clear()
        self.flags = None

    def lanes(self, operand: Any, count: int, *, is_aligned: bool = False) -> list[Any]:
        """Return the words of a vector that an operand holds; None stands for a word that is not known.

        Args:
            operand: A vector register, or memory.
            count: The number of words.
            is_aligned: Whether an address in memory must be a multiple of the size.
        """
        if isinstance(operand, Memory):
            at = self.address(operand)
            if is_aligned:
                self.check_aligned(at, 8 * count)
            return [self.space.load(self._moved(at, 8 * i), WORD_BITS) for i in range(count)]
        number = self.number_of_vector(operand)
        return [self.vectors[number, i].cells.get(HERE) and held_by(self.vectors[number, i]) for i in range(count)]

    def set_lanes(self, operand: Any, lanes: list[Any], *, clears: bool, is_aligned: bool = False) -> None:
        """Change the words of a vector that an operand holds.

        Args:
            operand: A vector register, or memory.
            lanes: The words; None stands for a word that is not known.
            clears: Whether the upper words of a register become 0.
            is_aligned: Whether an address in memory must be a multiple of the size.
        """
        if isinstance(operand, Memory):
            at = self.address(operand)
            if is_aligned:
                self.check_aligned(at, 8 * len(lanes))
            for i, lane in enumerate(lanes):
                if lane is None:
                    raise ProofError("a word of a vector is stored that is not known")
                self.space.store(self._moved(at, 8 * i), lane, WORD_BITS)
            return
        number = self.number_of_vector(operand)
        zeros = [self.words.constant(0)] * (WORDS_OF_VECTOR - len(lanes)) if clears else []
        for i, lane in enumerate([*lanes, *zeros]):
            if lane is None:
                self.vectors[number, i].cells.clear()
            else:
                hold(self.vectors[number, i], lane)

    @staticmethod
    def number_of_vector(operand: Any) -> int:
        """Return the number of the vector register that an operand names."""
        found = VECTOR.fullmatch(operand.name) if isinstance(operand, RegisterPart) else None
        if found is None:
            raise ProofError("an operand of this instruction is not supported")
        return int(found[1])

    def known_count(self, operand: Any, *, is_aligned: bool) -> int:
        """Return the number of bits by which all lanes are shifted, from the low word of an operand."""
        count = self.lanes(operand, 2, is_aligned=is_aligned)[0]
        if not isinstance(count, Value) or not count.is_constant:
            raise ProofError("lanes are shifted by a number of bits that is not known")
        return min(count.low, 1 << 8)

    def _moved(self, at: Pointer, by: int) -> Pointer:
        return at.moved({(): by} if by else {}, self.facts)

    def check_aligned(self, at: Pointer, size: int) -> None:
        """Check that an address is a multiple of a number of bytes."""
        offset = at.offset.low if at.offset.is_constant else 1
        if at.block is self.space.stack and at.offset.is_constant and offset % 8 == 0:
            offset += AT_ENTRY if size <= 16 else self.space.entry()
        elif at.block is not self.space.static:
            offset = 1
        if offset % size:
            raise ProofError(f"an address is not proven to be a multiple of {size}")


Meaning = Callable[[VectorCpu, Any], None]


def words_of(operand: Any) -> int:
    """Return the number of words of an operand."""
    return int(operand.bits) // WORD_BITS


def operands_of(i: Instruction) -> tuple[Any, ...]:
    """Return the destination and the sources; the destination of an older instruction is its first source, too."""
    return i.operands if i.name.startswith("v") else (i.operands[0], *i.operands)


def _move(*, is_aligned: bool) -> Meaning:
    def meaning(cpu: VectorCpu, i: Instruction) -> None:
        goal, source = i.operands
        lanes = cpu.lanes(source, words_of(source), is_aligned=is_aligned)
        cpu.set_lanes(goal, lanes, clears=i.name.startswith("v"), is_aligned=is_aligned)

    return meaning


def _movq(cpu: VectorCpu, i: Instruction) -> None:
    """Move one word, or half of one; all other bits of the low half of a vector register become 0."""
    goal, source = i.operands
    is_vector = isinstance(source, RegisterPart) and VECTOR.fullmatch(source.name)
    word = cpu.lanes(source, 1)[0] if is_vector else cpu.read(source)
    if word is None:
        raise ProofError("a word of a vector is read that is not known")
    if isinstance(goal, RegisterPart) and VECTOR.fullmatch(goal.name):
        cpu.set_lanes(goal, [word, cpu.words.constant(0)], clears=i.name.startswith("v"))
    else:
        cpu.write(goal, cpu.narrow(as_value(word), goal.bits) if goal.bits < WORD_BITS else word)


def _exclusive_or(cpu: VectorCpu, i: Instruction) -> None:
    """Combine the bits of two vectors; those of a register with itself are 0, whatever it holds."""
    goal, *sources = operands_of(i)
    if sources[0] != sources[1] or isinstance(sources[0], Memory):
        by_lanes("xor_si")(cpu, i)
    else:
        cpu.set_lanes(goal, [cpu.words.constant(0)] * words_of(goal), clears=i.name.startswith("v"))


def _all_ones(cpu: VectorCpu, i: Instruction) -> None:
    """Set all bits of a vector, as the table of a function of three bits does that is always 1."""
    goal, *_, table = i.operands
    if not isinstance(table, Immediate) or table.value & 255 != 255:
        raise ProofError("this function of three bits is not supported")
    cpu.set_lanes(goal, [cpu.words.constant((1 << WORD_BITS) - 1)] * words_of(goal), clears=True)


def _are_equal(intrinsic: str) -> Meaning:
    """Compare the lanes of two vectors; a register is equal to itself, whatever it holds."""
    compare = by_lanes(intrinsic)

    def meaning(cpu: VectorCpu, i: Instruction) -> None:
        goal, *sources = operands_of(i)
        if sources[0] != sources[1] or isinstance(sources[0], Memory):
            compare(cpu, i)
        else:
            ones = cpu.words.constant((1 << WORD_BITS) - 1)
            cpu.set_lanes(goal, [ones] * words_of(goal), clears=i.name.startswith("v"))

    return meaning


def by_lanes(intrinsic: str) -> Meaning:
    """Return the operation of an intrinsic of Intel on each lane; an immediate operand is its last argument."""

    def meaning(cpu: VectorCpu, i: Instruction) -> None:
        goal, *sources = operands_of(i)
        sources = [goal, *sources] if intrinsic in ACCUMULATING else sources
        is_new, bits = i.name.startswith("v"), goal.bits
        operands: list[Any] = []
        for source in sources:
            if isinstance(source, Immediate):
                operands.append(Number(INT, cpu.words.constant(source.value & 255)))
                continue
            if intrinsic in COUNTED and len(operands) == 1:
                operands.append(Number(INT, cpu.words.constant(cpu.known_count(source, is_aligned=not is_new))))
                continue
            lanes = cpu.lanes(source, words_of(goal), is_aligned=not is_new)
            if source.bits != bits or any(lane is None or isinstance(lane, ONLY_MOVED) for lane in lanes):
                raise ProofError("an operand of an operation on vectors is no known number, or has another size")
            operands.append(Lanes(Vector(bits), WORD_BITS, tuple(lanes)))
        name = f"_mm{bits if bits > 128 else ''}_{intrinsic}{bits if intrinsic.endswith('_si') else ''}"
        result = cpu.program.intrinsic(name, operands)
        cpu.set_lanes(goal, list(result.of_width(WORD_BITS, cpu.words)), clears=is_new)

    return meaning


def _broadcast(cpu: VectorCpu, i: Instruction) -> None:
    """Copy one word to all words of a vector."""
    goal, source = i.operands
    is_vector = isinstance(source, RegisterPart) and VECTOR.fullmatch(source.name)
    word = cpu.lanes(source, 1)[0] if is_vector else cpu.read(source)
    cpu.set_lanes(goal, [word] * words_of(goal), clears=True)


def _zero_upper(cpu: VectorCpu, _: Instruction) -> None:
    """Set all words but the first two of the first 16 vector registers to 0."""
    for (number, lane), register in cpu.vectors.items():
        if number < OLD_COUNT and lane > 1:
            hold(register, cpu.words.constant(0))


def _move_high(cpu: VectorCpu, i: Instruction) -> None:
    """Move the upper word of a vector to or from memory."""
    goal, source = i.operands
    if isinstance(goal, Memory):
        cpu.write(goal, as_value(cpu.lanes(source, 2)[1]))
    else:
        cpu.set_lanes(goal, [cpu.lanes(goal, 1)[0], cpu.read(source)], clears=False)


ALIGNED = ("movaps", "movapd", "movdqa", "vmovaps", "vmovapd", "vmovdqa", "vmovdqa32", "vmovdqa64")
UNALIGNED = ("movups", "movupd", "movdqu", "vmovups", "vmovupd", "vmovdqu", "vmovdqu32", "vmovdqu64")
ACCUMULATING = ("madd52lo_epu64", "madd52hi_epu64")
"""The operations that add to their destination."""
COUNTED = ("srli_epi64", "slli_epi64", "srai_epi64", "srli_epi32", "slli_epi32", "srai_epi32")
LANEWISE = {
    "paddq": "add_epi64",
    "psubq": "sub_epi64",
    "paddd": "add_epi32",
    "psubd": "sub_epi32",
    "pmuludq": "mul_epu32",
    "pmulld": "mullo_epi32",
    "psrlq": "srli_epi64",
    "psllq": "slli_epi64",
    "psraq": "srai_epi64",
    "psrld": "srli_epi32",
    "psrad": "srai_epi32",
    "pslld": "slli_epi32",
    "pminuq": "min_epu64",
    "pminud": "min_epu32",
    "pmaxuq": "max_epu64",
    "pmadd52luq": "madd52lo_epu64",
    "pmadd52huq": "madd52hi_epu64",
    "pcmpgtq": "cmpgt_epi64",
    "pcmpeqq": "cmpeq_epi64",
    "pcmpgtd": "cmpgt_epi32",
    "pcmpeqd": "cmpeq_epi32",
    "pand": "and_si",
    "por": "or_si",
    "pandn": "andnot_si",
    "psrlvq": "srlv_epi64",
    "psllvq": "sllv_epi64",
}
"""The intrinsic with the same operation on each lane, by the name of the instruction without the letter ``v``."""
BITWISE = {"and": "and", "or": "or", "andn": "andnot"}
"""The intrinsic by the name of an operation on bits, which AVX-512 has for lanes of two sizes."""
VECTORS: dict[str, Meaning] = {
    **{name: _move(is_aligned=True) for name in ALIGNED},
    **{name: _move(is_aligned=False) for name in UNALIGNED},
    **dict.fromkeys(("movq", "vmovq", "movd", "vmovd"), _movq),
    **dict.fromkeys(("pxor", "xorps", "xorpd", "vpxor", "vxorps", "vxorpd", "vpxord", "vpxorq"), _exclusive_or),
    **dict.fromkeys(("vpternlogd", "vpternlogq"), _all_ones),
    **{name: by_lanes(intrinsic) for name, intrinsic in LANEWISE.items()},
    **{f"v{name}": by_lanes(intrinsic) for name, intrinsic in LANEWISE.items()},
    **{f"vp{name}{size}": by_lanes(f"{by}_si") for name, by in BITWISE.items() for size in "dq"},
    **{f"{v}pcmpeq{at}": _are_equal(f"cmpeq_epi{bits}") for v in ("", "v") for at, bits in (("d", 32), ("q", 64))},
    **{f"vpshrd{at}": by_lanes(f"shrdi_epi{bits}") for at, bits in (("d", 32), ("q", 64))},
    "vpbroadcastq": _broadcast,
    "vzeroupper": _zero_upper,
    **dict.fromkeys(("movhps", "movhpd"), _move_high),
}
"""The meaning of each instruction on vectors, by the name that capstone gives it."""
