"""docs/guides/python.md: its samples run, in order, and say what they say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "python.md"


@pytest.mark.thorough
def test_the_samples_run() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    blocks = list(re.finditer(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    names: dict[str, Any] = {}
    for block in blocks:
        line = text[: block.start(1)].count("\n")
        exec(compile("\n" * line + block[1], str(GUIDE), "exec"), names)  # errors name the guide's line
    assert len(blocks) >= 7
