"""Targets as objects: the text by which each was requested, its related targets, and how it is pickled."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

import momagen as mg
from momagen.api.manifest import manifest
from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec
from momagen.targets import load_target, names
from momagen.targets.read import MOST_LOADED


def own(folder: Path, text: str = "") -> str:
    """Return the path of a target file that inherits avx2."""
    path = folder / "mine.toml"
    path.write_text(f'inherits = "avx2"\nname = "mine"\n{text}', encoding="utf-8")
    return str(path)


def test_the_text_of_a_target_is_the_one_by_which_it_was_requested(tmp_path: Path) -> None:
    path = own(tmp_path)
    for text, name in ((path, "mine"), ("avx2", "avx2"), ("mqx:proxy", "mqx_proxy")):
        target = load_target(text)
        assert (target.requested, str(target), f"{target}", target.name) == (text, text, text, name)
        assert repr(target) == f"<target {text}>" and f"name='{name}'" in target.content
    assert path not in load_target(path).content, "digests of targets do not depend on their folder"


def test_a_specification_holds_the_target_and_its_texts_state_the_request(tmp_path: Path) -> None:
    path = own(tmp_path)
    spec, same = (make_spec("ntt", n=64, bits=64, target=target) for target in (path, load_target(path)))
    assert spec == same and spec.target is load_target(path)
    assert spec.name.endswith("_mine") and spec.command().endswith(f"--target {path}")
    assert json.loads(manifest(mg.ntt(64, bits=64, target=path).generated))["spec"]["target"] == path


@pytest.mark.parametrize("name", ["c", "avx2_words16", "mqx:proxy"])
def test_a_pickled_target_is_loaded(name: str) -> None:
    target = load_target(name)
    assert pickle.loads(pickle.dumps(target)) is target
    spec = make_spec("vmul", modulus_bits=14, target=target)
    assert pickle.loads(pickle.dumps(spec)) == spec


def test_a_pickled_target_that_was_not_loaded_keeps_its_fields() -> None:
    changed = replace(load_target("avx2"), requested="", lanes=1)
    copied = pickle.loads(pickle.dumps(changed))
    assert copied.content == changed.content and copied.lanes == 1 and str(copied) == "avx2"


def test_related_targets_are_those_that_the_file_names() -> None:
    for target in map(load_target, names()):
        related = {"host": target.host_target, "inside": target.inside_target, "rows": target.rows_target}
        for key, found in related.items():
            assert found is load_target(getattr(target, key) or target.name), (target, key)
        assert target.of_width(target.word) is target
        assert target.of_width(target.word + 1) is load_target(target.several or target.name)


def test_the_build_that_is_timed_has_proxies() -> None:
    assert load_target("mqx").timed_build is load_target("mqx:proxy")
    assert load_target("mqx:proxy").timed_build is load_target("mqx:proxy")
    assert load_target("avx2").timed_build is load_target("avx2")


def test_narrower_targets_have_more_lanes_and_a_bit_to_spare() -> None:
    avx2 = load_target("avx2")
    words = {16: "avx2_words16", 32: "avx2_words32", 64: "avx2"}
    for bits in range(2, 70):
        fit = next((word for word in words if bits < word), 64)
        assert avx2.narrower(bits) is load_target(words[fit]), bits
    assert load_target("c").narrower(12) is load_target("c"), "a register of c holds one residue of any length"
    assert avx2.narrower(12, "u64") is avx2 and avx2.narrower(16, "u16") is load_target("avx2_words16")
    with pytest.raises(MomagenError, match=r'`layout="u16"` is .* of 17 bits on `avx2`; use u32 or u64'):
        avx2.narrower(17, "u16")
    with pytest.raises(MomagenError, match="layout: did you mean u64"):
        avx2.narrower(17, "u65")


def test_a_changed_file_is_another_target(tmp_path: Path) -> None:
    spec = make_spec("vadd", bits=64, target=own(tmp_path))
    again = make_spec("vadd", bits=64, target=own(tmp_path, 'title = "changed"\n'))
    assert (spec.target.title, again.target.title) == (load_target("avx2").title, "changed") and spec != again


def test_shipped_targets_are_remembered_whatever_else_is_loaded(tmp_path: Path) -> None:
    """Requests compare their targets by identity, so that a kernel equals the same kernel loaded later."""
    first, files = load_target("c"), [tmp_path / f"own{at}.toml" for at in range(MOST_LOADED + 2)]
    for file in files:
        file.write_text(f'inherits = "c"\nname = "{file.stem}"\n')
    loaded = [load_target(str(file)) for file in files]
    assert load_target("c") is first and load_target(str(files[-1])) is loaded[-1]
    assert load_target(str(files[0])) is not loaded[0]
