"""Targets that propose instructions: how their files are read, and that proxies never pass for kernels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import momagen as mg
from momagen.bench.measure.built import build
from momagen.cli import main
from momagen.emit import generate
from momagen.errors import MomagenError
from momagen.ir import OPS
from momagen.kinds.modular.make_spec import make_spec
from momagen.runtime.native import candidates, in_c
from momagen.targets import load_target, names
from momagen.verify import verify

VARIANTS = [name for name in names() if load_target(name).instructions]
MQX = 'inherits = "mqx"\nname = "own"\ntitle = "a test"\n'


def own(folder: Path, text: str, name: str = "own") -> str:
    path = folder / f"{name}.toml"
    path.write_text(MQX.replace("own", name) + text, encoding="utf-8")
    return str(path)


def test_what_mqx_is() -> None:
    mqx, parent = load_target("mqx"), load_target("avx512")
    assert {each.mnemonic for each in mqx.instructions.values()} == {"vpmulwq", "vpadcq", "vpsbbq"}
    assert not mqx.real and not mqx.tiles and "mulhalf" not in mqx.ops and parent.real and "mulhalf" in parent.ops
    assert mqx.features == (*parent.features, "mqx"), "no CPU has it, so that it is emulated everywhere"


@pytest.mark.parametrize("name", VARIANTS)
def test_both_builds(name: str) -> None:
    emulated, proxy = load_target(name), load_target(f"{name}:proxy")
    assert emulated.results == "right" and proxy.results == "wrong" and proxy.proxy
    assert set(emulated.ops) == set(proxy.ops) and emulated.timed_build is proxy
    assert name in emulated.features and name not in proxy.features


def test_proposals_are_no_targets_to_use() -> None:
    assert not {*VARIANTS, "avx512dq", "avx2_words"} & {*map(str, [*in_c(), *candidates()])}


def test_a_row_is_left_out_and_a_header_added(tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("/* mine */\n", encoding="utf-8")
    found = load_target(own(tmp_path, 'header = "own.h"\n[instructions]\nmul = false\n[ops]\nmullo = false\n'))
    assert "mul" not in found.instructions and "mullo" not in found.ops and "mul" not in found.ops
    assert [text.splitlines()[0] for text in found.front] == ['#line 1 "mqx.h"', '#line 1 "own.h"']


def test_a_parent_is_a_file(tmp_path: Path) -> None:
    own(tmp_path, "[instructions]\nmul = false\n", "first")
    second = tmp_path / "second.toml"
    second.write_text('inherits = "first.toml"\nname = "second"\ntitle = "a test"\n', encoding="utf-8")
    assert "mul" not in load_target(str(second)).instructions


BROKEN = {
    'header = "../mqx.h"': "a file in the folder of the target file",
    'header = "none.h"': "the file none.h in the folder of own.toml cannot be read (No such file",
    "[ops]\nnever = false": "expected `false` only for the inherited rows",
    '[instructions.addlo]\nemulation = "x"': "expected both keys `emulation` and `proxy`, got no `proxy`",
    '[instructions.addlo]\nproxy = "x"': "expected both keys `emulation` and `proxy`, got no `emulation`",
    '[instructions.addlo]\nemulation = "x"\nproxy = "y"\nspeed = "z"': "only the keys emulation, proxy, mnemonic, got",
    '[instructions.addlo]\nemulation = "x"\nproxy = 3': 'strings as values, or a proxy { c = "STATEMENT" }, got',
    '[instructions.addlo]\nemulation = "{q}"\nproxy = "y"': "expected only the placeholders {a}, ",
    '[instructions.nothing]\nemulation = "x"\nproxy = "y"': "one of momagen's operations, or one that [operations]",
    '[operations.addlo]\nargs = "a b: ww → w"\nmeans = "c = a"': "a name that no other operation has",
    '[operations.odd]\nargs = "a b: ww → w"\nmeans = "c = a +"': "odd",
    '[operations.odd2]\nargs = "a b"\nmeans = "c = a"': "names and kinds of arguments",
    '[[rule]]\nname = "r"\nfrom = "c = a + b"\nto = "[h, c] = a · b"\nwhy = "w"': "so that rewriting ends",
}


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_file_says_what_is_wrong(text: str, tmp_path: Path) -> None:
    with pytest.raises(MomagenError, match=r"own\.toml") as caught:
        load_target(own(tmp_path, text))
    assert BROKEN[text] in str(caught.value) and "\n" not in str(caught.value)


def test_an_operation_means_one_thing(tmp_path: Path) -> None:
    text = '[operations.twice]\nargs = "a: w → w"\nmeans = "c = (a + {}) mod 2^w; 0 ≤ c < 2^w"\n'
    load_target(own(tmp_path, text.format("a"), "one"))
    load_target(own(tmp_path, text.format("a"), "two"))
    assert OPS["twice"].meaning(8, 0, 200) == (144,)
    with pytest.raises(MomagenError, match="no other operation has"):
        load_target(own(tmp_path, text.format("1"), "three"))
    del OPS["twice"]


# Proxies are no kernels -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", [
    lambda: mg.ntt(64, bits=128, target="mqx:proxy"),
    lambda: mg.blas("vmul", bits=128, target="mqx:proxy"),
    lambda: mg.library("lib", ["vadd:bits=64"], targets=["c", "mqx:proxy"]),
    lambda: mg.tune("ntt", n=64, bits=128, target="mqx:proxy"),
])  # fmt: skip
def test_python_refuses_them(call: object) -> None:
    with pytest.raises(MomagenError, match="is a proxy build, whose results are incorrect by design") as caught:
        call()  # type: ignore[operator]
    assert "momagen isa compare" in str(caught.value)


@pytest.mark.parametrize("command", [
    "ntt --n 64 --bits 128 --target mqx:proxy", "blas vmul --bits 128 --target mqx:proxy",
    "tune ntt --n 64 --bits 128 --target mqx:proxy", "lib vadd:bits=64 --targets mqx:proxy --output x",
    "explain ntt --n 64 --target mqx:proxy", "bench --sweep --bits 64 --n 64 --target mqx:proxy",
])  # fmt: skip
def test_the_command_line_refuses_them(command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path,
                                       monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(command.split()) == 2
    assert "`mqx:proxy` is a proxy build" in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_a_saved_one_is_refused(tmp_path: Path) -> None:
    kernel = mg.blas("vadd", bits=128, target="mqx")
    kernel.save(tmp_path)
    (described,) = tmp_path.glob("*.json")
    data = json.loads(described.read_text(encoding="utf-8"))
    data["spec"]["target"] = "mqx:proxy"
    described.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(MomagenError, match="`mqx:proxy` is a proxy build"):
        mg.load(tmp_path)


@pytest.mark.compiles
def test_they_are_neither_verified_nor_regenerated(tmp_path: Path) -> None:
    with pytest.raises(MomagenError, match="`mqx:proxy` is a proxy build"):
        verify(build(make_spec("vadd", bits=128, target="mqx:proxy")))
    manifest = '[[set]]\nkind = ["vadd"]\nbits = [128]\ntarget = ["mqx:proxy"]\n'
    (tmp_path / "manifest.toml").write_text(manifest, encoding="utf-8")
    assert main(["regen", "--output", str(tmp_path)]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.toml"]


def test_their_text_says_so() -> None:
    source = generate(make_spec("vadd", bits=128, target="mqx:proxy"))
    assert "RESULTS ARE INVALID BY DESIGN" in source.source and "Verified against" not in source.source
    assert "Never verified, because its results are wrong by design" in source.source
    assert source.name.endswith("mqx_proxy")
    right = generate(make_spec("vadd", bits=128, target="mqx"))
    assert "INVALID" not in right.source and "run `momagen verify vadd_124b_mqx.c`" in right.source


def test_proposals_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["targets", "mqx"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "vpmulwq, proposed: mqx_mul(" in shown and "proxy: vpmullq" in shown
    assert main(["targets", "--json"]) == 0
    told = {row["name"]: row["purpose"] for row in json.loads(capsys.readouterr().out)}
    assert told["mqx"] == "comparison" and told["c"] == "kernels"
