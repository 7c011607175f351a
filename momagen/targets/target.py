"""A target: what a machine does natively and how each operation is spelled. Data from ``targets/*.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from momagen.data import folder
from momagen.errors import MomagenError, reason
from momagen.ir import OPS
from momagen.rewrite.accumulate import FUSED

from .check import (
    FLAGS,
    HALVES,
    LANES,
    MOVES,
    TYPES,
    check_entries,
    check_file,
    check_kinds,
    check_numbers,
    check_slots,
    op_slots,
)  # fmt: skip
from .permutes import Permute, parse_permute, spell

DIGIT_OPS = frozenset({
    "plus", "minus", "umin", "umax", "sar", "sal", "clear", "negative", "bit", "low", "select", "word", "shr",
})  # fmt: skip
"""Operations that mean the same on digits as on words."""
REQUIRED = ("name", "title", "word", "lanes", "syntax", "types", "moves", "ops")


@dataclass(frozen=True)
class Spelling:
    """How one operation is written: a statement first where there is one, then an expression per result."""

    results: tuple[str, ...]
    temp: str = ""


@dataclass(frozen=True)
class Target:
    """One row of machines; every field is a key of the TOML file.

    Attributes:
        word: bits per word. lanes: words per register. registers: how many there are.
        host: the scalar target that does what is not worth a vector (tables, tails); itself for a scalar target.
        features: what the CPU must have, as /proc/cpuinfo names it. flags: what the compiler must be told.
        permutes: the moves of lanes of a target without a row for perm2.
        standins: the header with plain-C stand-ins for the intrinsics. options: alternatives of the rule table to take.
        prelude: headers from templates/ that go in front. chains: the longest carry chain printed as one statement.
        digit: bits of a digit with slack in a lane of ``word`` bits; 0 where kernels are made of whole words.
        real: bits at most of a digit held in a double; 0 where digits are integers in lanes.
        tiles: the words, from and to, for which digits beat words: in "forward" and "inverse" transforms, and in
            "products" element by element.
        longest: products in one chain of multiply-adds at most.
        trust: how far the target is trusted: proved, emulated, run on hardware.
    """

    name: str
    title: str
    word: int
    lanes: int
    syntax: str
    types: Mapping[str, str]
    moves: Mapping[str, str]
    ops: Mapping[str, Spelling]
    registers: int = 16
    host: str = ""
    headers: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    standins: str = ""
    intrinsics: str = ""
    attribute: str = ""
    trust: str = ""
    prelude: Mapping[str, str] = field(default_factory=dict)
    permutes: Mapping[str, Permute] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    uops: Mapping[str, float] = field(default_factory=dict)
    chains: int = 0
    digit: int = 0
    longest: int = 8
    real: int = 0
    tiles: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def legal(self, op: str, width: int) -> bool:
        """Whether the machine spells ``op`` on words of ``width`` bits."""
        return width == self.word and op in self.ops

    def legal_digit(self, op: str, width: int) -> bool:
        """Whether the machine has ``op`` on digits of ``width`` bits."""
        return width == self.digit and self.on_digits(op)

    def on_digits(self, op: str) -> bool:
        """Whether the machine has ``op`` on digits in lanes; halves of products as multiply-adds."""
        fused = FUSED.get(op)
        return fused in self.ops if fused else op in DIGIT_OPS and op in self.ops

    @property
    def vector(self) -> bool:
        return self.lanes > 1

    @property
    def halves(self) -> bool:
        """Whether high products of words are made of half words."""
        return not self.legal("mulhi", self.word)

    def spelling(self, op: str, lanes: tuple[int, ...] = ()) -> Spelling:
        """How ``op`` is written; of a permutation of ``lanes``, by the target's own moves where it has no row."""
        if op == "perm2" and op not in self.ops:
            return Spelling((spell(lanes, tuple(self.permutes.values())),))
        return self.ops[op]


def _read(path: Path) -> dict[str, object]:
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise MomagenError("a target file in TOML", reason(error), path.name) from None
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
        raise MomagenError(f"a target among {', '.join(names())}", name, where)
    return path


def _spelling(op: str, row: object, where: str) -> Spelling:
    if op not in OPS:
        raise MomagenError(f"an operation among {', '.join(OPS)}", op, f"{where}, [ops]")
    if isinstance(row, str):
        row = {"results": [row]}
    if not isinstance(row, dict) or len(row.get("results", ())) != len(OPS[op].results):
        raise MomagenError(f"{len(OPS[op].results)} result expressions", str(row), f"{where}, [ops] {op}")
    spelled = Spelling(tuple(map(str, row["results"])), str(row.get("temp", "")))
    check_slots((*spelled.results, spelled.temp), op_slots(op), f"{where}, [ops] {op}")
    return spelled


def _check(target: Target, where: str) -> Target:
    """``target``, unless a kernel could not be printed for it."""
    check_numbers(target.word, target.lanes, where)
    check_entries(target.types, TYPES, f"{where}, [types]")
    check_entries(target.moves, MOVES, f"{where}, [moves]")
    if target.vector:
        _check_vector(target, where)
    for name in target.prelude.values():
        check_file("templates", name, f"{where}, [prelude]")
    if target.standins:
        check_file("templates/standins", target.standins, f"{where}, standins")
    return target


def _check_vector(target: Target, where: str) -> None:
    if not target.permutes:
        check_entries(target.moves, LANES, f"{where}, [moves]")
    if "halves" in target.moves:
        check_entries(target.moves, HALVES, f"{where}, [moves]")
    check_entries(target.types, FLAGS, f"{where}, [types]")
    if not (target.host and ("perm2" in target.ops or target.permutes)):
        raise MomagenError("a host, and a row for perm2 or [permutes]", "a vector target without", where)


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
    return _check(Target(**{**fields, "ops": spelled, "permutes": _permutes(raw, where)}), where)  # type: ignore[arg-type]


def _permutes(raw: Mapping[str, object], where: str) -> dict[str, Permute]:
    rows, lanes = raw.get("permutes", {}), raw["lanes"]
    assert isinstance(rows, dict) and isinstance(lanes, int)
    found = {name: parse_permute(row, lanes, f"{where}, [permutes] {name}") for name, row in rows.items()}
    for name, family in found.items():
        check_slots([family.text], frozenset("abk"), f"{where}, [permutes] {name}")
    return found


def names() -> list[str]:
    """The names of all shipped targets."""
    return sorted(path.stem for path in folder("targets").glob("*.toml"))


@lru_cache(maxsize=64)
def load_target(name: str) -> Target:
    """The target called ``name``, or the one in the TOML file of that path.

    Raises:
        MomagenError: no such target, or a broken file.
    """
    path = Path(name) if name.endswith(".toml") else _path(name, "target")
    return parse_target(_inherited(path), path.name)
