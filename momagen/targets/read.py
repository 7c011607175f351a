"""Targets read from ``targets/*.toml``, each checked whole: a broken one is refused before any kernel is printed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from momagen.data import folder
from momagen.errors import MomagenError, among
from momagen.ir import OPS
from momagen.languages import LANGUAGES
from momagen.tables import read_toml

from .check import (
    FLAGS,
    HALVES,
    LANES,
    MASKS,
    MOVES,
    TYPES,
    check_choices,
    check_entries,
    check_file,
    check_kinds,
    check_long,
    check_numbers,
    check_slots,
    check_tiles,
    op_slots,
)  # fmt: skip
from .memory import parse_memories
from .permutes import PermuteFamily, parse_permute
from .shipped import names
from .target import ALWAYS, Spelling, Target

REQUIRED = ("name", "title", "word", "lanes", "syntax", "types", "moves", "ops", "memory")


@lru_cache(maxsize=64)
def load_target(name: str) -> Target:
    """The target called ``name``, or the one in the TOML file of that path.

    Such a file is code: its spellings are put into kernels as they are, and run where these are compiled and called.

    Raises:
        MomagenError: no such target, or a broken file.
    """
    path = Path(name) if name.endswith(".toml") else _path(name, "target")
    return parse_target(_inherited(path), path.name)


def _read(path: Path) -> dict[str, object]:
    raw = read_toml(path, "a target file in TOML", path.name)
    check_kinds(raw, path.name)
    return raw


def _inherited(path: Path) -> dict[str, object]:
    own = _read(path)
    parent = own.get("inherits")
    if parent is None:
        return own
    base = _inherited(_path(str(parent), f"{path.name}, inherits"))
    tables = {key: {**value, **own.get(key, {})} for key, value in base.items() if isinstance(value, dict)}  # type: ignore[dict-item]
    return {**base, **own, **tables}


def _path(name: str, where: str) -> Path:
    path = folder("targets") / f"{name}.toml"
    if not path.is_file():
        raise among("a target among", names(), name, where)
    return path


def parse_target(raw: Mapping[str, object], where: str) -> Target:
    """The target of one TOML table.

    Raises:
        MomagenError: a key that is unknown, missing or of the wrong kind, an unknown operation, or a spelling that no
            printer can fill.
    """
    check_kinds(raw, where)
    for key in REQUIRED:
        if key not in raw:
            raise MomagenError(f"the key “{key}”", ", ".join(raw), where)
    ops = raw["ops"]
    assert isinstance(ops, dict)
    fields = {k: tuple(v) if isinstance(v, list) else v for k, v in raw.items() if k != "inherits"}
    spelled = {op: _spelling(op, row, where) for op, row in ops.items()}
    made = {"ops": spelled, "permutes": _permutes(raw, where), "memory": parse_memories(raw["memory"], where)}
    made["prelude"] = _prelude(raw, where)
    return _check(Target(**{**fields, **made}), where)  # type: ignore[arg-type]


def _permutes(raw: Mapping[str, object], where: str) -> dict[str, PermuteFamily]:
    rows, lanes = raw.get("permutes", {}), raw["lanes"]
    assert isinstance(rows, dict) and isinstance(lanes, int)
    found = {name: parse_permute(row, lanes, f"{where}, [permutes] {name}") for name, row in rows.items()}
    for name, family in found.items():
        check_slots([family.text], frozenset("abk"), f"{where}, [permutes] {name}")
    return found


def _prelude(raw: Mapping[str, object], where: str) -> dict[str, str]:
    """By operation, the text that goes in front; rows name several with the same one."""
    rows = raw.get("prelude", {})
    assert isinstance(rows, dict)
    for ops, text in rows.items():
        if unknown := set(ops.split()) - {*OPS, *ALWAYS}:
            raise MomagenError(f"operations, {' or '.join(ALWAYS)}", ", ".join(sorted(unknown)), f"{where}, [prelude]")
        if not isinstance(text, str):
            raise MomagenError("a text", repr(text), f"{where}, [prelude] {ops}")
    return {op: text for ops, text in rows.items() for op in ops.split()}


def _spelling(op: str, row: object, where: str) -> Spelling:
    if op not in OPS:
        raise MomagenError(f"an operation among {', '.join(OPS)}", op, f"{where}, [ops]")
    if isinstance(row, str):
        row = {"results": [row]}
    results = row.get("results") if isinstance(row, dict) else None
    if not isinstance(row, dict) or not isinstance(results, list) or len(results) != len(OPS[op].results):
        raise MomagenError(f"{len(OPS[op].results)} result expressions", str(row), f"{where}, [ops] {op}")
    spelled = Spelling(tuple(map(str, row["results"])), str(row.get("temp", "")))
    check_slots((*spelled.results, spelled.temp), op_slots(op), f"{where}, [ops] {op}")
    return spelled


def _check(target: Target, where: str) -> Target:
    """``target``, unless a kernel could not be printed for it."""
    if target.syntax not in LANGUAGES:
        raise among("a language among", LANGUAGES, target.syntax, f"{where}, syntax")
    check_numbers(target.word, target.lanes, target.digit, where)
    check_entries(target.types, TYPES, f"{where}, [types]")
    check_entries(target.moves, MOVES, f"{where}, [moves]")
    check_choices(target.options, f"{where}, [options]")
    check_choices(target.sums, f"{where}, [sums]", loops=True)
    check_long(target.long, f"{where}, [long]")
    check_tiles(target.tiles, f"{where}, [tiles]")
    if target.vector:
        _check_vector(target, where)
    if target.standins:
        check_file("templates/standins", target.standins, f"{where}, standins")
    return target


def _check_vector(target: Target, where: str) -> None:
    if not target.permutes:
        check_entries(target.moves, LANES, f"{where}, [moves]")
    halves = {name: slots for name, slots in HALVES.items() if name in target.moves}
    check_entries(target.moves, halves, f"{where}, [moves]")
    check_entries(target.types, FLAGS, f"{where}, [types]")
    if target.across:
        check_entries(target.types, MASKS, f"{where}, [types]")
    if not (target.host and ("perm2" in target.ops or target.permutes)):
        raise MomagenError("a host, and a row for perm2 or [permutes]", "a vector target without", where)
