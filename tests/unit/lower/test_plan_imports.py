"""Lowering reads schedules, and imports nothing else from the planners."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import momagen

SCHEDULE = "momagen.plan.schedule"


@pytest.mark.parametrize("package", ["lower", "rpu"])
def test_lowering_imports_schedules_only(package: str) -> None:
    found = set[str]()
    for path in (Path(momagen.__file__).parent / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("momagen.plan"):
                found.add(str(node.module))
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "on_call":
                found.update(str(ast.literal_eval(each)) for each in node.args[:1])
    planned = {name for name in found if name.startswith("momagen.plan")}
    assert planned and all(name.startswith(f"{SCHEDULE}.") for name in planned)
