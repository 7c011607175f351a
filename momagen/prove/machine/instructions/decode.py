"""Instructions of x86-64, as the package capstone decodes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import capstone
from capstone import x86

from momagen.prove.checker import ProofError

GENERAL = ("rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", *(f"r{i}" for i in range(8, 16)))
OLD = ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp")
PARTS = (
    {name: (name, 64) for name in GENERAL}
    | {f"e{name}": (f"r{name}", 32) for name in OLD}
    | {name: (f"r{name}", 16) for name in OLD}
    | {f"{name.rstrip('x')}l": (f"r{name}", 8) for name in OLD}
    | {f"r{i}{suffix}": (f"r{i}", bits) for i in range(8, 16) for suffix, bits in (("d", 32), ("w", 16), ("b", 8))}
)
"""By the name of a register or a low part of one: the register, and the bits of the part."""


@dataclass(frozen=True)
class RegisterPart:
    """A register, or the low ``bits`` bits of one."""

    name: str
    bits: int


@dataclass(frozen=True)
class Immediate:
    """A number in an instruction, extended by its sign."""

    value: int
    bits: int


@dataclass(frozen=True)
class Memory:
    """The memory at ``base + scale * index + displacement``; a name is empty if there is no such register.

    If the base is rip, the displacement is the address in the shared object.
    """

    base: str
    index: str
    scale: int
    displacement: int
    bits: int


Operand = RegisterPart | Immediate | Memory
LEGACY, REX = bytes.fromhex("262e363e64656667f0f2f3"), bytes(range(0x40, 0x50))
"""The bytes before an instruction that may change its meaning."""
SHORT, MANDATORY = b"\x66", (b"", b"\x66", b"\xf2", b"\xf3")
"""The prefix for operands of 16 bits, and the prefixes that an instruction on vectors may have."""
REPEATED = "endbr64", "repz ret"
"""The instructions whose names include the prefix f3."""
STACK = "push", "pop"
"""The instructions that move the stack pointer by 2 instead of 8 if they have a prefix for operands of 16 bits."""


@dataclass(frozen=True)
class Instruction:
    """An instruction: its address, its size, its name, its operands with the destination first, and its text."""

    address: int
    size: int
    name: str
    operands: tuple[Any, ...]
    text: str = field(compare=False, default="")

    @property
    def next(self) -> int:
        """The address of the next instruction."""
        return self.address + self.size


def decode(code: bytes, address: int) -> dict[int, Instruction]:
    """Return the instructions of a function, which begins at an address, by their addresses.

    Raises:
        ProofError: Some bytes are no instruction.
    """
    decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    decoder.detail = True
    found = {each.address: _instruction(each) for each in decoder.disasm(code, address)}
    end = max((each.next for each in found.values()), default=address)
    if end != address + len(code):
        raise ProofError(f"the bytes at {end:#x} are no known instruction")
    return found


def _instruction(found: Any) -> Instruction:
    text = f"{found.mnemonic} {found.op_str}".strip()
    name = found.mnemonic
    if _has_other_prefixes(found) or "{" in found.op_str:
        name = f"with a prefix or mask: {text}"  # these may change the meaning: no such name is known
    return Instruction(found.address, found.size, name, tuple(_operand(each, found) for each in found.operands), text)


def _has_other_prefixes(found: Any) -> bool:
    """Return whether an instruction has a prefix that its name and its operands do not require."""
    code = bytes(found.bytes)
    before = code[: len(code) - len(code.lstrip(LEGACY + REX))]
    prefixes = bytes(each for each in before if each in LEGACY)
    if not prefixes or found.mnemonic == "nop":
        return False
    if found.mnemonic in REPEATED:
        return prefixes != b"\xf3"
    if any(each.type == x86.X86_OP_REG and "mm" in found.reg_name(each.reg) for each in found.operands):
        return prefixes not in MANDATORY
    is_short = found.mnemonic not in STACK and any(8 * each.size == 16 for each in found.operands)
    return not is_short or prefixes != SHORT


def _operand(operand: Any, found: Any) -> Any:
    bits = 8 * operand.size
    if operand.type == x86.X86_OP_REG:
        name = found.reg_name(operand.reg)
        return RegisterPart(*PARTS.get(name, (name, bits)))
    if operand.type == x86.X86_OP_IMM:
        return Immediate(operand.imm, bits)
    base, index = (found.reg_name(number) or "" for number in (operand.mem.base, operand.mem.index))
    if operand.mem.segment:
        return None
    displacement = operand.mem.disp
    if base == "rip":
        displacement += found.address + found.size
    return Memory(base, index, operand.mem.scale, displacement, bits)
