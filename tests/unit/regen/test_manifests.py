"""Manifests of generated kernels: any kind with its own parameters, and one error that names the set and the key."""

from __future__ import annotations

from pathlib import Path

import pytest

from momagen.errors import MomagenError
from momagen.regen.kernels import specifications

GOOD = """
[[set]]
kind = ["ntt", "polymul"]
n = 16
bits = [32, 64]
target = ["c", "avx2"]

[[set]]
kind = ["convert"]
moduli = [97, 101, 103]
to = [107, 109]
target = ["c"]
"""
WRONG = {
    'kind = "ntt"\ntarget = ["c"]': "set 1, kind: expected a list, got 'ntt'",
    'kind = ["nttt"]\ntarget = ["c"]': "set 1, kind: did you mean ntt? Expected one of the kinds ntt, ",
    'kind = ["ntt"]\nn = 16\nbits = [64]': "expected the keys target",
    'kind = ["ntt"]\nn = 8\nbits = [64]\ntarget = ["c"]\nx = 3': "set 1, x: expected only the parameters of ntt",
    'kind = ["convert"]\nmoduli = 3\nmodulus_bits = 30\ntarget = ["c"]': "set 1, to: `to` is missing; specify `to`",
    'kind = ["ntt"]\nn = 15\nbits = [64]\ntarget = ["c"]': "set 1, n: expected a power of two",
}


def manifest(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "manifest.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_combination_of_the_lists_is_a_kernel(tmp_path: Path) -> None:
    found = specifications(manifest(tmp_path, GOOD))
    assert len({spec.name for spec in found}) == 2 * 2 * 2 + 1
    assert found[-1].moduli == (97, 101, 103)


@pytest.mark.parametrize("row", WRONG)
def test_a_wrong_set_is_refused(row: str, tmp_path: Path) -> None:
    with pytest.raises(MomagenError) as refused:
        specifications(manifest(tmp_path, f"[[set]]\n{row}\n"))
    assert WRONG[row] in str(refused.value) and "\n" not in str(refused.value)
