"""Carry chains in a target file: operations as links of a chain, and the lines around them."""

from __future__ import annotations

from collections.abc import Mapping

from momagen.errors import MomagenError, among, build_error, quoted
from momagen.ir import OPS

from .check import LETTERS, check_entries, check_slots
from .target import Target

LINKS = (
    "add", "addc", "addlo", "addclo", "sub", "subb", "sublo", "subblo", "mad_low", "mad_high", "subbif", "word",
)  # fmt: skip
"""The operations that may be links.

The carry that they read is their last argument, and the carry that they write is their first result.
"""
LINES: dict[str, frozenset[str]] = {
    "in": frozenset(), "out": frozenset(),
    "load_carry": frozenset("ra"), "load_borrow": frozenset("ra"),
    "keep_carry": frozenset("r"), "keep_borrow": frozenset("r"),
    "pair_add": frozenset({*"abcd", "low", "high", "in"}), "pair_sub": frozenset({*"abcd", "low", "high", "in"}),
    "condition": frozenset("a"), "condition_end": frozenset(),
}  # fmt: skip
"""The entries of [carries], with the placeholders that each may have."""
CONSTRAINT: dict[str, frozenset[str]] = {"word_in": frozenset()}


def parse_link(op: str, row: Mapping[str, object], where: str) -> str:
    """Return the text of ``op`` as a link of a carry chain, or "" if its row has none.

    Raises:
        MomagenError: The operation cannot be a link, or its text has an unknown placeholder.
    """
    if "link" not in row:
        return ""
    if op not in LINKS:
        raise among("the key `link` only for the operations", LINKS, op, where)
    text = row["link"]
    if not isinstance(text, str) or not text:
        raise MomagenError("a non-empty string", quoted(text), f"{where}, link")
    words = {letter for letter, kind in zip(LETTERS, OPS[op].args, strict=False) if kind != "f"}
    check_slots([text], frozenset({"r", "in", "out", *words}), f"{where}, link")
    return text


def check_links(target: Target, where: str) -> None:
    """Raise MomagenError if [carries] has unknown or missing lines, or if an operation lacks a form that is needed.

    A target with carry chains needs the key ``link`` for every operation of ``LINKS``; a target without them needs the
    result expressions of every operation.
    """
    lines = f"{where}, [carries]"
    if unknown := set(target.carries) - set(LINES):
        raise among("only the keys", LINES, ", ".join(sorted(unknown)), lines)
    needed = LINES if target.links else {name: LINES[name] for name in target.carries}
    check_entries(target.carries, needed, lines)
    if target.links:
        check_entries(target.types, CONSTRAINT, f"{where}, [types]")
    for op, row in target.ops.items():
        if target.links and op in LINKS and not row.link:
            problem = "the row needs the key `link`, because the target has carry chains"
            raise build_error(problem, f"{where}, [ops] {op}")
        if not target.links and not row.results:
            count = len(OPS[op].results)
            problem = f"the row needs `results` with {count} expression{'s' * (count > 1)}, not only a link"
            remedy = "links are used only if [ops] has mad_low and mad_high, and there is a table [carries]"
            raise build_error(problem, f"{where}, [ops] {op}", remedy)
