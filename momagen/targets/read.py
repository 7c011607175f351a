"""Targets read from ``targets/*.toml``; each file is checked completely before any kernel is generated."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from momagen.errors import MomagenError, among, build_error, quoted
from momagen.ir import OPS
from momagen.languages import LANGUAGES, MachineModel

from .check import (
    ASSEMBLY,
    FLAGS,
    HALVES,
    HIDE,
    LANES,
    LONGER,
    MASKS,
    MOVES,
    SHUFFLES,
    TWICE,
    TYPES,
    WAYS,
    check_choices,
    check_entries,
    check_file,
    check_kinds,
    check_layouts,
    check_long,
    check_numbers,
    check_path,
    check_radix,
    check_ranges,
    check_resident,
    check_slots,
    check_threads,
    op_slots,
)  # fmt: skip
from .cores import family_named, parse_cores
from .declared import declare, own_rules
from .engine import parse_engines
from .inherit import inherited, merged, target_path
from .instructions import emulated, parse_instruction, proxied
from .links import check_links, parse_link
from .memory import parse_memories
from .permutes import PermuteFamily, parse_permute
from .reading.language import check_language
from .reading.needed import check_needed
from .reading.sources import Sources
from .shipped import names
from .spelling import Spelling
from .target import ALWAYS, PROXY, Target

REQUIRED = ("name", "title", "word", "lanes", "syntax", "types", "moves", "ops", "memory")


class _Loaded(NamedTuple):
    """A target and the files from which it was read."""

    target: Target
    sources: Sources


_LOADED: dict[str, _Loaded] = {}
SUFFIX = ".toml"
VARIANT = re.compile(r":[a-z0-9_]+$", re.ASCII)
"""The end of a name that selects a proxy build or a core family."""
MOST_LOADED = 64
"""The largest number of targets in files of users that are remembered; shipped targets always are."""


def load_target(name: str) -> Target:
    """Return the target ``name``, or the one in the TOML file of that path.

    After the name, :proxy selects its proxy build, and a colon with a core family the values tuned for these CPUs.

    A target file is code: its spellings become part of kernels and run when these are compiled and called. The same
    object is returned until one of its files, including those that it inherits, has other contents.

    Raises:
        MomagenError: There is no such target, or its file is invalid.
    """
    found = _LOADED.get(name)
    if found is None or not found.sources.are_current():
        _LOADED.pop(name, None)
        _LOADED[name] = found = _load(name)
        for other in [each for each in _LOADED if SUFFIX in each][:-MOST_LOADED]:
            _LOADED.pop(other, None)
    return found.target


def _load(name: str) -> _Loaded:
    """Read the target ``name`` from its files."""
    own, _, variant = name.rpartition(":") if VARIANT.search(name) else (name, "", "")
    proxy, sources = variant == PROXY[1:], Sources()
    path = check_path(Path(own)) if own.endswith(SUFFIX) else target_path(own, "target")
    raw = inherited(path, sources)
    if variant and not proxy:
        families = parse_cores(raw.get("cores", {}), path.name)
        raw = merged(raw, family_named(families, variant, own).values, f"{path.name}, [cores.{variant}]")
    return _Loaded(parse_target(raw, path.name, proxy=proxy, sources=sources, requested=name), sources)


def right(name: str, where: str) -> str:
    """Return ``name``, a target whose kernels compute correct results.

    Raises:
        MomagenError: It is a proxy build.
    """
    if name.endswith(PROXY):
        problem = f"`{name}` is a proxy build, whose results are incorrect by design"
        remedy = f"use `{name.removesuffix(PROXY)}`, or time the proxies with `momagen isa compare`"
        raise build_error(problem, where, remedy)
    return name


def shipped() -> list[Target]:
    """Return all shipped targets, in the order of their names."""
    return list(map(load_target, names()))


def parse_target(
    raw: Mapping[str, Any], where: str, *, proxy: bool = False, sources: Sources | None = None, requested: str = ""
) -> Target:
    """Return the target of one TOML table.

    Args:
        raw: The table.
        where: The name of its file, for errors.
        proxy: Whether its proposed instructions are replaced by their proxies.
        sources: The files that were read.
        requested: The text by which the target was requested.

    Raises:
        MomagenError: A key is unknown, missing or of the wrong type, an operation is unknown, or a text has an unknown
            placeholder.
    """
    check_kinds({key: value for key, value in raw.items() if key != "front"}, where)
    language = LANGUAGES.get(str(raw.get("syntax")))
    if language and language.machine is MachineModel.MODULAR:
        raw = {"types": {}, "moves": {}, **raw}
    for key in REQUIRED:
        if key not in raw:
            raise MomagenError(f"the key `{key}`", f"only {', '.join(raw)}", where)
    declare(raw.get("operations", {}), where, sources)
    fields = {k: tuple(v) if isinstance(v, list) else v for k, v in raw.items() if k not in ("inherits", "operations")}
    made: dict[str, Any] = {"permutes": _permutes(raw, where), "memory": parse_memories(raw["memory"], where)}
    made |= {"prelude": _prelude(raw, where), "rule": own_rules(raw.get("rule", []), where)}
    made["cores"] = parse_cores(raw.get("cores", {}), where)
    made["engine"] = parse_engines(raw.get("engine", []), where)
    made["ops"] = {op: _spelling(op, row, where) for op, row in raw["ops"].items()}
    proposed = _proposed({**fields, **made}, where, proxy)
    return _check(Target(**{**fields, **made, **proposed}, requested=requested), where)


def _proposed(fields: Mapping[str, Any], where: str, proxy: bool) -> dict[str, Any]:
    """Return the fields that a target's proposed instructions replace: its operations, its features or its name.

    An emulated target gets its name as an additional feature, which no CPU has.
    """
    rows = fields.get("instructions", {})
    found = {op: parse_instruction(op, row, where) for op, row in rows.items()}
    if proxy and not found:
        problem = f"{PROXY} selects the proxies in a target's table [instructions], and {where} has no such table"
        raise build_error(problem, "target")
    if not found:
        return {}
    types, name, features = fields["types"], fields["name"], fields.get("features", ())
    check_entries(types, {**FLAGS, **ASSEMBLY}, f"{where}, [types]")
    if not proxy:
        own = {op: emulated(each, types) for op, each in found.items()}
        return {"instructions": found, "ops": {**fields["ops"], **own}, "features": (*features, name)}
    own = {op: proxied(each, types) for op, each in found.items()}
    told = {"name": f"{name}_proxy", "results": "wrong"}
    return {"instructions": found, "ops": {**fields["ops"], **own}, **told}


def _permutes(raw: Mapping[str, Any], where: str) -> dict[str, PermuteFamily]:
    """Return the families of moves of a target.

    Raises:
        MomagenError: A row is invalid.
    """
    rows, lanes = raw.get("permutes", {}), raw["lanes"]
    assert isinstance(rows, dict) and isinstance(lanes, int)
    found = {name: parse_permute(row, lanes, f"{where}, [permutes] {name}") for name, row in rows.items()}
    for name, family in found.items():
        check_slots([family.text], frozenset("abk"), f"{where}, [permutes] {name}")
    return found


def _prelude(raw: Mapping[str, Any], where: str) -> dict[str, str]:
    """Return the helper text that each operation needs before kernels; a row may name several operations."""
    rows = raw.get("prelude", {})
    assert isinstance(rows, dict)
    others = (*ALWAYS, *TWICE, *SHUFFLES, *LANES)
    for ops, text in rows.items():
        if unknown := set(ops.split()) - {*OPS, *others}:
            expected = f"names of operations, or any of {', '.join(others)}"
            raise MomagenError(expected, ", ".join(sorted(unknown)), f"{where}, [prelude]")
        if not isinstance(text, str):
            raise MomagenError("a string", quoted(text), f"{where}, [prelude] {ops}")
    return {op: text for ops, text in rows.items() for op in ops.split()}


def _spelling(op: str, row: object, where: str) -> Spelling:
    """Return the spelling of one operation.

    Raises:
        MomagenError: The operation is unknown, or its row is invalid.
    """
    if op not in OPS:
        raise among("one of the operations", OPS, op, f"{where}, [ops]")
    place, count = f"{where}, [ops] {op}", len(OPS[op].results)
    if isinstance(row, str):
        row = {"results": [row]}
    results = row.get("results") if isinstance(row, dict) else None
    link = parse_link(op, row, place) if isinstance(row, dict) else ""
    alone = link and results is None
    if not isinstance(row, dict) or not (alone or (isinstance(results, list) and len(results) == count)):
        raise MomagenError(f"`results` with {count} expression{'s' * (count > 1)}", str(row), place)
    spelled = Spelling(tuple(map(str, results or ())), str(row.get("temp", "")), link)
    check_slots((*spelled.results, spelled.temp), op_slots(op), place)
    return spelled


def _check(target: Target, where: str) -> Target:
    """Return ``target``, or raise MomagenError if it lacks something that kernels need."""
    if target.syntax not in LANGUAGES:
        raise among("one of the languages", LANGUAGES, target.syntax, f"{where}, syntax")
    if target.machine is MachineModel.MODULAR:
        return _check_modular(target, where)
    check_numbers(target.word, target.lanes, target.digit, where)
    check_entries(target.types, TYPES, f"{where}, [types]")
    check_entries(target.moves, MOVES, f"{where}, [moves]")
    check_choices(target.options, f"{where}, [options]")
    check_choices(target.sums, f"{where}, [sums]", loops=True)
    check_long(target.long, f"{where}, [long]")
    check_ranges(target.tiles, f"{where}, [tiles]")
    check_ranges(target.points, f"{where}, [points]", WAYS[:2], "points")
    check_threads(target.threads, target.sharing, where)
    check_layouts(target.layouts, f"{where}, [layouts]")
    check_resident(target.resident, f"{where}, [resident]")
    check_radix(target.radix, f"{where}, [radix]")
    check_language(target, where)
    check_links(target, where)
    if target.vector:
        _check_vector(target, where)
    if target.standins:
        check_file("templates/standins", target.standins, f"{where}, standins")
    check_needed(target, where)
    return target


def _check_modular(target: Target, where: str) -> Target:
    """Return ``target``, whose language defines the lanes and the moves, so that only ``design`` is required."""
    if not target.design:
        problem = f"a target whose syntax is {target.syntax} needs the key `design`"
        raise build_error(problem, where, "set it to a design that `momagen rpu --machine` accepts")
    return target


def _check_vector(target: Target, where: str) -> None:
    """Check that a target with vectors has all that its kernels need.

    Raises:
        MomagenError: It lacks something.
    """
    if not target.permutes:
        check_entries(target.moves, LANES, f"{where}, [moves]")
    more = {name: slots for name, slots in {**HALVES, **HIDE, **SHUFFLES, **TWICE}.items() if name in target.moves}
    check_entries(target.moves, {**more, **(LONGER if target.inside else {})}, f"{where}, [moves]")
    check_entries(target.types, FLAGS, f"{where}, [types]")
    if target.across:
        check_entries(target.types, MASKS, f"{where}, [types]")
    if not (target.host and ("perm2" in target.ops or target.permutes)):
        lacking = "the key `host`" if not target.host else "a row `perm2` in [ops] or a table [permutes]"
        raise build_error(f"a target with vectors needs {lacking}", where)
