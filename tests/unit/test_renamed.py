"""Old spellings of options, values and keys: each still works, warns once, and means what the new one means."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

import momagen as mg
from momagen.api.native import resolved
from momagen.cli import main
from momagen.cli.parser import build_parser, commands_of
from momagen.clib import library
from momagen.data import folder
from momagen.errors import MomagenError
from momagen.kinds.modular.options.values import OPTIONS
from momagen.renamed import ARGUMENTS, TARGET_KEYS, VALUES, RenamedWarning, current, renewed, renewed_words
from momagen.renamed import OPTIONS as RENAMED
from momagen.targets import load_target
from momagen.targets.check import KINDS
from momagen.tune.row import parse_row

NTT = ("ntt", "--n", "64", "--modulus-bits", "50")
PAIRS = {
    ("digits", "slack"): ("limbs", "reduced"), ("limbs", "slack"): ("limbs", "reduced"),
    ("digits", "full"): ("limbs", "full"), ("group", "2"): ("interleave_blocks", "2"),
    ("paired", "yes"): ("interleave_butterflies", "yes"), ("reduction", "about"): ("reduction", "approximate"),
    ("storage", "digits"): ("storage", "limbs"), ("rests", "words"): ("storage", "words"),
    ("rests", "digits"): ("storage", "limbs"),
}  # fmt: skip
"""Options of a transform with a value: by old and by new spellings."""


def flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def test_all_new_spellings_exist() -> None:
    options = {option for _, parser in commands_of() for option in parser._option_string_actions}
    assert {flag(new) for new in ARGUMENTS.values()} <= options
    assert not {flag(old) for old in ARGUMENTS} & options
    assert set(RENAMED.values()) <= set(OPTIONS) and not set(RENAMED) & set(OPTIONS)
    assert all(new in OPTIONS[option] and old not in OPTIONS[option] for option, row in VALUES.items()
               for old, new in row.items())  # fmt: skip
    assert set(TARGET_KEYS.values()) <= set(KINDS) and not set(TARGET_KEYS) & set(KINDS)


@pytest.mark.parametrize("equals", [False, True])
@pytest.mark.parametrize("old", PAIRS, ids=" ".join)
def test_options_of_the_command_line(old: tuple[str, str], equals: bool) -> None:
    def parsed(name: str, value: str) -> dict[str, object]:
        words = [f"{flag(name)}={value}"] if equals else [flag(name), value]
        return vars(build_parser().parse_args([*NTT, *words]))

    with pytest.warns(RenamedWarning) as warned:
        found = parsed(*old)
    assert found == parsed(*PAIRS[old]) and len(warned) == 1
    name, value = PAIRS[old]
    sign = "=" if equals else " "
    text = str(warned[0].message)
    assert text.startswith(f"{flag(old[0])}") and text.endswith((f"{flag(name)}{sign}{value}", flag(name)))


@pytest.mark.parametrize(("command", "old", "new"), [
    (["lib", "ntt:n=16,bits=64", "--output", "x"], ["--release", "1.2.3"], ["--library-version", "1.2.3"]),
    (["bench", "--sweep"], ["--rival", "a.so", "--rival=b.so"], ["--baseline", "a.so", "--baseline", "b.so"]),
])  # fmt: skip
def test_options_of_other_commands(command: list[str], old: list[str], new: list[str]) -> None:
    with pytest.warns(RenamedWarning, match=new[0]) as warned:
        found = build_parser().parse_args([*command, *old])
    assert vars(found) == vars(build_parser().parse_args([*command, *new])) and len(warned) == 1


def test_an_option_that_a_command_never_had_stays_unknown() -> None:
    with pytest.raises(MomagenError, match="unknown option --release"):
        build_parser().parse_args([*NTT, "--release", "1.0.0"])


def test_words_that_only_look_like_old_values() -> None:
    known = ("--limbs", "--output", "--reduction")
    words = ["--output", "slack", "--limbs", "full", "about", "--", "--digits", "slack"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert renewed_words(words, known) == words


def test_the_command_prints_one_notice(capsys: pytest.CaptureFixture[str]) -> None:
    quiet = ["--target", "avx2", "--no-verify", "--no-bench", "--json"]
    assert main([*NTT, "--digits", "slack", "--group", "2", *quiet]) == 0
    old = capsys.readouterr()
    assert old.err == (
        "momagen: --digits slack, --group are deprecated and will not work in the next release; "
        "use --limbs reduced, --interleave-blocks\n"
    )
    assert main([*NTT, "--limbs", "reduced", "--interleave-blocks", "2", *quiet]) == 0
    new = capsys.readouterr()
    assert new.err == ""
    kernels = [json.loads(text) for text in (old.out, new.out)]
    assert [row["name"] for row in kernels] == [kernels[0]["name"]] * 2
    assert kernels[0]["options"] == kernels[1]["options"] and kernels[0]["command"] == kernels[1]["command"]


def test_a_library_on_the_command_line_prints_one_notice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["lib", "ntt:n=64,modulus_bits=124,digits=full", "--targets", "c,avx2", "--no-verify"]
    assert main([*words, "--output", str(tmp_path / "one")]) == 0
    assert capsys.readouterr().err == (
        "momagen: digits=full is deprecated and will not work in the next release; use limbs=full\n"
    )


def test_libraries() -> None:
    with pytest.warns(RenamedWarning, match="use limbs=reduced"):
        old = library("one", ["ntt:n=64,modulus_bits=124,digits=slack"], targets=["avx2"])
    new = library("one", [{"kind": "ntt", "n": 64, "modulus_bits": 124, "limbs": "reduced"}], targets=["avx2"])
    assert old.files == new.files


@pytest.mark.parametrize("old", PAIRS, ids=" ".join)
def test_keywords_of_python(old: tuple[str, str]) -> None:
    def outcome(pair: tuple[str, str]) -> str:
        try:
            return mg.ntt(64, modulus_bits=50, target="avx2", **{pair[0]: pair[1]}).source  # type: ignore[arg-type]
        except MomagenError as error:
            return str(error)

    with pytest.warns(RenamedWarning, match="use {}={}".format(*PAIRS[old])) as warned:
        found = outcome(old)
    assert found == outcome(PAIRS[old]) and len(warned) == 1
    assert warned[0].filename == __file__


def test_python_shows_the_warning_to_the_caller(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text('import momagen as mg\nmg.ntt(64, modulus_bits=124, target="avx2", digits="slack")\n')
    found = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert found.stderr.count("RenamedWarning") == 1 and f"{script}:2: RenamedWarning" in found.stderr


def test_options_of_a_specification() -> None:
    with pytest.warns(RenamedWarning):
        old = resolved("ntt", n=64, bits=128, target="avx2", digits="full")
    assert old == resolved("ntt", n=64, bits=128, target="avx2", limbs="full")


def test_both_spellings_at_once() -> None:
    with pytest.raises(MomagenError, match="limbs: expected limbs without digits, its old name, got both"):
        mg.ntt(64, bits=128, digits="full", limbs="full")  # type: ignore[call-arg]
    assert renewed({"unroll": 2, "limbs": None}) == {"unroll": 2, "limbs": None}


def test_target_files(tmp_path: Path) -> None:
    heir = tmp_path / "heir.toml"
    heir.write_text('inherits = "avx512ifma"\nname = "heir"\nrests = 4096\n')
    with pytest.warns(RenamedWarning, match=r"heir.toml: rests is deprecated .*; use word_storage_from") as warned:
        old = load_target(str(heir))
    assert old.word_storage_from == 4096 and len(warned) == 1
    heir.write_text('inherits = "avx512ifma"\nname = "heir"\nword_storage_from = 4096\n')
    assert load_target(str(heir)).content == old.content
    heir.write_text('inherits = "avx512ifma"\nname = "heir"\nrests = 1\nword_storage_from = 2\n')
    with pytest.raises(MomagenError, match="word_storage_from without rests, its old name"):
        load_target(str(heir))


def test_no_file_of_the_repository_has_an_old_key() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for path in folder("targets").glob("*.toml"):
            load_target(path.stem)


def test_files_that_momagen_wrote_are_read_without_a_warning(tmp_path: Path) -> None:
    kernel = mg.ntt(64, bits=128, target="avx2", limbs="full")
    path = kernel.save(tmp_path) / f"{kernel.name}.json"
    raw = json.loads(path.read_text())
    raw["spec"]["options"] = {"digits": raw["spec"]["options"]["limbs"]}
    path.write_text(json.dumps(raw))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mg.load(path).spec == kernel.spec
        assert current({"digits": "slack", "unroll": "2"}) == {"limbs": "reduced", "unroll": "2"}
        row = parse_row(_wisdom({"paired": "yes"}, {"storage": "digits"}), "row 1", path)
    assert row.given == {"interleave_butterflies": "yes"} and row.options == {"storage": "limbs"}
    assert replace(row, given={}) == replace(parse_row(_wisdom({}, {"storage": "limbs"}), "row 1", path), given={})


def _wisdom(given: dict[str, str], options: dict[str, str]) -> dict[str, object]:
    spread = {"median": 1.1, "low": 1.0, "high": 1.2, "count": 9}
    return {
        "kernel": "ntt", "modulus_bits": 124, "n": 64, "columns": 1, "inverse": False, "negacyclic": False,
        "order": "bitrev", "target": "avx2", "given": given, "modulus": "", "cpu": "one", "compiler": "gcc",
        "options": options, "by": "gcc", "ratio": spread, "unit": "ns", "default": 2.0, "tuned": 1.0, "momagen": "1",
    }  # fmt: skip
