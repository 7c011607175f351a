"""A shared object in ELF format: its functions, its code, and its constants, as the loader maps them into memory."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from momagen.prove.checker import ProofError

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SEGMENT = struct.Struct("<IIQQQQQQ")
SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
DYNAMIC = struct.Struct("<QQ")
SHARED, X86_64, LITTLE_64 = 3, 62, b"\x7fELF\x02\x01\x01"
LOADED, DYNAMIC_SEGMENT = 1, 2
EXECUTABLE, WRITABLE = 1, 2
SYMBOL_TABLES, FUNCTION, UNDEFINED = (2, 11), 2, 0
CHANGES_TEXT, FLAGS, CHANGES_TEXT_FLAG = 22, 30, 4


@dataclass(frozen=True)
class Segment:
    """A part of the file that the loader maps.

    Attributes:
        start: The address of its first byte.
        content: Its bytes.
        flags: What the program may do with the memory.
    """

    start: int
    content: bytes
    flags: int


@dataclass(frozen=True)
class Function:
    """A function: its name, the address of its first byte, and its size in bytes."""

    name: str
    start: int
    size: int


class Image:
    """A shared object for x86-64.

    Args:
        content: The bytes of the file.

    Attributes:
        functions: The functions.

    Raises:
        ProofError: The file is something else or is damaged, or the loader may change its code.
    """

    def __init__(self, content: bytes) -> None:
        self.content = content
        if len(content) < HEADER.size:
            raise ProofError("the file is no shared object for x86-64")
        identity, kind, machine, _, _, self._segments_at, self._sections_at, *_ = HEADER.unpack_from(content)
        if not identity.startswith(LITTLE_64) or (kind, machine) != (SHARED, X86_64):
            raise ProofError("the file is no shared object for x86-64")
        try:
            self._segments = [*self._read_segments()]
            self.functions = tuple(dict.fromkeys(self._read_functions()))
        except (struct.error, OverflowError, LookupError, ValueError):
            raise ProofError("the shared object is damaged: a table lies outside it or is not readable") from None

    def function(self, name: str) -> Function:
        """Return the function with a name.

        Raises:
            ProofError: There is none, or more than one.
        """
        found = [function for function in self.functions if function.name == name]
        if len(found) != 1:
            raise ProofError(f"the shared object does not define {name}, or defines it more than once")
        return found[0]

    def _read_segments(self) -> Iterator[Segment]:
        size, count = HEADER.unpack_from(self.content)[9:11]
        for i in range(count):
            kind, flags, offset, start, _, in_file, _, _ = SEGMENT.unpack_from(
                self.content, self._segments_at + size * i
            )
            part = self.content[offset : offset + in_file]
            if kind == LOADED:
                yield Segment(start, part, flags)
            elif kind == DYNAMIC_SEGMENT:
                entries = {*DYNAMIC.iter_unpack(part[: len(part) // DYNAMIC.size * DYNAMIC.size])}
                if any(tag == CHANGES_TEXT or (tag == FLAGS and value & CHANGES_TEXT_FLAG) for tag, value in entries):
                    raise ProofError("the loader changes the code of the shared object")

    def _read_functions(self) -> Iterator[Function]:
        size, count = HEADER.unpack_from(self.content)[11:13]
        sections = [SECTION.unpack_from(self.content, self._sections_at + size * i) for i in range(count)]
        for section in sections:
            if section[1] not in SYMBOL_TABLES:
                continue
            begin, length, names = section[4], section[5], sections[section[6]][4]
            for at in range(begin, begin + length, SYMBOL.size):
                name, info, _, index, start, extent = SYMBOL.unpack_from(self.content, at)
                if info & 15 == FUNCTION and index != UNDEFINED:
                    end = self.content.index(b"\0", names + name)
                    yield Function(self.content[names + name : end].decode(), start, extent)

    def function_at(self, address: int) -> Function:
        """Return the function that contains an address.

        Raises:
            ProofError: There is none.
        """
        for function in self.functions:
            if function.start <= address < function.start + function.size:
                return function
        raise ProofError(f"the code at {address:#x} belongs to no function of the shared object")

    def code(self, function: Function) -> bytes:
        """Return the code of a function."""
        return self._bytes(function.start, function.size, "code", is_code=True)

    def constant(self, address: int, size: int) -> int:
        """Return the number that ``size`` bytes of constant memory hold."""
        return int.from_bytes(self._bytes(address, size, "a constant", is_code=False), "little")

    def _bytes(self, address: int, size: int, what: str, *, is_code: bool) -> bytes:
        found = [s for s in self._segments if s.start <= address and address + size <= s.start + len(s.content)]
        if len(found) != 1 or found[0].flags & WRITABLE or (is_code and not found[0].flags & EXECUTABLE):
            raise ProofError(f"there is no memory for {what} at {address:#x} that cannot be changed")
        at = address - found[0].start
        return found[0].content[at : at + size]
