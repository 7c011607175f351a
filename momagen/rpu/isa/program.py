"""Programs with the initial contents of the memories, and their file format.

A file consists of the bytes ``B512``, the version as 32 bits, and sections. A section consists of a tag of
four bytes, the length of a name as 32 bits, its first address and its number of items as 64 bits each, the
name, and the items. Numbers are stored with the low byte first.

    INST   64-bit instructions, from word ``begin`` of the instruction memory on
    SDM    words of 16 bytes of the scalar memory
    VDM    words of 16 bytes of the vector memory
    AREA   no items: a named part of the vector memory with this number of words
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from momagen.errors import MomagenError, build_error, quoted

from .instruction import RpuInstruction, decode, encode
from .table import b512

MAGIC, VERSION = b"B512", 1
HEAD, SECTION = struct.Struct("<4sI"), struct.Struct("<4sIQQ")
INST, SDM, VDM, AREA = b"INST", b"SDM ", b"VDM ", b"AREA"
SIZES = {INST: 8, SDM: 16, VDM: 16, AREA: 0}
"""The number of bytes of an item."""


class Area(NamedTuple):
    """A part of the vector memory.

    Attributes:
        begin: The first word.
        words: The number of words.
    """

    begin: int
    words: int


@dataclass(frozen=True)
class RpuProgram:
    """A program.

    Attributes:
        instructions: The instructions.
        sdm: The initial contents of the scalar memory, by address.
        vdm: The initial contents of the vector memory, by address.
        areas: The named parts of the vector memory: operands, results and tables.
    """

    instructions: list[RpuInstruction]
    sdm: Mapping[int, list[int]] = field(default_factory=dict)
    vdm: Mapping[int, list[int]] = field(default_factory=dict)
    areas: Mapping[str, Area] = field(default_factory=dict)

    def __post_init__(self) -> None:
        size, most = 8 * len(self.instructions), b512().machine["im_bytes"]
        if size > most:
            problem = f"the program takes {size} bytes, and the instruction memory has {most}"
            raise build_error(problem, "program", "use fewer points or moduli, or a smaller batch")


def write_program(program: RpuProgram) -> bytes:
    """Return the bytes of the file of a program."""
    words = b"".join(encode(each).to_bytes(8, "little") for each in program.instructions)
    parts = [HEAD.pack(MAGIC, VERSION), _section(INST, "", 0, words)]
    for tag, memory in ((SDM, program.sdm), (VDM, program.vdm)):
        for begin, numbers in memory.items():
            parts.append(_section(tag, "", begin, b"".join(number.to_bytes(16, "little") for number in numbers)))
    for name, area in program.areas.items():
        parts += [SECTION.pack(AREA, len(name.encode()), *area), name.encode()]
    return b"".join(parts)


def _section(tag: bytes, name: str, begin: int, items: bytes) -> bytes:
    """Return the bytes of one section."""
    return SECTION.pack(tag, len(name), begin, len(items) // SIZES[tag]) + name.encode() + items


def read_program(data: bytes, where: str = "program") -> RpuProgram:
    """Return the program in the bytes of a file.

    Raises:
        MomagenError: The file has another format or version, is truncated, or has an unknown instruction.
    """
    if data[:4] != MAGIC or len(data) < HEAD.size:
        raise MomagenError("a B512 program, which begins with the bytes B512 and a version", quoted(data[:8]), where)
    if (version := HEAD.unpack_from(data)[1]) != VERSION:
        raise MomagenError(f"version {VERSION} of the file format", version, where)
    found = RpuProgram([], {}, {}, {})
    sdm, vdm, areas = dict[int, list[int]](), dict[int, list[int]](), dict[str, Area]()
    for tag, name, begin, count, items in _sections(data, where):
        numbers = [
            int.from_bytes(items[at : at + SIZES[tag]], "little") for at in range(0, len(items), SIZES[tag] or 1)
        ]
        if tag == INST and begin != len(found.instructions):
            expected = f"a section of instructions that begins at number {len(found.instructions)}"
            raise MomagenError(expected, begin, where)
        if tag == INST:
            found.instructions.extend(decode(word, f"{where}, instruction {at}") for at, word in enumerate(numbers))
        elif tag == AREA:
            areas[name] = Area(begin, count)
        else:
            (sdm if tag == SDM else vdm)[begin] = numbers
    return RpuProgram(found.instructions, sdm, vdm, areas)


def _sections(data: bytes, where: str) -> Iterator[tuple[bytes, str, int, int, bytes]]:
    """Yield the tag, the name, the first address, the number of items and the items of each section."""
    at = HEAD.size
    while at < len(data):
        place = f"{where}, byte {at}"
        if len(data) - at < SECTION.size:
            raise build_error(f"the file ends inside the header of a section ({len(data) - at} bytes)", place)
        tag, length, begin, count = SECTION.unpack_from(data, at)
        if tag not in SIZES:
            raise MomagenError("a section with the tag INST, SDM, VDM or AREA", quoted(tag), place)
        at += SECTION.size
        size = length + count * SIZES[tag]
        if size > len(data) - at:
            raise build_error(f"the file has only {len(data) - at} of the section's {size} bytes", place)
        name, items = data[at : at + length], data[at + length : at + size]
        yield tag, name.decode(errors="replace"), begin, count, items
        at += size
