"""Carry chains in a target file: operations as links of a chain, and the lines around them."""

from __future__ import annotations

from collections.abc import Mapping

from momagen.errors import MomagenError, among, quoted
from momagen.ir import OPS

from .check import LETTERS, check_entries, check_slots
from .target import Target

LINKS = (
    "add", "addc", "addlo", "addclo", "sub", "subb", "sublo", "subblo", "mad_low", "mad_high", "subbif", "word",
)  # fmt: skip
"""Operations that may be links: the carry that they take is their last argument, the one that they give the first
result."""
LINES: dict[str, frozenset[str]] = {
    "in": frozenset(), "out": frozenset(),
    "load_carry": frozenset("ra"), "load_borrow": frozenset("ra"),
    "keep_carry": frozenset("r"), "keep_borrow": frozenset("r"),
    "pair_add": frozenset({*"abcd", "low", "high", "in"}), "pair_sub": frozenset({*"abcd", "low", "high", "in"}),
    "condition": frozenset("a"), "condition_end": frozenset(),
}  # fmt: skip
"""Entries of [carries], and what each may have between braces."""
CONSTRAINT: dict[str, frozenset[str]] = {"word_in": frozenset()}


def parse_link(op: str, row: Mapping[str, object], where: str) -> str:
    """How ``op`` is written as a link; "" where its row does not say.

    Raises:
        MomagenError: no link is made of this operation, or braces name what it does not have.
    """
    if "link" not in row:
        return ""
    if op not in LINKS:
        raise among("a link of operations among", LINKS, op, where)
    text = row["link"]
    if not isinstance(text, str) or not text:
        raise MomagenError("link = a text", quoted(text), where)
    words = {letter for letter, kind in zip(LETTERS, OPS[op].args, strict=False) if kind != "f"}
    check_slots([text], frozenset({"r", "in", "out", *words}), f"{where}, link")
    return text


def check_links(target: Target, where: str) -> None:
    """Refuse lines that nothing prints, chains that lack a row, and operations that only chains could print."""
    lines = f"{where}, [carries]"
    if unknown := set(target.carries) - set(LINES):
        raise among("keys among", LINES, ", ".join(sorted(unknown)), lines)
    needed = LINES if target.links else {name: LINES[name] for name in target.carries}
    check_entries(target.carries, needed, lines)
    if target.links:
        check_entries(target.types, CONSTRAINT, f"{where}, [types]")
    for op, row in target.ops.items():
        if target.links and op in LINKS and not row.link:
            raise MomagenError("link = a text, as there are [carries]", "none", f"{where}, [ops] {op}")
        if not target.links and not row.results:
            count = len(OPS[op].results)
            hint = "chains need mad_low, mad_high and [carries]"
            raise MomagenError(f"{count} result expressions beside a link", row.link, f"{where}, [ops] {op}", hint)
