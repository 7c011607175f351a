"""Files and arguments that anyone may hand us, damaged at random: one clear refusal or a result, soon, nothing else."""

from __future__ import annotations

import json
import tomllib
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fuzzing import ODD, Check, as_toml, files_of, one_of, survives, words_of

import momagen as mg
from momagen.api.native import resolved
from momagen.bench.x86.rates import read_rates
from momagen.bench.x86.work import Work
from momagen.cli import main
from momagen.cli.commands.rpu.command import _numbers as numbers_of
from momagen.cli.commands.rpu.reading import read as read_rpu
from momagen.clib import request as wish
from momagen.data import folder
from momagen.emit import generate
from momagen.formula import breakdown_rules
from momagen.formula import instantiate as notation
from momagen.ir import OPS
from momagen.isa.cores.cpus import load_cpus
from momagen.kernels.elementwise.blas import ElementwiseKernel, elementwise
from momagen.kernels.residues.arith import Arith
from momagen.kinds.matmul import read_rows
from momagen.kinds.modular.make_spec import make_spec
from momagen.languages import LANGUAGES
from momagen.papers.cross.workloads import estimated, workload_text
from momagen.params import parse_integer
from momagen.rewrite.rules import rule as rules
from momagen.rpu.isa.assembly import assemble
from momagen.rpu.isa.program import Area, RpuProgram, write_program
from momagen.rpu.machine.design import FOLDER, load_design
from momagen.simulate.cycles import count_cycles
from momagen.simulate.functional import Functional
from momagen.tables import parse_toml
from momagen.targets import names
from momagen.targets.declared import ROWS, declare
from momagen.tune import wisdom

pytestmark = pytest.mark.compiles

st = pytest.importorskip("hypothesis", reason="hypothesis is in momagen[test]").strategies
QUICK, LONG = 40, 4000
"""Examples of an ordinary run, always the same ones, and of the slow one."""

TARGET = {
    "name": "x", "inherits": "avx512ifma", "title": "t", "lanes": 8, "registers": 32, "chains": 0, "digit": 52,
    "real": 50, "longest": 8, "quotients": 1, "operands": 0, "packed": 0, "saved": 0,
    "word_storage_from": 0, "codelet": 12000,
    "piece": 0, "across": 0, "widest": 0, "ahead": 0, "word": 64, "syntax": "c", "host": "c", "headers": ["stdint.h"],
    "features": [], "flags": [], "attribute": "", "standins": "", "intrinsics": "", "tested_on": "",
    "architecture": "", "threads": 0, "held": 0, "sharing": 1,
    "types": {"word": "__m512i"}, "moves": {"load": "f({p}, {i})"}, "sums": {},
    "ops": {"addlo": {"results": ["{a} + {b}"], "link": "add{in}{out} {r}, {a}, {b};"}}, "carries": {"in": "c"},
    "resident": {"64": 2}, "radix": {"1": 8}, "prefetch": 0, "long": {"axpy": 4096},
    "prelude": {"carry select": "static int none;"}, "options": {"carry": "unsigned"},
    "tiles": {"forward": [1, 2]},
    "permutes": {"p": {"text": "f({a}, {b}, {k})", "takes": "0|1 2 3 4 5 6 7 8", "weights": [1, 0, 0, 0, 0, 0, 0, 0]}},
}  # fmt: skip
"""Every key that a target file may have."""
LIBRARY = {
    "name": "small", "version": "1.0.0", "targets": ["c"],
    "kernel": [{"kind": "ntt", "n": 16, "bits": 64, "inverse": True, "order": "natural", "name": "k"},
               {"kind": "convert", "moduli": [97, 193], "to": [64], "method": "fast", "name": "rows"}],
}  # fmt: skip
WISE = {
    "kernel": "ntt", "modulus_bits": 60, "n": 16, "inverse": False, "negacyclic": False, "order": "bitrev",
    "target": "c", "given": {}, "modulus": "", "cpu": "x", "compiler": "cc", "options": {"radix": "4"}, "by": "cc",
    "ratio": {"median": 1.1, "low": 1.0, "high": 1.2, "count": 9}, "unit": "ns", "default": 1.0, "tuned": 0.9,
    "momagen": mg.__version__,
}  # fmt: skip


ASSEMBLY = """# sums
.points 4
.order 8
.towers 1
.scalars a
.area x 0 512
.area z 512 512
.table 0 1024 1 2 4 /n
.table 0 1032 0

mload m0, 0
sload s1, 1
aload a1, 7
vload v0, a0[0], strided 1
vload v5, a0[16], repeated 3
vbroadcast v1, a0[3]
bfly v2, v3, v0, v1, v0, m0
vsmul v4, v2, s1, m0
unpklo v6, v4, v5
vstore v4, a0[512]
"""
INTRINSICS = """#include <rpu.h>
void _p() {
    enter(OP_DEFAULT);
    _mload_128i(REG_M0, 0);
    _vload_512x128i(REG_V0, REG_A0, 0);
    _vimulmod_512x128i(REG_V8, REG_V0, REG_V0, REG_M0);
    _vstore_512x128i(REG_A0, 16384, REG_V8);
    leave(OP_DEFAULT);
}
"""
PROGRAM = RpuProgram(assemble("mload m0, 0\nvload v0, a0[0]\nvadd v1, v0, v0, m0\nvstore v1, a0[512]"), {0: [97]},
                     {0: [1, 2, 3]}, {"x": Area(0, 512), "y": Area(512, 512)})  # fmt: skip
CPUS = {
    "cpu": {"own": {
        "title": "t", "core": "own", "cores": 8, "base_ghz": 2.0, "max_ghz": 3, "all_core_ghz": 2.5, "l2_mb": 1,
        "l3_mb": 32, "sources": {"core cores base_ghz max_ghz all_core_ghz l2_mb l3_mb": "a page"},
    }},
    "core": {"own": {"title": "t", "issue": 4, "source": "a page",
                     "zmm": {"vector": "2*p05", "multiply": "1.5*p0 + p1"}, "ymm xmm": {"vector": "p05"}}},
}  # fmt: skip
RATES = {"streams": {"alone vector zmm": 2.0, "mixed multiply zmm": 1.9}, "machine": {"cpu": "x"}}
WORKLOAD = {
    name: {"title": "t", "parameters": "D", "source": "s", "stated": "", "assumed": "", "milliseconds": 2.5, **counts}
    for name, counts in {
        "kernels": {"add": [[18, 2]], "multiply": [[18, 2]], "permute": [], "transform": [[1, 4]],
                    "convert": [[7, 20, 3]]},
        "operators": {"operators": [["multiply", 4, 2], ["rotate", 3, 1]]},
    }.items()
}  # fmt: skip
KERNEL_TEXTS = ["ntt:n=16,bits=64,inverse,order=natural,name=k", "blas:vmul,moduli=97;101", "polymul:preset=ml-kem"]
ELEMENTS = ["a·x + y", "x·y·I - w", "-x + a·(x + y)", "x·R", "x·y + a·w", "0 - x + 1"]
BASES = ["97,2^61 - 1, goldilocks", "3", "0x61,bn254-r"]


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

    def heir(self, case: tuple[str, tuple[str, int, int]]) -> None:
        kind, n, bits = case[1]
        with undeclared():
            generate(make_spec(kind, n=n, bits=bits, target=str(self.put("x.toml", case[0]))))

    def load(self, text: str) -> None:
        self.manifest.write_bytes(text.encode("utf-8", "surrogatepass"))
        repr(mg.load(self.manifest))

    def library(self, text: str) -> None:
        told = wish.read(self.put("lib.toml", text))
        wish.wish(told.get("name"), told.get("version"), told.get("targets"), told["kernel"])  # type: ignore[arg-type]

    def wisdom(self, text: str) -> None:
        str(wisdom.read(self.put("wisdom.json", text)))

    def rpu(self, name: str, text: str | bytes) -> None:
        """Read a program, run it, and count its cycles."""
        given = Namespace(file=self.put(name, text), action="run", modulus=97, root=33, scalar=3)
        design, program = load_design("rpu-paper"), read_rpu(given)
        Functional(program, design.vdm_bytes, design.sdm_bytes).run()
        count_cycles(program.instructions, design, program.sdm)

    def assembly(self, text: str) -> None:
        self.rpu("p.s", text)

    def intrinsics(self, text: str) -> None:
        self.rpu("p.c", text)

    def program(self, text: str) -> None:
        self.rpu("p.b512", text.encode("latin-1", "replace"))

    def numbers(self, text: str) -> None:
        Functional(PROGRAM).put("x", numbers_of(self.put("numbers", text)))

    def machine(self, text: str) -> None:
        design = load_design(str(self.put("machine.toml", text)))
        str(count_cycles(PROGRAM.instructions, design, PROGRAM.sdm).microseconds)

    def matrix(self, text: str) -> None:
        mg.matmul(read_rows(str(self.put("m.json", text))), modulus=97)

    def cpus(self, text: str) -> None:
        for cpu in load_cpus(str(self.put("cpus.toml", text))):
            str((cpu.rates.alone(), cpu.row(), cpu.core and cpu.core.floor(Work({("vector", "zmm"): 2.0}, 3.0))))

    def rates(self, text: str) -> None:
        read_rates(self.put("rates.json", text)).alone()


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
    "avx2", "signed", "reduced", "natural", "@x", "*", "/dev/null", "/proc/self/mem", "x.toml", "ntt", "vneg",
]  # fmt: skip


def expressions() -> Any:
    """Values in the notation of rules, that mostly parse and often cannot be computed."""
    atom = st.sampled_from(["x", "y", "w", "k", "i", "z", "0", "1", "2", "3", "70", "999999999999", "[x, y]", "[x]"])
    forms = ["{} + {}", "{} - {}", "{} · {}", "{} / {}", "{} mod {}", "{} << {}", "{} >> {}", "2^({})",
             "inverse({}, {})", "min({}, {})", "max({})", "abs({})", "bits({})", "sum{{{}}}({})",
             "{} if {} < {} otherwise {}", "¬{}",
             "{} mod 2^({})", "{} =? {}", "({} ∧ {})", "f({})", "sum({})"]  # fmt: skip

    def larger(inside: Any) -> Any:
        def made(form: str) -> Any:
            return st.lists(inside, min_size=form.count("{}"), max_size=form.count("{}")).map(
                lambda parts: "(" + form.format(*parts) + ")"
            )

        return st.sampled_from(forms).flatmap(made)

    return st.recursive(atom, larger, max_leaves=6)


def operations_of() -> Any:
    """Files with one operation whose meaning, or a condition of it, is any expression."""
    row = {"args": "x y: ww → w", "means": "z = (x + y) mod 2^w", "requires": "x < 2^w"}
    texts = {
        "means": expressions().map(lambda text: f"z = {text}"),
        "requires": expressions().map(lambda text: f"{text} < y"), "parts": expressions(),
        "ends": expressions().map(lambda text: f"z ≡ x (mod y + 1); 0 ≤ z < {text}"),
    }  # fmt: skip
    one = st.one_of([text.map(lambda found, key=key: {key: found}) for key, text in texts.items()])
    return one.map(lambda found: as_toml({"fuzzed": row | {"means" if "ends" in found else key: text
                                                           for key, text in found.items()}}))  # fmt: skip


def heirs() -> Any:
    """Target files that change a few keys of a shipped target, each with a kernel that is asked of it."""
    keys = st.sampled_from([key for key in TARGET if key not in ("name", "inherits")])
    values = st.one_of(st.sampled_from([value for value in ODD if value is not None]), st.integers(0, 130))
    own = st.dictionaries(keys, values, max_size=2)
    told = st.tuples(keys, own).map(lambda pair: {pair[0]: TARGET[pair[0]], **pair[1]})
    ruled = expressions().flatmap(lambda text: st.sampled_from([
        {"rule": [{"name": "r", "from": "c = addlo(a, b)", "to": f"c = {text}", "why": "w"}]},
        {"rule": [{"name": "r", "from": "c = addlo(a, b)", "to": "c = sublo(a, b)", "why": "w",
                   "when": f"{text} < w"}]},
        {"rule": [{"name": "r", "from": "[c1, c0] = addlo([a1, a0], [b1, b0])",
                   "to": f"c0 = addlo(a0, b0); c1 = {text}", "why": "w"}]},
        {"operations": {"fuzzed": {"args": "x y: ww → w", "means": f"z = {text}; 0 ≤ z < 2^w"}}},
        {"instructions": {"addlo": {"mnemonic": "x", "emulation": text, "proxy": "y"}}},
    ]))  # fmt: skip
    syntax = st.sampled_from(list(LANGUAGES)).map(lambda name: {"syntax": name})
    texts = st.tuples(st.one_of(own, told, syntax, ruled), st.sampled_from(names())).map(
        lambda pair: as_toml({"name": "x", "inherits": pair[1], **pair[0]})
    )
    asked = [("vadd", 0, 128), ("vmul", 0, 64), ("axpy", 0, 31), ("ntt", 16, 64), ("ntt", 8, 128), ("polymul", 8, 32)]
    return st.tuples(texts, st.sampled_from(asked))


def declared(text: str) -> None:
    """Declare the operations of a text, as a target does, and forget them again."""
    with undeclared():
        declare(parse_toml(text, "operations in TOML", "fuzzed"), "fuzzed")


@contextmanager
def undeclared() -> Iterator[None]:
    """Forget the operations that are declared within."""
    before, rows = dict(OPS), dict(ROWS)
    try:
        yield
    finally:
        for known, kept in ((OPS, before), (ROWS, rows)):
            known.clear()
            known.update(kept)  # type: ignore[arg-type]


def elements(text: str) -> None:
    """Make the codelets of a formula, and its kernel."""
    arith = Arith(60, 64)
    for form in (0, 64):
        elementwise(ElementwiseKernel(text), arith, form=form)


def estimates(text: str) -> None:
    for each in workload_text(text).values():
        estimated(each.kernels, dict.fromkeys(each.kernels, 1.0) | {"ntt": 1.0, "intt": 1.0})


def basis(text: str) -> None:
    resolved("vmul", moduli=text, modulus_bits=20 if text.strip().isdecimal() else None)


def commands(root: Path) -> Any:
    """Command lines with arguments replaced, dropped, put twice, or added."""
    edit = st.tuples(st.integers(1, 12), st.sampled_from(["set", "add", "drop"]), st.sampled_from(ARGUMENTS))

    def apply(given: tuple[list[str], list[tuple[int, str, str]]]) -> list[str]:
        words = [word.format(root) for word in given[0]]
        for at, kind, word in given[1]:
            words[at : at + (kind != "add")] = [word] * (kind != "drop")
        return [*words, "nothing"] if words[:1] == ["bench"] else words  # without a path it measures for a minute

    return st.tuples(st.sampled_from(COMMANDS), st.lists(edit, min_size=1, max_size=3)).map(apply)


ASSEMBLY_WORDS = [
    "v0", "v63", "v64", "v007", "v" + "9" * 5000, "m0", "s1", "a1", "007", "0x", "0x1f", "9" * 5000, "-1", "0", "1",
    "3", "4", "9", "16", "512", "4096", "99999999", "2" * 19, "strided", "repeated", "skip", "vload", "mload", "aload",
    "area", "table", "points", "order", "scalars", "towers", "n", "REG_V0", "REG_V64", "REG_M0", "_mload_128i", "²",
    "٣", "1_0",
]  # fmt: skip


def sums_of_terms() -> Any:
    """Formulas of operands, which mostly have no codelet."""
    name = st.sampled_from(["x", "y", "w", "a", "b", "I", "R", "0", "1", "2", "diff", "X"])
    product = st.lists(name, min_size=1, max_size=3).map("·".join)
    return st.tuples(product, st.sampled_from([" + ", " - ", " mod ", " << ", "·("]), product).map("".join)


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
    machine = tomllib.loads((FOLDER / "rpu-paper.toml").read_text(encoding="utf-8"))
    operations = tomllib.loads((folder("rules") / "operations.toml").read_text(encoding="utf-8"))
    broken = tomllib.loads((folder("rules") / "breakdown.toml").read_text(encoding="utf-8"))

    def rule_texts(text: str) -> object:
        return [str(rule) for rule in rules.load_file(place.put("rules.toml", text))]

    return {
        "numbers": (parse_integer, one_of(NUMBERS)),
        "targets": (place.target, files_of(TARGET, as_toml)),
        "heirs": (place.heir, heirs()),
        "manifests": (place.load, files_of(json.loads(place.saved), json.dumps)),
        "wisdom": (place.wisdom, files_of({"momagen wisdom": 2, "rows": [WISE]}, json.dumps)),
        "libraries": (place.library, files_of(LIBRARY, as_toml)),
        "formulas": (lambda text: str(notation.formula(text)), one_of(FORMULAS)),
        "rules": (rule_texts, files_of({"rule": rows}, as_toml)),
        "breakdown rules": (lambda text: breakdown_rules.load(place.put("b.toml", text)), files_of(broken, as_toml)),
        "commands": (runs, commands(place.path)),
        "operations": (declared, files_of(dict(list(operations.items())[::5]), as_toml)),
        "meanings": (declared, operations_of()),
        "assembly": (place.assembly, st.one_of(one_of([ASSEMBLY]), words_of(ASSEMBLY, ASSEMBLY_WORDS))),
        "intrinsics": (place.intrinsics, st.one_of(one_of([INTRINSICS]), words_of(INTRINSICS, ASSEMBLY_WORDS))),
        "programs": (place.program, one_of([write_program(PROGRAM).decode("latin-1")])),
        "numbers of areas": (place.numbers, one_of(["1 2 0x3\n007\n"])),
        "machines": (place.machine, files_of(machine, as_toml)),
        "matrices": (place.matrix, files_of([[1, 2], [3, -4]], json.dumps)),
        "CPUs": (place.cpus, files_of(CPUS, as_toml)),
        "rates": (place.rates, files_of(RATES, json.dumps)),
        "workloads": (estimates, files_of(WORKLOAD, as_toml)),
        "kernels of libraries": (lambda text: wish.wish("x", "1.0.0", ["c"], [text]), one_of(KERNEL_TEXTS)),
        "formulas of elements": (elements, st.one_of(one_of(ELEMENTS), sums_of_terms())),
        "bases": (basis, one_of(BASES)),
    }


NAMES = [
    "numbers", "targets", "heirs", "manifests", "wisdom", "libraries", "formulas", "rules", "breakdown rules",
    "commands", "operations", "meanings", "assembly", "intrinsics", "programs", "numbers of areas", "machines",
    "matrices", "CPUs", "rates", "workloads", "kernels of libraries", "formulas of elements", "bases",
]  # fmt: skip


@pytest.mark.thorough
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
    ("matrices", "[" * 10**5), ("matrices", "[" * 500 + "]" * 500), ("workloads", "a = " + "[" * 10**5),
    ("machines", "hples = " + "[" * 10**5), ("formulas of elements", "(" * 10**4), ("formulas of elements", "-" * 2000),
    ("assembly", "vload v0, a0[007]"), ("assembly", f"vload v0, a0[{'9' * 5000}]"),
    ("assembly", f"vload v{'9' * 5000}, a0[0]"),
    ("formulas of elements", "x·y + w·x"), ("meanings", 'x = {args = "x: w → w", means = "y = 2^(2^(2^x))"}'),
], ids=lambda text: text[:30])  # fmt: skip
def test_deep_and_long_texts_are_refused(name: str, text: str, place: Place) -> None:
    with pytest.raises(mg.MomagenError):
        subjects(place)[name][0](text)
