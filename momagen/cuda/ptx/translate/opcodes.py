"""The table of opcodes, ``templates/ptx/opcodes.toml``, which defines each instruction as an expression in C."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from momagen.data import folder
from momagen.tables import read_toml

from ..syntax.parts import SIZES

MODES = {"rn": "MG_RN", "rz": "MG_RZ", "rm": "MG_RM", "rp": "MG_RP"}
LATER = ("a", "b", "c", "e", "cf", "line")
"""The names in expressions that are replaced for each instruction."""


@dataclass(frozen=True, slots=True)
class PtxOpcode:
    """An opcode with its types.

    Attributes:
        operands: The types of the operands.
        result: The type of the result.
        c: The value as a C expression with the names ``LATER`` in braces.
        carry: Whether the bit above the type is the new carry flag.
        second: The value of a second result, or "".
    """

    operands: tuple[str, ...]
    result: str
    c: str
    carry: bool = False
    second: str = ""


@functools.cache
def opcodes() -> Mapping[str, PtxOpcode]:
    """Return the opcodes of the table by their full names, such as ``mad.lo.cc.u32``."""
    table = raw_table()
    rows = [each for row in table["opcode"] for each in _expanded(row)]
    return dict([*rows, *_comparisons(table["compare"], table["combine"])])


@functools.cache
def raw_table() -> Mapping[str, Any]:
    """Return the contents of the file."""
    path = folder("templates") / "ptx" / "opcodes.toml"
    return read_toml(path, "the table of PTX opcodes", path.name)


def unsigned(kind: str) -> str:
    """Return the C type for the bits of a PTX type."""
    return f"uint{8 * SIZES[kind]}_t"


def signed(kind: str) -> str:
    """Return the C type with the signedness of a PTX type."""
    return f"int{8 * SIZES[kind]}_t" if kind[0] == "s" else unsigned(kind)


def _words(kind: str) -> dict[str, str]:
    """Return the names for a type in the rows of the table.

    The types twice as wide as 64 bits are extensions of C.
    """
    bits = 8 * SIZES[kind]
    wide = f"int{2 * bits}_t" if bits < 64 else "mg_int128"
    return {
        "T": unsigned(kind), "S": f"int{bits}_t", "W": f"u{wide}" if bits < 64 else "mg_uint128", "V": wide,
        "N": str(bits), "type": kind, "D": signed(kind), "X": signed(kind),
    } | {name: f"{{{name}}}" for name in LATER}  # fmt: skip


def _expanded(row: Mapping[str, Any]) -> Iterator[tuple[str, PtxOpcode]]:
    """Yield an opcode for each combination of the names, roundings, spaces and types of a row."""
    parts = itertools.product(
        row["names"], row.get("rounded", [""]), row.get("spaces", [""]), row["types"], row.get("from", [""])
    )
    for name, rounded, space, kind, source in parts:
        words = _words(kind) | {"op": name, "R": MODES.get(rounded[:2], ""), "from": source}
        if source:
            words["A"] = signed(source)
        c = row["c"].format_map(words)
        count = max(("{a}" in c) * 1, ("{b}" in c) * 2, ("{c}" in c) * 3, ("{e}" in c) * 4)
        named = {"T": kind, "W": f"{kind[0]}{16 * SIZES[kind]}"}
        result = str(named.get(word := row.get("result", "T"), word))
        named["T"] = source or kind
        operands = tuple(named.get(each, each) for each in row.get("operands", ["T"] * count))
        full = ".".join(part for part in (name, rounded, space, kind, source) if part)
        yield full, PtxOpcode(operands, result, c, row.get("carry", False))


def _comparisons(
    rows: list[Mapping[str, Any]], combine: Mapping[str, str]
) -> Iterator[tuple[str, PtxOpcode]]:
    """Yield the opcodes of setp, with and without a predicate with which the result is combined."""
    for row in rows:
        for kind, (name, test) in itertools.product(row["types"], row.items()):
            if name in ("types", "cast"):
                continue
            cast = row["cast"].format_map(_words(kind))
            holds = test.format(x=f"{cast}({{a}})", y=f"{cast}({{b}})")
            yield f"setp.{name}.{kind}", PtxOpcode((kind, kind), "pred", holds, second=f"!({holds})")
            for word, sign in combine.items():
                both = (f"({holds}) {sign} {{c}}", f"!({holds}) {sign} {{c}}")
                yield f"setp.{name}.{word}.{kind}", PtxOpcode((kind, kind, "pred"), "pred", both[0], second=both[1])
