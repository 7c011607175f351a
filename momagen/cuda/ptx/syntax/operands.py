"""The parser of operands, which uses the names that are visible at an instruction."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from .parts import (
    PtxAddress,
    PtxImmediate,
    PtxList,
    PtxOperand,
    PtxPair,
    PtxRegister,
    PtxSpecial,
    PtxSymbol,
    PtxVector,
    refused,
)

NUMBER = re.compile(r"(-?)(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)U?$")
REAL = re.compile(r"0[dD]([0-9a-fA-F]{16})$|0[fF]([0-9a-fA-F]{8})$")
SPECIAL = re.compile(r"%(?:n?tid|n?ctaid)\.[xyz]$|%(?:laneid|n?warpid|lanemask_(?:eq|lt|le|gt|ge))$")
PLACE = re.compile(r"([^\s+-][^\s+]*|-\d+)\s*(?:\+\s*(-?\w+)|(-\s*\d+))?$")
COMMA = re.compile(r",(?![^{\[(]*[}\])])")
"""A comma outside braces, brackets and parentheses, which are never nested."""

Lookup = Callable[[str], PtxOperand | None]
"""A function that returns the register, variable or label to which a name refers, or None."""


def split_operands(text: str) -> list[str]:
    """Return the operands in a list. Those in braces, brackets and parentheses are not split."""
    if not text:
        return []
    simple = not ("{" in text or "(" in text or "[" in text)
    return [each.strip() for each in (text.split(",") if simple else COMMA.split(text))]


def read_operand(text: str, known: Lookup, line: int) -> PtxOperand:
    """Return one operand.

    Args:
        text: The text of the operand.
        known: The function that looks up names.
        line: The line number, for errors.

    Raises:
        MomagenError: A name is not declared, or the operand has an unsupported form.
    """
    if (found := known(text)) is not None:
        return found
    for fits, read in FORMS.items():
        if text.startswith(fits):
            return read(text, known, line)
    if text.count("|") == 1:
        first, second = (_sink(part.strip(), known, line) for part in text.split("|"))
        return PtxPair(first, second)
    if (number := read_number(text)) is not None:
        return number
    if SPECIAL.match(text):
        return PtxSpecial(text)
    return _symbol(text, known, line)


def read_number(text: str) -> PtxImmediate | None:
    """Return a literal, or None if the text is not one.

    The literals 0d… and 0f… contain the bits of floating-point numbers.
    """
    if found := NUMBER.match(text):
        digits = found[2]
        octal = digits.startswith("0") and digits.isdigit()
        value = int(digits, 8) if octal else int(digits, 0)
        return PtxImmediate(-value if found[1] else value)
    if found := REAL.match(text):
        return PtxImmediate(int(found[1] or found[2], 16), "f64" if found[1] else "f32")
    return None


def _negated(text: str, known: Lookup, line: int) -> PtxOperand:
    found = known(text[1:].strip())
    if not isinstance(found, PtxRegister) or found.type != "pred":
        raise refused("a predicate register after !", text, line)
    return PtxRegister(found.name, found.type, True)


def _vector(text: str, known: Lookup, line: int) -> PtxOperand:
    return PtxVector(tuple(_sink(part.strip(), known, line) for part in text[1:-1].split(",")))


def _list(text: str, known: Lookup, line: int) -> PtxOperand:
    inside = text[1:-1].strip()
    return PtxList(tuple(read_operand(part.strip(), known, line) for part in inside.split(",")) if inside else ())


def _address(text: str, known: Lookup, line: int) -> PtxOperand:
    found = PLACE.match(text[1:-1].strip())
    if not found:
        raise refused("an address [register, variable or number + bytes]", text, line)
    offset = (found[2] or found[3] or "0").replace(" ", "")
    more, base = read_number(offset), read_operand(found[1], known, line)
    if more is None or more.real:
        raise refused("a number of bytes", offset, line)
    if isinstance(base, PtxImmediate) and not base.real:
        return PtxAddress(None, base.value + more.value)
    if not isinstance(base, PtxRegister | PtxSymbol):
        raise refused("an address [register, variable or number + bytes]", text, line)
    return PtxAddress(base, more.value)


def _symbol(text: str, known: Lookup, line: int) -> PtxOperand:
    name, plus, offset = text.partition("+")
    base, more = known(name.strip()), read_number(offset.strip()) if plus else PtxImmediate(0)
    if not isinstance(base, PtxSymbol) or more is None:
        raise refused("a declared name, or a number", text, line)
    return PtxSymbol(base.variable, more.value)


def _sink(text: str, known: Lookup, line: int) -> PtxOperand | None:
    return None if text == "_" else read_operand(text, known, line)


FORMS: Mapping[str, Callable[[str, Lookup, int], PtxOperand]] = {
    "!": _negated, "{": _vector, "[": _address, "(": _list,
}  # fmt: skip
