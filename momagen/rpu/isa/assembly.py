"""The assembler and the disassembler. A line of text is one instruction, and ``#`` begins a comment.

bfly v2, v3, v0, v1, v4, m1          # v2 = v0 + v1 * v4, v3 = v0 - v1 * v4
vload v0, a1[8192], strided 2        # addresses in words of 16 bytes
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from momagen.errors import MomagenError, among

from .instruction import RpuInstruction, check
from .table import FILES, WordField, b512

TOKEN = re.compile(r"\s*(?:(?P<word>[A-Za-z_]\w*)|(?P<number>0x[0-9a-fA-F]+|\d+)|(?P<sign>[,\[\]])|(?P<other>\S))")
REGISTER = re.compile(rf"([{FILES}])([0-9]{{1,3}})")
COMMENT = "#"


class _Line:
    """A line that is read token by token."""

    def __init__(self, text: str, number: int, name: str) -> None:
        self.text, self.number, self.name, self.at = text.split(COMMENT)[0].rstrip(), number, name, 0

    @property
    def place(self) -> str:
        """The position of the next token, for messages."""
        start = len(self.text) - len(self.text[self.at :].lstrip())
        return f"{self.name}, line {self.number}, column {start + 1}"

    @property
    def done(self) -> bool:
        """Whether the line has no more tokens."""
        return not self.text[self.at :].strip()

    def take(self, kind: str, expected: str) -> str:
        """Return the next token.

        Args:
            kind: The kind of the token: "word", "number" or "sign".
            expected: The description of the token in the error.

        Raises:
            MomagenError: The token is of another kind.
        """
        found = TOKEN.match(self.text, self.at)
        if found is None or found[kind] is None:
            raise MomagenError(expected, found[0].strip() if found else "the end of the line", self.place)
        self.at = found.end()
        return found[kind]

    def sign(self, sign: str) -> None:
        """Read the token ``sign``.

        Raises:
            MomagenError: The next token is not ``sign``.
        """
        before = self.at
        if self.take("sign", f"`{sign}`") != sign:
            got, self.at = self.text[before : self.at].strip(), before
            raise MomagenError(f"`{sign}`", got, self.place)

    def register(self, of: WordField) -> int:
        """Return the number of the register that the next token names.

        Raises:
            MomagenError: The token is not a register of the field's file.
        """
        expected = f"a register from {of.holds}0 to {of.holds}{(1 << of.bits) - 1}"
        place, token = self.place, self.take("word", expected)
        found = REGISTER.fullmatch(token)
        if found is None or found[1] != of.holds or int(found[2]) >= 1 << of.bits:
            raise MomagenError(expected, token, place)
        return int(found[2])

    def count(self, expected: str) -> int:
        """Return the number that the next token represents.

        Raises:
            MomagenError: The token is not a number.
        """
        place, token = self.place, self.take("number", expected)
        try:
            return int(token, 0)
        except ValueError:  # leading zeros, or thousands of digits
            raise MomagenError(expected, token, place) from None


def assemble(text: str, name: str = "program") -> list[RpuInstruction]:
    """Return the instructions of a text.

    Args:
        text: The text.
        name: The name of the text in messages.

    Raises:
        MomagenError: A line is not an instruction; the message states its number, the column and what was
            expected there.
    """
    lines = (_Line(line, number, name) for number, line in enumerate(text.splitlines(), 1))
    return [_instruction(line) for line in lines if not line.done]


def _instruction(line: _Line) -> RpuInstruction:
    """Return the instruction on a line."""
    begin = line.place
    opcode, fields = b512().opcode(line.take("word", "an instruction"), begin), dict[str, int]()
    for at, operand in enumerate(opcode.operands):
        if operand.holds == "address":
            _address(line, operand, fields)
            continue
        if at:
            line.sign(",")
        fields[operand.name] = line.register(operand)
    if opcode.mode and not line.done:
        _mode(line, fields)
    if not line.done:
        raise MomagenError("the end of the line", line.text[line.at :].strip(), line.place)
    found = RpuInstruction(opcode, fields)
    check(found, begin)
    return found


def _address(line: _Line, operand: WordField, fields: dict[str, int]) -> None:
    """Read an address into ``fields``: ``[number]`` after an address register, or ``, number`` in the scalar memory."""
    vector = "RA" in fields
    line.sign("[" if vector else ",")
    place, most = line.place, (1 << operand.bits) - 1
    fields[operand.name] = line.count(f"an address from 0 to {most}")
    if fields[operand.name] > most:
        raise MomagenError(f"an address from 0 to {most}", fields[operand.name], place)
    if vector:
        line.sign("]")


def _mode(line: _Line, fields: dict[str, int]) -> None:
    """Read an address mode and its value into ``fields``."""
    line.sign(",")
    place, modes = line.place, b512().modes
    name = line.take("word", f"one of the address modes {', '.join(modes)}")
    if name not in modes:
        raise among("one of the address modes", modes, name, place)
    fields["MODE"] = modes[name].number
    if modes[name].most:
        fields["VALUE"] = line.count(f"a value from {modes[name].least} to {modes[name].most}")


def disassemble(program: Iterable[RpuInstruction]) -> str:
    """Return the text of a program, from which :func:`assemble` returns the program."""
    return "".join(f"{line_of(each)}\n" for each in program)


def line_of(given: RpuInstruction) -> str:
    """Return the line of one instruction."""
    return f"{given.opcode.name} {''.join(_operands(given))}"


def _operands(given: RpuInstruction) -> Iterator[str]:
    """Yield the texts of the operands."""
    for at, operand in enumerate(given.opcode.operands):
        number = given[operand.name]
        if operand.holds != "address":
            yield f"{', ' * bool(at)}{operand.holds}{number}"
        else:
            yield f"[{number}]" if given.opcode.operands[at - 1].holds == "a" and at > 1 else f", {number}"
    if given.opcode.mode and given["MODE"]:
        yield f", {given.mode.name} {given['VALUE']}"
