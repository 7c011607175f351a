"""Programs as C with intrinsics, as in Listing 1 of the paper, with the host code that launches them.

The listing has offsets in bytes, and the distance of strided words as a number; the output follows it. The
header of the listing, rpu.h, was not published. The output needs from it the intrinsics of isa.toml,
registers, and the functions of HOST.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from momagen.errors import MomagenError, among

from .instruction import RpuInstruction, check
from .program import RpuProgram
from .table import Mode, Opcode, WordField, b512

BYTES = 16
"""The number of bytes of a word of memory."""
CALL = re.compile(r"\s*(_\w+)\(([^()]*)\);\s*")
REGISTER = re.compile(r"REG_([VSAM])([0-9]{1,3})")
HOST = """/* Of rpu.h the host needs rpu_write_sdm(word, numbers, count), rpu_write_vdm(word, numbers, count),
   rpu_read_vdm(numbers, word, count), rpu_launch(kernel). Numbers are pairs of 64-bit words, the low one first. */"""
"""The comment that lists the functions of rpu.h for the host."""


def intrinsics(program: RpuProgram, name: str) -> str:
    """Return the program as C: the kernel, its tables, and a host function from operands to results."""
    lines = [
        "#include <stdint.h>",
        "#include <rpu.h>",
        "",
        "// kernel code",
        f"void _{name}() {{",
        "    enter(OP_DEFAULT);",
    ]
    lines += [f"    {call_of(each)}" for each in program.instructions]
    lines += ["    leave(OP_DEFAULT);", "}", "", "// launch code", HOST]
    writes = list[str]()
    for kind, memory in (("sdm", program.sdm), ("vdm", program.vdm)):
        for begin, numbers in memory.items():
            lines += [f"static const uint64_t {name}_{kind}{begin}[][2] = {{", *_pairs(numbers), "};"]
            writes.append(f"    rpu_write_{kind}({begin}, {name}_{kind}{begin}, {len(numbers)});")
    given = [area for area in ("x", "y", "w") if area in program.areas]
    goal = "z" if "z" in program.areas else given.pop()
    arguments = ", ".join([f"const uint64_t (*{each})[2]" for each in given] + [f"uint64_t (*{goal})[2]"])
    lines += ["", f"void {name}({arguments}) {{", *writes]
    for area in given:
        lines.append(f"    rpu_write_vdm({program.areas[area].begin}, {area}, {program.areas[area].words});")
    lines += [
        f"    rpu_launch(_{name});",
        f"    rpu_read_vdm({goal}, {program.areas[goal].begin}, {program.areas[goal].words});",
    ]
    return "\n".join([*lines, "}", ""])


def _pairs(numbers: Sequence[int]) -> Iterator[str]:
    """Yield lines of numbers, each number as a pair of 64-bit words."""
    for at in range(0, len(numbers), 2):
        some = numbers[at : at + 2]
        yield "    " + " ".join(f"{{{each & (1 << 64) - 1:#x}, {each >> 64:#x}}}," for each in some)


def call_of(given: RpuInstruction) -> str:
    """Return one instruction as a statement."""
    opcode = given.opcode
    mode = given.mode.letter if opcode.mode else ""
    operands = [_told(each, given[each.name]) for each in opcode.operands]
    if not opcode.writes and opcode.mode:  # the stored register is the last argument
        operands = [*operands[1:], operands[0]]
    more = [str(1 << given["VALUE"])] if opcode.mode and given["MODE"] else []
    return f"{opcode.intrinsic.format(mode=mode)}({', '.join([*operands, *more])});"


def _told(of: WordField, number: int) -> str:
    """Return the text of an operand: an offset in bytes, or a register."""
    return str(BYTES * number) if of.holds == "address" else f"REG_{of.holds.upper()}{number}"


def read_intrinsics(text: str, name: str = "program") -> list[RpuInstruction]:
    """Return the instructions between ``enter`` and ``leave``.

    Args:
        text: The text.
        name: The name of the text in messages.

    Raises:
        MomagenError: A line between them is not a known intrinsic; the message states its number and what was
            expected.
    """
    found, inside, known = list[RpuInstruction](), False, _names()
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip().startswith(("enter(", "leave(")):
            inside = line.strip().startswith("enter(")
        elif inside and line.strip():
            found.append(_read(line, f"{name}, line {number}", known))
    return found


def _names() -> Mapping[str, tuple[Opcode, Mode | None]]:
    """Return the instruction and the address mode of each intrinsic."""
    modes = b512().modes.values()
    return {
        opcode.intrinsic.format(mode=mode.letter if mode else ""): (opcode, mode)
        for opcode in b512().opcodes.values()
        for mode in (modes if opcode.mode else (None,))
    }


def _read(line: str, where: str, known: Mapping[str, tuple[Opcode, Mode | None]]) -> RpuInstruction:
    """Return the instruction of one line."""
    call = CALL.fullmatch(line)
    if call is None:
        raise MomagenError("a call of an intrinsic, such as _vaddmod_512x128i(…);", line.strip(), where)
    if call[1] not in known:
        raise among("one of the intrinsics", known, call[1], where)
    opcode, mode = known[call[1]]
    operands = [*opcode.operands]
    if not opcode.writes and opcode.mode:
        operands = [*operands[1:], operands[0]]
    words = [each.strip() for each in call[2].split(",")]
    shifted = mode is not None and mode.number > 0
    if len(words) != len(operands) + shifted:
        raise MomagenError(f"{len(operands) + shifted} arguments for {call[1]}", len(words), where)
    fields = {of.name: _operand(word, of.holds, where) for of, word in zip(operands, words, strict=False)}
    if mode is not None:
        value = _number(words[-1], where) if shifted else 1
        if value < 1 or value & value - 1:
            raise MomagenError("a power of two", words[-1], where)
        fields |= {"MODE": mode.number, "VALUE": value.bit_length() - 1}
    made = RpuInstruction(opcode, fields)
    check(made, where)
    return made


def _operand(word: str, holds: str, where: str) -> int:
    if holds == "address":
        offset = _number(word, where)
        if offset % BYTES:
            raise MomagenError(f"a multiple of {BYTES} bytes", word, where)
        return offset // BYTES
    found = REGISTER.fullmatch(word)
    if found is None or found[1].lower() != holds:
        raise MomagenError(f"a register from REG_{holds.upper()}0 to REG_{holds.upper()}63", word, where)
    return int(found[2])


def _number(word: str, where: str) -> int:
    try:
        return int(word, 0)
    except ValueError:
        raise MomagenError("an integer", word, where) from None
