"""Element-wise kernels must free all memory; a kernel that leaks memory is refused with the expected reason."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from support import proofs

pytest.importorskip("pycparser")

WRONG = tomllib.loads(Path(__file__).with_name("wrong_lifetimes.toml").read_text(encoding="utf-8"))["wrong"]


@pytest.mark.parametrize("wrong", [pytest.param(wrong, id=wrong["name"]) for wrong in WRONG])
def test_a_kernel_that_leaves_memory_is_not_proven(wrong: dict[str, Any], tmp_path: Path) -> None:
    text = proofs.edited("vsub", 20, *map(tuple, wrong["edits"]))
    assert wrong["problem"] in proofs.problem_of("vsub", 20, text, tmp_path)
