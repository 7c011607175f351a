"""Tuned values of a target for the cores of one family."""

from __future__ import annotations

import pickle
from dataclasses import fields
from pathlib import Path

import pytest

import momagen as mg
from momagen.errors import MomagenError
from momagen.runtime import native
from momagen.runtime.features import parse_model
from momagen.targets import Target, load_target, shipped

TUNED = "avx512ifma:golden_cove"
INTEL = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\nmodel name\t: x\n\nmodel\t: 1\n"


def differing(one: Target, other: Target) -> set[str]:
    """Return the names of the fields in which two targets differ."""
    return {each.name for each in fields(one) if getattr(one, each.name) != getattr(other, each.name)}


def test_a_family_changes_its_keys_only() -> None:
    plain, tuned = load_target("avx512ifma"), load_target(TUNED)
    values = plain.cores["golden_cove"].values
    assert values and differing(plain, tuned) - {"requested"} == values.keys()
    assert all(getattr(tuned, key) == value for key, value in values.items())
    assert (str(tuned), tuned.name, tuned.untuned, plain.untuned) == (TUNED, "avx512ifma", "avx512ifma", "avx512ifma")
    assert pickle.loads(pickle.dumps(tuned)) is tuned


def test_every_family_loads_and_no_cpu_is_in_two() -> None:
    for target in shipped():
        cpus = [cpu for family in target.cores.values() for cpu in family.cpus]
        assert len(cpus) == len(set(cpus))
        for name in target.cores:
            assert load_target(f"{target}:{name}").untuned == str(target)


def test_native_is_tuned_for_this_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "missing_features", lambda needed: [])
    for cpu, expected in (("GenuineIntel 6 143", TUNED), ("GenuineIntel 6 85", "avx512ifma"), ("", "avx512ifma")):
        monkeypatch.setattr(native, "cpu_model", lambda cpu=cpu: cpu)
        assert native.named(["native"])[0] == expected == str(native.tuned(load_target("avx512ifma")))


def test_the_model_of_a_cpu() -> None:
    assert parse_model(INTEL) == "GenuineIntel 6 207"
    assert parse_model(INTEL.replace("vendor_id", "vendor")) == parse_model("") == ""


def test_a_tuned_transform_stores_words_sooner() -> None:
    plain, tuned = (mg.explain("ntt", n=1 << 15, modulus_bits=124, target=each).plan for each in ("avx512ifma", TUNED))
    assert plain.passes[0].writes != tuned.passes[0].writes


@pytest.mark.compiles
def test_a_tuned_kernel_is_verified_and_saved(tmp_path: Path) -> None:
    kernel = mg.ntt(1 << 15, modulus_bits=124, target=TUNED)
    assert kernel.verify().ok and kernel.name == "ntt32768_124b_avx512ifma_golden_cove"
    kernel.save(tmp_path)
    assert mg.load(tmp_path / f"{kernel.name}.json").source == kernel.source


def own(folder: Path, text: str) -> str:
    """Return the path of a target file with the text that inherits avx2."""
    path = folder / "mine.toml"
    path.write_text(f'inherits = "avx2"\nname = "mine"\n{text}', encoding="utf-8")
    return str(path)


def test_families_of_a_file_are_its_own(tmp_path: Path) -> None:
    path = own(tmp_path, '[cores.mine]\ncpus = ["AuthenticAMD 25 17"]\nahead = 64\ntiles.forward = [1, 3]')
    tuned = load_target(f"{path}:mine")
    assert (tuned.ahead, tuple(tuned.tiles["forward"]), tuned.untuned) == (64, (1, 3), path)
    assert tuned.tiles.keys() == load_target("avx2").tiles.keys()
    heir = tmp_path / "heir.toml"
    heir.write_text('inherits = "mine.toml"\nname = "heir"\n', encoding="utf-8")
    assert load_target(str(heir)).cores == {} and load_target(str(heir)).ahead == load_target("avx2").ahead


ROW = '[cores.mine]\ncpus = ["AuthenticAMD 25 17"]\n'
WRONG = {
    '[cores.mine]\nahead = 64': "cpus: expected CPUs such as",
    '[cores.mine]\ncpus = []': "cpus: expected CPUs such as",
    '[cores.mine]\ncpus = ["Zen 4"]': "vendor, family and model",
    '[cores]\nmine = 3': "expected a table",
    '[cores.Mine]\ncpus = ["AuthenticAMD 25 17"]': "lower-case letters",
    '[cores.proxy]\ncpus = ["AuthenticAMD 25 17"]': "lower-case letters",
    ROW + "lanes = 8": "only cpus and the keys ahead",
    ROW + "ahead = -1": "an integer from 0",
    ROW + 'ahead = "far"': "expected an integer",
}


@pytest.mark.parametrize("text", WRONG)
def test_an_invalid_family_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(MomagenError, match=WRONG[text]):
        load_target(f"{own(tmp_path, text)}:mine")


UNKNOWN = {
    "avx512ifma:zen9": "expected one of avx512ifma's core families golden_cove, got zen9",
    "avx512:golden_cove": "`avx512` has no core families; use `avx512`",
    "avx512ifma:": "a target such as c,",
}
"""Targets that do not exist, and parts of their errors."""


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_family_is_refused(name: str) -> None:
    with pytest.raises(MomagenError, match=UNKNOWN[name]):
        load_target(name)
