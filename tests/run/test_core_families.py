"""docs/guides/tuning.md: a target file has the tuned values of a core family, and kernels use them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import momagen as mg
from momagen.targets import load_target

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "guides" / "tuning.md").read_text(encoding="utf-8")
(SAMPLE,) = re.findall(r"^```toml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture
def family(tmp_path: Path) -> str:
    path = tmp_path / "family.toml"
    path.write_text(SAMPLE, encoding="utf-8")
    return f"{path}:zen2"


def test_the_shipped_target_has_the_same_values(family: str) -> None:
    assert load_target(family).cores == load_target("c:zen2").cores


def body(kernel: mg.Kernel) -> str:
    """Return the source without the comment in front and without the kernel's name."""
    return kernel.source.partition("*/")[2].replace(kernel.name, "").replace(kernel.name.upper(), "")


@pytest.mark.parametrize("inverse", [False, True])
def test_kernels_take_the_values_of_the_family(family: str, inverse: bool) -> None:
    kernel, plain = (mg.ntt(256, modulus_bits=60, target=target, inverse=inverse) for target in (family, "c"))
    assert kernel.verify().ok
    assert body(kernel) == body(mg.ntt(256, modulus_bits=60, target="c", inverse=inverse, radix=8)) != body(plain)
    assert body(mg.ntt(256, modulus_bits=60, target=family, inverse=inverse, radix=4)) == body(plain)


def test_longer_residues_go_as_registers_allow(family: str) -> None:
    assert tomllib.loads(SAMPLE)["cores"]["zen2"]["radix"] == {"1": 8}
    assert [load_target(family).radix_for(words) for words in (1, 2)] == [8, 0]
    assert body(mg.ntt(256, modulus_bits=124, target=family)) == body(mg.ntt(256, modulus_bits=124, target="c"))
