"""Lowering reads schedules: the planners that it still imports are listed here, and the list may only shrink."""

from __future__ import annotations

import ast
from pathlib import Path

import momagen

PLANNERS = {"depth_first", "digit_plan", "engines", "matrix_plan", "step_plan", "ways"}
"""The modules of ``momagen.plan`` outside of ``momagen.plan.schedule`` that lowering imports."""


def test_lowering_imports_few_planners() -> None:
    found = set[str]()
    for path in (Path(momagen.__file__).parent / "lower").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("momagen.plan"):
                found.add(str(node.module).removeprefix("momagen.plan."))
    assert {name for name in found if not name.startswith("schedule.")} == PLANNERS
