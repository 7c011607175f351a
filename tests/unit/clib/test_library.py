"""Libraries: what may be asked for, what the files say, what happens to folders, and the one line that refuses."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import platform
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from shlex import quote

import pytest
from support.oracle import ELEMENTS, coefficients, elements, points, product, values

import momagen as mg
from momagen import files
from momagen.cli import main
from momagen.cli.deliver import _beside
from momagen.clib.features import known_features
from momagen.clib.files import MANIFEST
from momagen.clib.known_answers import FILLS, Answer, answers, digest, made
from momagen.clib.request import parse, wish
from momagen.clib.variants import variants
from momagen.emit import generate
from momagen.errors import MomagenError
from momagen.kinds.modular.lists import ANY_MODULUS
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.spec import Spec
from momagen.runtime import compile_program, cpu_features
from momagen.screen.progress import Estimate
from momagen.targets import load_target, names

SMALL = ["ntt:n=16,bits=64", "ntt:n=16,bits=64,inverse", "vmul:bits=64"]
TARGETS = ["c64", "c"]


@pytest.fixture(scope="module")
def small() -> mg.Library:
    return mg.library("small", SMALL, targets=TARGETS)


@pytest.mark.parametrize(
    ("folder", "build"),
    [("mylib", "mylib-build"), ("a/mylib/", "a/mylib-build"), (".", "./../here-build"), ("..", "../../above-build"),
     ("a/..", "./../here-build"), ("/x/my lib", "'/x/my lib-build'")],
)  # fmt: skip
def test_the_build_goes_beside_the_folder(
    folder: str, build: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "above" / "here"
    place.mkdir(parents=True)
    monkeypatch.chdir(place)
    assert quote(_beside(Path(folder))) == build


@pytest.mark.compiles
def test_each_kernel_is_reported_while_it_is_generated_and_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = []
    monkeypatch.setattr(Estimate, "report", lambda estimate, part, what: said.append(what))
    assert main(["lib", *SMALL, "--targets", "c,c64", "--output", str(tmp_path / "a"), "--name", "a"]) == 0
    kernels = ("ntt16_60b", "intt16_60b", "vmul_60b")
    assert [name for name in kernels if name in said] == [*kernels]
    assert {f"a_{name}_{variant}" for name in kernels for variant in ("c", "c64")} <= set(said)


PARSED = {
    "ntt:n=4096,bits=124": {"kind": "ntt", "n": "4096", "bits": "124"},
    "ntt:n=8,bits=64,inverse": {"kind": "ntt", "n": "8", "bits": "64", "inverse": True},
    "ntt: n = 8 , modulus=2^64-2^32+1,inverse=no": {
        "kind": "ntt", "n": "8", "modulus": "2^64-2^32+1", "inverse": "no",
    },
    "blas:vmul,bits=124": {"kind": "vmul", "bits": "124"},
    "vmul": {"kind": "vmul"},
}  # fmt: skip


@pytest.mark.parametrize("text", PARSED)
def test_kernels_in_one_word(text: str) -> None:
    assert parse(text) == PARSED[text]


def test_kernels_as_tables_are_the_same() -> None:
    tables = [{"kind": "ntt", "n": 16, "bits": 64, "inverse": True}, {"kind": "vmul", "bits": 64, "name": "times"}]
    asked = wish("a", "1.2.3", None, tables).kernels
    assert asked == wish("a", "1.2.3", None, ["ntt:n=16,bits=64,inverse=yes", "blas:vmul,bits=64,name=times"]).kernels
    assert [kernel.name for kernel in asked] == ["intt16_60b", "times"]
    assert asked[0].spec.inverse and str(asked[1].spec.kind) == "vmul"


def test_variants_are_ranked_by_what_they_ask_for(tmp_path: Path) -> None:
    more = tmp_path / "more.toml"
    more.write_text(
        'name = "more"\ninherits = "avx512"\nfeatures = ["avx512f", "avx512dq", "avx512vbmi2"]\n', encoding="utf-8"
    )
    ranked = variants(["c64", "c", "avx512", str(more)])
    assert [variant.name for variant in ranked] == ["more", "avx512", "c", "c64"]
    assert ranked == variants(["avx512", str(more), "c64", "c"])
    every = variants(None)
    assert {variant.name for variant in every} <= set(names())
    lanes = [variant.target.lanes for variant in every]
    assert lanes == sorted(lanes, reverse=True)
    assert not every[-1].features


@pytest.mark.compiles
def test_a_target_of_the_user(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('name = "mine"\ninherits = "c64"\n', encoding="utf-8")
    library = mg.library("lib", ["vadd:bits=64"], targets=["c64", str(file)])
    assert {"src/lib_vadd_60b_mine.c", "cmake/variant_mine.c"} <= set(library.files)
    assert library.members[0].name == "vadd_60b" and "LIB_VARIANT_MINE" in library.header
    assert all(report.ok for report in library.verify())


def test_every_shipped_target_in_c_can_be_a_variant_or_says_why() -> None:
    possible = {variant.name for variant in variants(None)}
    for name in {name for name in names() if load_target(name).purpose == "kernels"} - possible:
        with pytest.raises(MomagenError, match=r"words of the same size|a target in C|CPU features that a"):
            variants(["c", name])


@pytest.mark.compiles
@pytest.mark.skipif(platform.machine() != "x86_64" or platform.system() != "Linux", reason="x86-64 Linux's names")
def test_the_table_of_features_is_what_this_processor_says(tmp_path: Path) -> None:
    rows = "\n".join(
        f'{{"{f.name}", {f.leaf}, {f.subleaf}, {f.register}, {f.bit}, {f.state}}},' for f in known_features().values()
    )
    source = tmp_path / "ask.c"
    source.write_text(
        f"""#include <cpuid.h>
        #include <stdio.h>
        static const struct {{ const char *name; unsigned leaf, subleaf, reg, bit, state; }} rows[] = {{ {rows} }};
        int main(void) {{
            unsigned saved, high;
            __asm__ volatile(".byte 0x0f, 0x01, 0xd0" : "=a"(saved), "=d"(high) : "c"(0));
            for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {{
                unsigned r[4];
                __cpuid_count(rows[i].leaf, rows[i].subleaf, r[0], r[1], r[2], r[3]);
                if ((r[rows[i].reg] >> rows[i].bit & 1) && (saved & rows[i].state) == rows[i].state)
                    puts(rows[i].name);
            }}
        }}""",
        encoding="utf-8",
    )
    said = subprocess.run([compile_program([source], flags=[])], capture_output=True, text=True, check=True).stdout
    spelled = {"sse3": "pni"}  # Linux's name for it
    here = cpu_features()
    assert set(said.split()) == {f.name for f in known_features().values() if spelled.get(f.name, f.name) in here}


NUMBERS = ("a", "bound", "diff")


def arguments(kind: str) -> list[str]:
    """What a kernel takes, in C's order."""
    by_shape = {"ntt": ["x"], "polymul": ["x", "y"]}
    return by_shape.get(kind) or list(inspect.signature(ELEMENTS[kind]).parameters)[3:]


def right(spec: Spec, q: int, root: int, given: list[list[int]]) -> list[int]:
    """By the definitions, letter by letter."""
    n, x, y = spec.n, given[0], given[-1]
    if (m := spec.columns) > 1:
        columns = [right(replace(spec, columns=1), q, root, [x[at::m]]) for at in range(m)]
        return [column[i] for i in range(n) for column in columns]
    if str(spec.kind) in ANY_MODULUS:
        scalars = [row[0] for name, row in zip(arguments(str(spec.kind)), given, strict=True) if name in NUMBERS]
        return elements(spec, q, scalars, *given[len(scalars) :])
    if str(spec.kind) == "polymul":
        return product(x, y, q, spec.negacyclic)
    return (coefficients if spec.inverse else values)(x, points(n, q, root, spec.negacyclic), q)


@pytest.mark.parametrize(
    "spec",
    [
        make_spec("ntt", n=8, bits=128), make_spec("ntt", n=16, bits=64, inverse=True, negacyclic=True),
        make_spec("polymul", n=8, bits=100, negacyclic=True), *(make_spec(kind, bits=128) for kind in ANY_MODULUS),
        make_spec("ntt", n=8, bits=128, options={"input_factor": "4", "output_factor": "2"}),
        make_spec("polymul", n=8, bits=64, options={"input_factor": "2"}),
        make_spec("ntt", n=8, modulus_bits=90, target="c32"), make_spec("ntt", n=8, columns=3, bits=64, inverse=True),
        make_spec("axpy", bits=128, options={"input_factor": "8", "output_factor": "8"}),
        make_spec("cmpsub", bits=128, options={"input_factor": "any", "output_factor": "2"}),
    ],
    ids=lambda spec: spec.name,
)  # fmt: skip
def test_known_answers_are_right(spec: Spec) -> None:
    found = list(answers(spec))
    assert [answer.fill for answer in found[: len(FILLS)]] == list(FILLS)
    assert len({answer.modulus for answer in found}) > 1
    for answer in found:
        outputs = _right(spec, answer)
        assert all(outputs[place] == value for place, value in answer.outputs.items())
        assert len(answer.outputs) >= min(8, len(outputs))
        whole = answer.fill == "RANDOM"
        assert answer.digest == (digest(outputs, spec.arith) if whole else 0)


def _right(spec: Spec, answer: Answer) -> list[int]:
    names = arguments(str(spec.kind))
    sizes = [1 if name in NUMBERS else spec.n * spec.columns or 100 for name in names]
    given = [
        made(answer.fill, size, spec.arith, top, answer.seed + i)
        for i, (size, top) in enumerate(zip(sizes, answer.largest, strict=True))
    ]
    assert all(max(row) <= top for row, top in zip(given, answer.largest, strict=True))
    return right(spec, answer.modulus, answer.root, given)


LARGEST: dict[str, tuple[dict[str, str], list[str]]] = {
    "axpy": ({"input_factor": "4"}, ["q - 1", "4q - 1", "4q - 1"]),
    "scal": ({"output_factor": "4"}, ["q - 1", "q - 1"]),
    "reduce": ({}, ["R - 1"]),
    "cmpadd": ({}, ["R - 1", "R - 1", "R - 1"]),
    "cmpsub": ({"input_factor": "2"}, ["2q - 1", "q - 1", "2q - 1"]),
}
"""The largest numbers that the tests of a library put into each operand."""


@pytest.mark.parametrize("kind", LARGEST)
def test_known_answers_reach_the_ends_of_their_ranges(kind: str) -> None:
    options, tops = LARGEST[kind]
    spec = make_spec(kind, bits=128, options=options)
    for answer in answers(spec):
        values = {"q - 1": answer.modulus - 1, "R - 1": (1 << 128) - 1}
        values |= {f"{m}q - 1": m * answer.modulus - 1 for m in (2, 4)}
        assert answer.largest == tuple(values[top] for top in tops)
        for i, top in enumerate(answer.largest):
            drawn = {fill: made(fill, 100, spec.arith, top, answer.seed + i) for fill in FILLS}
            assert set(drawn["LARGEST"]) == {top} and set(drawn["EXTREMES"]) == {0, top}
            assert top // 2 < max(drawn["RANDOM"]) < top


@pytest.mark.parametrize("kind", ["cmpadd", "cmpsub"])
def test_known_answers_go_both_ways(kind: str) -> None:
    """Among the random inputs are elements above the bound and others."""
    spec, above = make_spec(kind, bits=128), set[bool]()
    for answer in answers(spec):
        if answer.fill == "RANDOM":
            (bound,) = made("RANDOM", 1, spec.arith, answer.largest[0], answer.seed)
            x = made("RANDOM", 100, spec.arith, answer.largest[2], answer.seed + 2)
            above |= {value > bound for value in x}
    assert above == {False, True}


def test_a_transform_is_undone_by_an_inverse_that_takes_what_it_gives() -> None:
    def backs(*kernels: str) -> list[str]:
        text = mg.library("a", [f"ntt:n=8,bits=64{more}" for more in kernels], targets=["c"]).files["tests/kernels.c"]
        return re.findall(r"_destroy, 1, 0, \d, (-?\d), 1, ", text)

    assert backs("", ",inverse") == ["1", "0"]
    assert backs(",output_factor=4", ",inverse", ",inverse,input_factor=4") == ["2", "0", "0"]
    assert backs(",output_factor=4", ",inverse") == ["-1", "0"]


@pytest.mark.parametrize("kind", ["ntt", "polymul"])
def test_long_kernels_have_fewer_known_answers(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, every = make_spec(kind, n=16, bits=64), list(answers(make_spec(kind, n=16, bits=64)))
    monkeypatch.setattr("momagen.verify.definitions.WHOLE", 0)
    monkeypatch.setattr("momagen.verify.definitions.PRODUCT_WORDS", 0)
    monkeypatch.setattr("momagen.verify.effort.BUDGET", 0)
    few = list(answers(spec))
    assert [answer.fill for answer in few] == ["RANDOM", "EXTREMES", "RANDOM"] and len(few) < len(every)
    for answer in few:
        outputs = _right(spec, answer)
        assert len(answer.outputs) == 3 and answer.digest == 0
        assert all(outputs[place] == value for place, value in answer.outputs.items())


def test_a_baked_kernel_is_tried_with_its_own_modulus_only() -> None:
    spec = make_spec("vmul", bits=64, options={"bake": "yes"})
    assert {answer.modulus for answer in answers(spec)} == {spec.modulus}


def test_files_are_the_same_each_time(small: mg.Library) -> None:
    again = mg.library("small", SMALL, targets=TARGETS[::-1])
    assert dict(again.files) == dict(small.files)


def test_files_come_again_from_the_description(small: mg.Library, tmp_path: Path) -> None:
    rows = [*SMALL, {"kind": "ntt", "n": 16, "bits": 64, "order": "natural", "radix": 2, "targets": ["c"]}]
    library = mg.library("other", rows, targets=TARGETS, version="2.1.0")
    (tmp_path / "list.toml").write_text(library.files["other.toml"], encoding="utf-8")
    assert dict(mg.library(tmp_path / "list.toml").files) == dict(library.files)
    assert [variant.name for variant in library.members[-1].variants] == ["c"]
    assert "src/other_ntt16_natural_60b_c64.c" not in library.files


def test_kernels_are_those_that_stand_alone(small: mg.Library) -> None:
    for member in small.members:
        for source in member.sources:
            alone = generate(make_spec(
                member.spec.kind, n=member.spec.n, modulus=member.spec.modulus,
                root=member.spec.root or None, inverse=member.spec.inverse, target=source.spec.target,
            ))  # fmt: skip
            renamed = source.source.replace(source.name, alone.name).replace(source.name.upper(), alone.name.upper())
            assert renamed.partition("*/")[2] == alone.source.partition("*/")[2]


def test_the_manifest_lists_everything(small: mg.Library) -> None:
    rows = dict(line.split("  ")[::-1] for line in small.files[MANIFEST].splitlines())
    assert set(rows) == set(small.files) - {MANIFEST}
    assert all(hashlib.sha256(small.files[path].encode()).hexdigest() == rows[path] for path in rows)


def test_the_header_speaks_of_the_library_alone(small: mg.Library) -> None:
    for member in small.members:
        for source in member.sources:
            assert f"{source.name}_" not in small.header and f"{source.name.upper()}_" not in small.header
        for verb in ("create", "create_at", "execute", "destroy", "variant"):
            assert f"{member.symbol}_{verb}(" in small.header
    assert "SMALL_NO_MEMORY" in small.header
    assert "small_vmul_60b_execute(const small_vmul_60b_plan *plan, uint64_t *z, " in small.header


def test_no_text_names_this_machine(small: mg.Library) -> None:
    for path, text in small.files.items():
        assert "-march=" not in text and str(Path.home()) not in text, path


@pytest.mark.compiles
def test_verification_in_python(small: mg.Library) -> None:
    reports = small.verify()
    assert len(reports) == len(SMALL) * len(TARGETS)
    assert all(report.ok for report in reports)
    assert "3 kernels for c, c64" in repr(small)


def contents(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_is_written_and_renewed(small: mg.Library, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "small"
    assert set(small.save(folder)) == set(small.files)
    assert contents(folder) == dict(small.files)
    assert small.save(folder) == []
    fewer = mg.library("small", SMALL[:1], targets=["c"])
    assert "src/small_vmul_60b.c" in fewer.save(folder)
    assert contents(folder) == dict(fewer.files)


def test_a_foreign_file_is_kept(small: mg.Library, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work", encoding="utf-8")
    with pytest.raises(MomagenError) as caught:
        small.save(tmp_path)
    problem = f"the folder {tmp_path} contains thesis.tex, which does not belong to a generated library"
    assert str(caught.value).startswith(f"output: {problem}; write to a new or empty folder")
    assert contents(tmp_path) == {"thesis.tex": "years of work"}


@pytest.mark.parametrize("path", ["src/mine.c", "CMakeLists.txt"])
def test_a_file_that_someone_put_into_a_library_is_kept(small: mg.Library, tmp_path: Path, path: str) -> None:
    small.save(tmp_path)
    with (tmp_path / path).open("a") as file:
        file.write("mine")
    before = contents(tmp_path)
    with pytest.raises(MomagenError, match=f"(changed )?{path}"):
        mg.library("small", SMALL[:1], targets=["c"]).save(tmp_path)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("there", [True, False])
def test_a_full_disk_leaves_what_was_there(
    small: mg.Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    folder = tmp_path / "small"
    if there:
        mg.library("small", SMALL[:1], targets=["c"]).save(folder)
    before, written = contents(tmp_path), files._fill

    def until_full(path: Path, text: str) -> None:
        if path.name == "LICENSE" or path.name.endswith("_c64.h"):
            raise OSError(28, "No space left on device")
        written(path, text)

    monkeypatch.setattr(files, "_fill", until_full)
    with pytest.raises(MomagenError, match="No space left on device"):
        small.save(folder)
    monkeypatch.undo()
    assert contents(tmp_path) == before
    assert folder.exists() == there and not list(tmp_path.rglob(".momagen-*"))


KERNEL = "ntt:n=16,bits=64"
REFUSED = {
    "unknown kind": (["fft:n=16,bits=64"], "kernel fft:n=16,bits=64, kernel: expected one of the kernels ntt,"),
    "no kind": ([":n=16"], "kernel :n=16, kernel: expected one of the kernels ntt, polymul, basemul, lde, vadd,"),
    "unknown target": ([KERNEL, "--targets", "c,vax"], "target: expected a target such as c, "),
    "no target": ([KERNEL, "--targets", ","], "targets: expected at least one target, got none"),
    "target twice": ([KERNEL, "--targets", "c,c64,c"], "targets: expected every target once, got c twice"),
    "kernel twice": (
        [KERNEL, f"{KERNEL},radix=2"],
        "kernels: two kernels have the name ntt16_60b; rename one with name=…",
    ),
    "key twice": ([f"{KERNEL},n=32"], f"kernel {KERNEL},n=32: expected every key once, got n twice"),
    "no value": (
        [f"{KERNEL},fast"], f"kernel {KERNEL},fast: expected KEY=VALUE, or one of the switches inverse, negacyclic, "
    ),
    "no such option": ([f"{KERNEL},speed=9"], f"kernel {KERNEL},speed=9, keys: expected only the keys of ntt: n, "),
    "neither yes nor no": ([f"{KERNEL},inverse=maybe"], f"kernel {KERNEL},inverse=maybe, inverse: expected yes or no"),
    "too large a factor": (
        ["vadd:modulus=2^64-59,output_factor=4"],
        "kernel vadd:modulus=2^64-59,output_factor=4, output_factor: expected a factor of at most 1 for a modulus",
    ),
    "wrong size": (["ntt:n=12,bits=64"], "kernel ntt:n=12,bits=64, n: expected a power of two from 2 to 67108864, got"),
    "wrong name": ([f"{KERNEL},name=Mine"], f"kernel {KERNEL},name=Mine, name: expected a name of lower-case letters,"),
    "library's name": ([KERNEL, "--name", "my-lib"], "name: expected a name of lower-case letters, digits and _ that"),
    "taken by CMake": ([KERNEL, "--name", "install"], "name: expected a name that no system header, library or CMake "),
    "a header": ([KERNEL, "--name", "omp"], "name: expected a name that no system header, library or CMake target has"),
    "a library": ([KERNEL, "--name", "m"], "name: expected a name that no system header, library or CMake target has"),
    "version": ([KERNEL, "--library-version", "new"], "version: expected a version such as 1.0.0, got new"),
    "two files": (["a.toml", "b.toml"], "lib: expected at most one TOML file, got a.toml, b.toml"),
    "no file": (["a.toml"], "a.toml: the file cannot be read (No such file or directory)"),
    "name of another's variant": (
        [f"{KERNEL},name=a", f"{KERNEL},name=a_c"], "kernels: the name a_c of a kernel is also the name of a file",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_one_line_and_no_files(
    case: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    args, message = REFUSED[case]
    monkeypatch.chdir(tmp_path)
    assert _refusal(["lib", "--output", "out", *args], capsys).startswith(message)
    assert list(tmp_path.iterdir()) == []


DESCRIPTIONS = {
    "name = 3": "name: expected a name of lower-case letters, digits and _ that begins with a letter, got 3",
    'name = "a"': "kernels: the library has no kernels; add one, such as ntt:n=4096,bits=128",
    'name = "a"\ncolour = 3': "list.toml: expected only the keys name, version, targets, layout, kernel, got colour",
    'name = "a"\nkernel = 3': "list.toml: expected tables [[kernel]], got 3",
    'name = "a"\n[[kernel]]\nn = 8': "kernel 1: expected the key `kind` with the kind of a kernel, got None",
    'name = "a"\ntargets = "c"\n[[kernel]]\nkind = "vadd"\nbits = 64': "targets: expected a list of names of targets,",
    'name = "a"\ntargets = ["c"]\n[[kernel]]\nkind = "vadd"\nbits = 64\ntargets = ["c64"]': (
        "kernel vadd_60b, targets: expected only targets of the library (c), got c64"
    ),
    'name = "a"\n[[kernel]]\nkind = "vadd"\nbits = 64\ninverse = true': (
        "kernel 1, keys: expected only the keys of vadd: bits, "
    ),
    "name = ": "list.toml: expected a library's description in TOML, got Invalid value",
}


@pytest.mark.parametrize("text", DESCRIPTIONS)
def test_a_wrong_description(
    text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("list.toml").write_text(text, encoding="utf-8")
    assert _refusal(["lib", "list.toml", "--output", "out"], capsys).startswith(DESCRIPTIONS[text])
    assert not Path("out").exists()


def test_a_target_that_no_program_can_ask_for(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text('inherits = "c64"\nname = "t"\nfeatures = ["avx1024"]\n', encoding="utf-8")
    line = _refusal(["lib", KERNEL, "--targets", str(file), "--output", str(tmp_path / "out")], capsys)
    assert line.startswith("target t, features: expected only CPU features that a program can detect at run time, got")


def _refusal(args: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(args) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("momagen: ") and err.count("\n") == 1
    return err.removeprefix("momagen: ")


def test_folders_that_cannot_be_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("mine", encoding="utf-8")
    assert "(" in _refusal(["lib", KERNEL, "--output", "file/lib"], capsys)
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)
    assert "no permission" in _refusal(["lib", KERNEL, "--output", "lib"], capsys)
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert _refusal(["lib", KERNEL, "--output", "."], capsys) == (
        "output: the folder . contains file, which does not belong to a generated library; "
        "write to a new or empty folder, or to the folder of a library\n"
    )
    assert contents(tmp_path) == {"file": "mine"}


@pytest.mark.thorough
@pytest.mark.compiles
def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    args = ["lib", *SMALL, "--targets", ",".join(TARGETS), "--output", str(folder)]
    assert main(args) == 0
    out, err = capsys.readouterr()
    assert {line.partition(":")[0] for line in err.splitlines()} <= {"generate", "verify"}  # where no terminal is
    assert "mine_vmul_60b" in out and "PASS" in out and "cmake -S" in out
    made = mg.library("mine", SMALL, targets=TARGETS)
    assert dict(made.files) != contents(folder) and all(made.verify()) and dict(made.files) == contents(folder)
    assert main([*args, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["name"] == "mine" and told["variants"] == ["c", "c64"]
    assert [kernel["symbol"] for kernel in told["kernels"]][::2] == ["mine_ntt16_60b", "mine_vmul_60b"]
    assert len(told["verify"]) == 6 and all(report["ok"] for report in told["verify"])
    assert {Path(file) for file in told["files"]} == {path for path in folder.rglob("*") if path.is_file()}


@pytest.mark.compiles
def test_a_wrong_kernel_is_not_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = "momagen.verify.elements.pointwise.blas"
    monkeypatch.setattr(wrong, lambda spec, scalars, vectors, q: [0] * len(vectors[0]))
    folder = tmp_path / "mine"
    assert main(["lib", "vadd:bits=64", "--targets", "c", "--output", str(folder)]) == 1
    assert "FAIL" in capsys.readouterr().out and not folder.exists()
    assert main(["lib", "vadd:bits=64", "--targets", "c", "--output", str(folder), "--no-verify"]) == 0
    assert folder.exists() and load_target("c").name == "c"


@pytest.mark.parametrize(("kernel", "text"), [
    ("dot:modulus_bits=60", "dot is not available on cuda"), ("vinv:modulus_bits=60", "vinv is not available on cuda"),
    ("basemul:n=64,depth=4,modulus_bits=60", "products of incomplete transforms are not available on cuda"),
    ("ntt:n=64,coset=3,order=natural,modulus_bits=60", "cannot be combined with `coset` on cuda"),
])  # fmt: skip
def test_kernels_that_a_gpu_lacks_are_refused(kernel: str, text: str) -> None:
    """Libraries request kernels before they choose the targets; the limits of each target hold all the same."""
    with pytest.raises(MomagenError, match=text):
        mg.library("own", [kernel], targets=["c", "cuda"])
