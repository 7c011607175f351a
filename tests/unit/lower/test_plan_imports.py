"""Lowering reads schedules: it imports nothing else from the planners, and reads few fields of specifications."""

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


SPEC_READS = {"depth_first.py": 1}
"""The number of expressions that name a specification, by module of the lowering of transforms. Other modules have
none. This one passes it on to the writer of the whole program."""
WITHOUT_SCHEDULES = {
    "arrays/kernels.py", "arrays/products.py", "arrays/program.py", "kernels.py", "lengths.py", "lowered.py",
    "programs.py", "sharing.py", "threads/butterfly.py", "threads/elements.py", "threads/programs.py",
    "threads/writer.py", "transforms.py", "writer.py",
}  # fmt: skip
"""Modules that assemble the program of a kernel, or lower kernels without transforms."""


def test_the_lowering_of_transforms_reads_schedules_instead_of_specifications() -> None:
    lower, found = Path(momagen.__file__).parent / "lower", dict[str, int]()
    for path in sorted(lower.rglob("*.py")):
        name = path.relative_to(lower).as_posix()
        if name in WITHOUT_SCHEDULES or name.startswith(("elementwise/", "rns/")):
            continue
        nodes = [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
        named = [node.id if isinstance(node, ast.Name) else node.attr
                 for node in nodes if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)]
        found |= {name: named.count("spec")} if "spec" in named else {}
    assert found == SPEC_READS, "move what is read into the schedule, or lower the number in this table"
