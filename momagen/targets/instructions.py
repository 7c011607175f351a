"""Proposed instructions of a target, which are emulated for correct results or replaced by proxies for timing.

A proxy is an existing instruction that uses the same resources (PISA: MQX paper, Section 4.2). It is written as inline
assembly that names the inputs and outputs of the proposed instruction, so that compilers keep every dependence,
including those through masks. Its results are incorrect by design.
"""

from __future__ import annotations

from collections.abc import Mapping

from momagen.errors import MomagenError, among, quoted
from momagen.ir import KINDS, OPS

from .check import LETTERS, check_slots
from .spelling import Proposal, Spelling

KEYS = ("emulation", "proxy")


def parse_instruction(op: str, row: object, where: str) -> Proposal:
    """Return the instruction that one row of [instructions] proposes.

    Raises:
        MomagenError: The operation is unknown, the emulation or the proxy is missing, or a text has an unknown
            placeholder.
    """
    where = f"{where}, [instructions] {op}"
    if op not in OPS:
        raise MomagenError("one of momagen's operations, or one that [operations] declares", op, where)
    if not isinstance(row, dict):
        raise MomagenError("a table", quoted(row), where)
    if missing := [key for key in KEYS if key not in row]:
        raise MomagenError("both keys `emulation` and `proxy`", f"no `{missing[0]}`", where)
    if unknown := set(row) - {*KEYS, "mnemonic"}:
        raise among("only the keys", (*KEYS, "mnemonic"), ", ".join(sorted(unknown)), where)
    in_c = isinstance(row["proxy"], dict) and list(row["proxy"]) == ["c"]
    found = Proposal(op, row["emulation"], row["proxy"]["c"] if in_c else row["proxy"], row.get("mnemonic", op), in_c)
    if not all(isinstance(text, str) for text in (found.emulation, found.proxy, found.mnemonic)):
        raise MomagenError('strings as values, or a proxy { c = "STATEMENT" }', quoted(row), where)
    slots = frozenset({*LETTERS[: len(OPS[op].args)], *(f"r{i}" for i in found.results), "k", "t"})
    check_slots([found.emulation, found.proxy], slots, where)
    return found


def emulated(found: Proposal, types: Mapping[str, str]) -> Spelling:
    """Return the spelling that computes the results {r0}, {r1}, … from the arguments {a}, {b}, … by emulation."""
    return _spelling(found, types, f"{_statement(found, found.emulation)};")


def _statement(found: Proposal, text: str) -> str:
    """Return a statement with placeholders for the results."""
    filled = {f"r{i}": f"{{t}}_{i}" for i in found.results}
    return text.format(**{letter: f"{{{letter}}}" for letter in (*LETTERS, "k", "t")}, **filled)


def proxied(found: Proposal, types: Mapping[str, str]) -> Spelling:
    """Return the spelling that executes the proxy: inline assembly that declares all results as outputs, or C."""
    emulation = _statement(found, found.emulation)
    if found.in_c:
        return _spelling(found, types, f"MG_PROXY_IN_C({emulation}, {_statement(found, found.proxy)});")
    names = {name: f"%[{name}]" for name in (*LETTERS, *(f"r{i}" for i in found.results))}
    lines = found.proxy.format(**names, k="%[k]").strip().splitlines()
    text = " ".join(f'"{_braced(line.strip())}\\n"' for line in lines)
    op, early = OPS[found.op], "&" * (len(lines) > 1)
    kinds = {letter: KINDS[kind] for letter, kind in zip(LETTERS, op.args, strict=False)}
    outs = [f'[r{i}] "={early}{types[KINDS[kind] + "_in"]}"({{t}}_{i})' for i, kind in enumerate(op.results)]
    ins = [f'[{at}] "{types[kind + "_in"]}"(({types[kind]}){{{at}}})' for at, kind in kinds.items()]
    ins += ['[k] "i"({k})'] * ("{k}" in found.proxy)
    assembly = f"{text} : {', '.join(outs)} : {', '.join(ins)}"
    return _spelling(found, types, f"MG_PROXY({found.op}, {emulation}, {assembly});")


def _braced(line: str) -> str:
    """Return ``line`` with braces escaped for extended assembly, and doubled because the row is formatted later."""
    return line.replace("{", "%{{").replace("}", "%}}")


def _spelling(found: Proposal, types: Mapping[str, str], statement: str) -> Spelling:
    """Return the spelling with the statement and the declarations of its results."""
    kinds = OPS[found.op].results
    places = " ".join(f"{types[KINDS[kind]]} {{t}}_{i};" for i, kind in enumerate(kinds))
    return Spelling(tuple(f"{{t}}_{i}" for i in found.results), f"{places} {statement}")
