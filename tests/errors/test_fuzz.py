"""Files and arguments that anyone may hand us, damaged at random: one clear refusal or a result, soon, nothing else."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import momagen as mg
from momagen.cli import main
from momagen.clib import request as wish
from momagen.data import folder
from momagen.emit import generate
from momagen.formula import breakdown_rules
from momagen.formula import instantiate as notation
from momagen.kernels.spec.make_spec import make_spec
from momagen.params import parse_integer
from momagen.rewrite.rules import rule as rules
from momagen.tune import wisdom

hypothesis = pytest.importorskip("hypothesis", reason="hypothesis is in momagen[test]")
st = hypothesis.strategies
SOON = timedelta(seconds=20)
QUICK, LONG = 60, 4000
"""Examples of an ordinary run, always the same ones, and of the slow one."""

ODD = [
    None, True, 0, 1, -1, 2, 3, 63, 64, 65, 2**31, 2**63, 2**70, -(2**70), 1.5, 1e300, "", "a\0b", "x", "é",
    "../x", "{", "{a:>99999999}", "0x", "0x10", "1e9999", "2^9999999999", "9^9^9", "c", "avx2", "ntt", "vmul",
    "polymul", "yes", "\n",
    [], {}, [[]], [1], ["x"], {"x": 1}, {"": {}}, [["x"] * 9] * 9,
]  # fmt: skip
WORDS = [
    "(", ")", "((((", "[", "]", "{", "}", "^", "**", "<<", "2^", "9^9^9", "2^9999999999", "1e9999", "0x", "·", "⊗", "⊕",
    "∏", "⌊", "⌋", "¬", "¬¬¬", "mod", "-", "--", "=", "[[", "]]", '"', "'", '"""', "\\", "\0", "\n", "#", ",", ":",
    "..", "null", "NaN", "true", "\u2028", "é", "(" * 500, "-" * 500, "[" * 500, "¬" * 500, "9" * 5000,
]  # fmt: skip


def edits(text: str) -> Any:
    """The text with parts cut out, put twice or moved, and words put in."""
    spot = st.integers(0, len(text))
    edit = st.tuples(st.sampled_from(["cut", "twice", "word"]), spot, spot, st.sampled_from(WORDS))

    def apply(given: list[tuple[str, int, int, str]]) -> str:
        found = text
        for kind, a, b, word in given:
            low, high = sorted((a, b))
            high = min(high, low + 200)
            middle = {"cut": "", "twice": found[low:high] * 2, "word": word + found[low:high]}[kind]
            found = found[:low] + middle + found[high:]
        return found

    return st.lists(edit, min_size=1, max_size=3).map(apply)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to all that a table holds."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, each in inside for found in places(each, (*path, key)))]


def changes(table: Any) -> Any:
    """The table with entries replaced, removed, or added."""
    change = st.tuples(st.sampled_from(places(table)[1:]), st.sampled_from(["set", "drop", "add"]),
                       st.sampled_from(ODD))  # fmt: skip

    def apply(given: list[tuple[tuple[Any, ...], str, Any]]) -> Any:
        found = json.loads(json.dumps(table))
        for (*way, last), kind, value in given:
            inside = found
            try:
                for key in way:
                    inside = inside[key]
                if kind == "drop":
                    del inside[last]
                else:
                    inside[last if kind == "set" else "added"] = value
            except (KeyError, IndexError, TypeError):
                continue
        return found

    return st.lists(change, min_size=1, max_size=2).map(apply)


def as_toml(table: dict[str, Any]) -> str:
    return "".join(f"{json.dumps(key)} = {inline(value)}\n" for key, value in table.items() if value is not None)


def inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {inline(v)}" for k, v in value.items() if v is not None) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(inline(each) for each in value if each is not None) + "]"
    return json.dumps(value)


Check = Callable[[Any], object]


def survives(check: Check, cases: Any, count: int, *, again: bool = True) -> None:
    """``check`` refuses a case with MomagenError, in one line, or takes it."""

    @hypothesis.settings(
        max_examples=count, derandomize=again, deadline=SOON, database=None, print_blob=True,
        suppress_health_check=list(hypothesis.HealthCheck),
    )  # fmt: skip
    @hypothesis.given(cases)
    def one(case: Any) -> None:
        try:
            check(case)
        except mg.MomagenError as error:
            assert str(error) and len(str(error)) < 5000

    one()


TARGET = {
    "name": "x", "inherits": "avx512ifma", "title": "t", "lanes": 8, "registers": 32, "chains": 0, "digit": 52,
    "real": 50, "longest": 8, "quotients": 1, "operands": 0, "packed": 0, "saved": 0, "rests": 0, "codelet": 12000,
    "piece": 0, "across": 0, "widest": 0, "ahead": 0, "word": 64, "syntax": "c", "host": "c", "headers": ["stdint.h"],
    "features": [], "flags": [], "attribute": "", "standins": "", "intrinsics": "", "tested_on": "",
    "architecture": "", "threads": 0, "held": 0, "sharing": 1,
    "types": {"word": "__m512i"}, "moves": {"load": "f({p}, {i})"}, "sums": {},
    "ops": {"addlo": {"results": ["{a} + {b}"], "link": "add{in}{out} {r}, {a}, {b};"}}, "carries": {"in": "c"},
    "resident": {"64": 2}, "long": {"axpy": 4096},
    "prelude": {"carry select": "static int none;"}, "options": {"carry": "unsigned"},
    "tiles": {"forward": [1, 2]},
    "permutes": {"p": {"text": "f({a}, {b}, {k})", "takes": "0|1 2 3 4 5 6 7 8", "weights": [1, 0, 0, 0, 0, 0, 0, 0]}},
}  # fmt: skip
"""Every key that a target file may have."""
LIBRARY = {
    "name": "small", "version": "1.0.0", "targets": ["c"],
    "kernel": [{"kind": "ntt", "n": 16, "bits": 64, "inverse": True, "order": "natural", "name": "k"}],
}  # fmt: skip
WISE = {
    "kernel": "ntt", "modulus_bits": 60, "n": 16, "inverse": False, "negacyclic": False, "order": "bitrev",
    "target": "c", "given": {}, "modulus": "", "cpu": "x", "compiler": "cc", "options": {"radix": "4"}, "by": "cc",
    "ratio": {"median": 1.1, "low": 1.0, "high": 1.2, "count": 9}, "unit": "ns", "default": 1.0, "tuned": 0.9,
    "momagen": mg.__version__,
}  # fmt: skip


class Place:
    """Where damaged files lie."""

    def __init__(self, path: Path) -> None:
        self.path = path
        mg.ntt(8, bits=64).save(path / "saved")
        (self.manifest,) = (path / "saved").glob("*.json")
        self.saved = self.manifest.read_text()

    def put(self, name: str, text: str | bytes) -> Path:
        path = self.path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
        return path

    def target(self, text: str) -> None:
        path = str(self.put("x.toml", text))
        for kind, n in (("vadd", 0), ("ntt", 128)):
            generate(make_spec(kind, n=n, bits=128, target=path))

    def load(self, text: str) -> None:
        self.manifest.write_bytes(text.encode("utf-8", "surrogatepass"))
        repr(mg.load(self.manifest))

    def library(self, text: str) -> None:
        told = wish.read(self.put("lib.toml", text))
        wish.wish(told.get("name"), told.get("version"), told.get("targets"), told["kernel"])  # type: ignore[arg-type]

    def wisdom(self, text: str) -> None:
        str(wisdom.read(self.put("wisdom.json", text)))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("fuzz"))


NUMBERS = ["2^64-2^32+1", "(1 << 64) - 59", "-2^2^3 * bn254-r", "0xffff_ffff", "0b1011 + 17"]
FORMULAS = [
    "(NTT(4) ⊗ I(4)) · T(16, 4) · (I(4) ⊗ NTT(4)) · L(16, 4)", "∏[i=0..2](I(2) ⊗ NTT(2) ⊗ I(2))",
    "D[j=0..7](j/8) · R(8)", "NTT(2^3)",
]  # fmt: skip
COMMANDS = [
    ["ntt", "--n", "16", "--bits", "64", "--no-verify", "--no-bench", "--target", "c", "--output", "{}"],
    ["blas", "vmul", "--modulus", "2^64-59", "--no-verify", "--no-bench", "--input-factor", "1", "--output", "{}"],
    ["polymul", "--n", "8", "--bits", "32", "--negacyclic", "--no-verify", "--no-bench", "--output", "{}"],
    ["explain", "add", "--bits", "128", "--target", "c64", "--all", "--json"], ["rules", "show", "22"],
    ["targets", "c", "--json"], ["tune", "--show", "--wisdom", "{}/wisdom.json"],
    ["verify", "{}/nothing", "--seed", "3", "--seconds", "9"], ["bench", "{}/nothing"],
    ["lib", "ntt:n=8,bits=64", "--output", "{}/lib", "--no-verify", "--targets", "c", "--name", "small"],
]  # fmt: skip
ARGUMENTS = [
    "", "0", "-1", "1.5", "2^9999999999", "9^9^9", "(" * 1000, "1e9999", "0x", "16", "64", "97", "goldilocks", "é",
    "\udcff",
    "--n", "--bits", "--help", "--", "-", "--json", "--radix", "--root", "--carry", "--cmp", "--turns", "--no", "c64",
    "avx2", "signed", "slack", "natural", "@x", "*", "/dev/null", "/proc/self/mem", "x.toml", "ntt", "vneg",
]  # fmt: skip


def files_of(shape: Any, text: Callable[[Any], str]) -> Any:
    """Texts of a table, changed as a table or as a text."""
    return st.one_of(changes(shape).map(text), edits(text(shape)))


def one_of(texts: list[str]) -> Any:
    return st.sampled_from(texts).flatmap(edits)


def commands(root: Path) -> Any:
    """Command lines with arguments replaced, dropped, put twice, or added."""
    edit = st.tuples(st.integers(1, 12), st.sampled_from(["set", "add", "drop"]), st.sampled_from(ARGUMENTS))

    def apply(given: tuple[list[str], list[tuple[int, str, str]]]) -> list[str]:
        words = [word.format(root) for word in given[0]]
        for at, kind, word in given[1]:
            words[at : at + (kind != "add")] = [word] * (kind != "drop")
        return words

    return st.tuples(st.sampled_from(COMMANDS), st.lists(edit, min_size=1, max_size=3)).map(apply)


def runs(words: list[str]) -> None:
    try:
        code = main(words)
    except SystemExit as end:  # --help
        code = end.code  # type: ignore[assignment]
    assert code in (0, 1, 2)


def subjects(place: Place) -> dict[str, tuple[Check, Any]]:
    """What is tried, and on what."""
    rule_file = (folder("rules") / "modular.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(rule_file)["rule"][:6]
    broken = tomllib.loads((folder("rules") / "breakdown.toml").read_text(encoding="utf-8"))

    def rule_texts(text: str) -> object:
        return [str(rule) for rule in rules.load_file(place.put("rules.toml", text))]

    return {
        "numbers": (parse_integer, one_of(NUMBERS)),
        "targets": (place.target, files_of(TARGET, as_toml)),
        "manifests": (place.load, files_of(json.loads(place.saved), json.dumps)),
        "wisdom": (place.wisdom, files_of({"momagen wisdom": 2, "rows": [WISE]}, json.dumps)),
        "libraries": (place.library, files_of(LIBRARY, as_toml)),
        "formulas": (lambda text: str(notation.formula(text)), one_of(FORMULAS)),
        "rules": (rule_texts, files_of({"rule": rows}, as_toml)),
        "breakdown rules": (lambda text: breakdown_rules.load(place.put("b.toml", text)), files_of(broken, as_toml)),
        "commands": (runs, commands(place.path)),
    }


NAMES = ["numbers", "targets", "manifests", "wisdom", "libraries", "formulas", "rules", "breakdown rules", "commands"]


@pytest.mark.parametrize("name", NAMES)
def test_only_refusals_come_out(name: str, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.path)
    survives(*subjects(place)[name], QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_only_refusals_come_out_of_many(name: str, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.path)
    survives(*subjects(place)[name], LONG, again=False)


@pytest.mark.parametrize(("name", "text"), [
    ("numbers", "(" * 10**5), ("numbers", "-" * 10**5), ("numbers", "9" * 10**6), ("numbers", "9^9^9"),
    ("numbers", "2^9999999999"), ("numbers", "1e9999"), ("numbers", "9" * 4096),
    ("manifests", "[" * 10**5), ("manifests", '{"a":' * 10**5), ("manifests", '{"format": 1e9999}'),
    ("wisdom", "[" * 10**5), ("wisdom", '{"momagen wisdom": 2, "rows": ' + "[" * 50 + "]" * 50 + "}"),
    ("targets", "a = " + "[" * 10**5), ("targets", ".".join(["a"] * 3000) + " = 1"),
    ("libraries", "kernel = " + "[" * 10**5), ("formulas", "(" * 10**5), ("formulas", "I(" + "9" * 5000 + ")"),
    ("rules", "rule = " + "[" * 10**5), ("breakdown rules", "rule = " + "[" * 10**5),
], ids=lambda text: text[:30])  # fmt: skip
def test_deep_and_long_texts_are_refused(name: str, text: str, place: Place) -> None:
    with pytest.raises(mg.MomagenError):
        subjects(place)[name][0](text)
