"""Targets that change the language of their parent, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from momagen.errors import MomagenError
from momagen.languages import LANGUAGES, MachineModel
from momagen.lower.writer import host_of
from momagen.targets import load_target, names


@pytest.mark.parametrize("syntax", LANGUAGES)
@pytest.mark.parametrize("parent", ["c", "avx512ifma", "cuda", "jax", "b512"])
def test_another_language_is_refused(parent: str, syntax: str, tmp_path: Path) -> None:
    if load_target(parent).syntax == syntax:
        return
    path = tmp_path / "x.toml"
    path.write_text(f'name = "x"\ninherits = "{parent}"\nsyntax = "{syntax}"\n')
    with pytest.raises(MomagenError):
        host_of(load_target(str(path)))


def test_the_key_at_fault_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text('name = "x"\ninherits = "c"\nsyntax = "cuda"\n')
    with pytest.raises(MomagenError, match=r"x.toml, threads: expected an integer of at least 1, because"):
        load_target(str(path))


def test_shipped_targets_and_hosts_fit_their_languages() -> None:
    for name in names():
        if (target := load_target(name)).machine is not MachineModel.MODULAR:
            host_of(target)
