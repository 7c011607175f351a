"""The first comment of a file claims a verification only after one that passed, and says how to verify otherwise."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

import momagen as mg
from momagen.api.native import resolved
from momagen.cli import main
from momagen.clib.files import MANIFEST, manifest
from momagen.regen import kernels as regen
from momagen.verify import Report
from momagen.verify.report import Mismatch

pytestmark = pytest.mark.compiles

CLAIMED = "Verified against gmpy2"
SMALL = {"c": 16, "c64": 16, "avx2": 16, "cuda": 16, "jax": 16, "python": 16, "b512": 1024}
PASSED = Report("k", 1, (), {"definition": 1}, (3,), (), 0.0)
FAILED = replace(PASSED, mismatch=Mismatch("definition", "0", "0x3", 0, "0x1", "0x2"))


def claiming(texts: Mapping[str, str]) -> list[str]:
    """Return the names of the texts that claim a verification."""
    return sorted(name for name, text in texts.items() if CLAIMED in text)


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("target", SMALL)
def test_what_was_only_generated_says_how_to_verify_it(target: str, tmp_path: Path) -> None:
    kernel = mg.ntt(SMALL[target], modulus_bits=60 if target != "b512" else 124, target=target)
    texts = contents(kernel.save(tmp_path))
    assert not claiming(texts)
    commented = [text for name, text in texts.items() if not name.endswith(".json")]
    commands = {command for text in commented for command in re.findall("`(momagen verify [^`]*)`", text)}
    named = [command.split()[2] for command in commands if len(command.split()) == 3]
    assert named and all((tmp_path / name).is_file() and name != f"{kernel.name}.json" for name in named)


def test_the_command_in_the_comment_verifies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = mg.blas("vadd", bits=64)
    kernel.save(tmp_path)
    monkeypatch.chdir(tmp_path)
    found = re.search("run `momagen ([^`]*)`", kernel.source)
    assert found and main(found[1].split()) == 0


def test_a_verification_that_passed_is_claimed_and_one_that_failed_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, before = mg.blas("vadd", bits=64), mg.blas("vadd", bits=64)
    for report, claimed in ((PASSED, True), (FAILED, False), (PASSED, True)):
        monkeypatch.setattr("momagen.kinds.modular.kinds.modular_kind.verify", lambda *_, report=report, **__: report)
        kernel.verify()
        assert [CLAIMED in text for text in (kernel.source, kernel.header)] == [claimed] * 2
    kernel.generated = replace(kernel.generated, source=before.source, header=before.header)
    other = kernel.with_modulus(97)
    other.verify()
    assert CLAIMED not in other.source, "the comment names another modulus than the one that was verified"


def test_no_verify_claims_nothing_and_verify_claims_with_the_same_bytes(tmp_path: Path) -> None:
    asked = ["blas", "vadd", "--bits", "64", "--no-bench", "--json", "--output"]
    for name, more in (("plain", ["--no-verify"]), ("one", []), ("two", [])):
        assert main([*asked, str(tmp_path / name), *more]) == 0
    plain, one, two = (contents(tmp_path / name) for name in ("plain", "one", "two"))
    assert not claiming(plain) and claiming(one) == ["vadd_60b_c.c", "vadd_60b_c.h"] and one == two
    again = mg.load(tmp_path / "one")
    assert CLAIMED in again.source, "the text of a saved kernel is taken as it stands"


def test_regenerated_files_claim_nothing_as_they_are_not_verified() -> None:
    assert not claiming(regen.files(resolved("vadd", bits=64)))
    assert not claiming(contents(Path(__file__).parents[3] / "generated"))


def test_a_library_claims_for_the_kernels_that_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = ["rescale:moduli=2,modulus_bits=50,name=one", "keyswitch:moduli=1,modulus_bits=50,name=other"]
    made = mg.library("lib", ["vadd:bits=64", "vsub:bits=64", *rows], targets=["c64"])
    one = made.files["src/lib_vadd_60b_c64.c"]
    assert not claiming(made.files) and "run `momagen lib lib.toml --output DIR`" in one and "momagen verify" not in one
    reports = {"lib_vadd_60b_c64": PASSED, "lib_vsub_60b_c64": FAILED}
    monkeypatch.setattr("momagen.kinds.modular.kinds.modular_kind.verify", lambda kernel, **_: reports[kernel.name])
    monkeypatch.setattr("momagen.api.kernel.Kernel.compile", lambda *_: None)
    monkeypatch.setattr("momagen.kinds.rns.rescale.RescaleKind.verify", lambda *_, **__: PASSED)
    monkeypatch.setattr("momagen.kinds.rns.keyswitch.KeySwitchKind.verify", lambda *_, **__: FAILED)
    made.verify()
    assert claiming(made.files) == [f"src/lib_{name}_c64.{end}" for name in ("one", "vadd_60b") for end in ("c", "h")]
    assert made.files[MANIFEST] == manifest({path: text for path, text in made.files.items() if path != MANIFEST})


@pytest.mark.parametrize("name", ["hexl", "rns"])
def test_packages_claim_what_their_library_does(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from momagen.hexl import package

    if name == "rns":
        monkeypatch.setattr(import_module("momagen.rns_context.package"), "verify_context", lambda *_, **__: PASSED)
        monkeypatch.setattr("momagen.kinds.rns.rows.RowsKind.verify", lambda *_, **__: PASSED)
        made = mg.rns_context("fhe", max_n=8, modulus_bits=28, targets=["c"])
    else:
        made = package(["c"], max_n=8)
    assert not claiming(made.files)
    monkeypatch.setattr("momagen.kinds.modular.kinds.modular_kind.verify", lambda *_, **__: PASSED)
    monkeypatch.setattr("momagen.api.kernel.Kernel.compile", lambda *_: None)
    made.verify()
    found = claiming(made.files)
    assert found and all(path.startswith("kernels/src/") for path in found)
    assert made.files[MANIFEST] == manifest({path: text for path, text in made.files.items() if path != MANIFEST})


@pytest.mark.parametrize("made", [
    lambda: mg.convert([193, 97], to=[257]), lambda: mg.rescale([193, 257, 97]),
    lambda: mg.keyswitch([193, 97]), lambda: mg.moddown([193, 97]),
    lambda: mg.convert([193, 97], to=[257], target="jax"), lambda: mg.matmul([[1, 2]], modulus=97),
], ids=["convert", "rescale", "keyswitch", "moddown", "convert on jax", "matmul"])  # fmt: skip
def test_kernels_on_rows_and_matrices_claim_likewise(
    made: Callable[[], mg.Kernel], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = made()
    assert not claiming(kernel.files)
    texts = (kernel.source, kernel.header) if kernel.header else (kernel.source,)
    assert all("run the command above, which compares the kernel with gmpy2" in text for text in texts)
    monkeypatch.setattr(type(kernel.kind), "verify", lambda *_, **__: FAILED)
    assert not kernel.verify() and not claiming(kernel.files)
    monkeypatch.setattr(type(kernel.kind), "verify", lambda *_, **__: PASSED)
    assert kernel.verify() and claiming(contents(kernel.save(tmp_path / "a" / "b"))) == sorted(kernel.files)


def test_commands_of_kernels_on_rows_make_the_same_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One modulus of a result is a list of one, not a count."""
    kernels = [mg.convert([193, 97], to=[257], exact=False, threads=2), mg.matmul([[1, 2]], modulus=97, sums="barrett")]
    for kernel in kernels:
        line = kernel.spec.command().split()[1:]
        assert main([*line, "--no-verify", "--no-bench", "--json", "--output", str(tmp_path)]) == 0
        names = [*kernel.files, f"{kernel.name}.json"]
        assert set(json.loads(capsys.readouterr().out)["files"]) == {str(tmp_path / name) for name in names}
        assert {name: (tmp_path / name).read_text(encoding="utf-8") for name in kernel.files} == kernel.files
