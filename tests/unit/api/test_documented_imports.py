"""Documentation and notebooks import the public API only, except pages about extending momagen's internals."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import momagen as mg
import momagen.he

ROOT = Path(__file__).resolve().parents[3]
PUBLIC = {"momagen": set(mg.__all__), "momagen.he": set(momagen.he.__all__)}
"""The packages that users import from, with the names that they may import."""
INTERNAL = {
    "add-a-language.md", "add-a-rule.md", "architecture.md", "limb-representations.md", "propose-an-instruction.md",
}  # fmt: skip
"""Pages about internals: how to extend them, or how they work."""
PAGES = {
    page.relative_to(ROOT).as_posix(): page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "docs").rglob("*.ipynb")))
}


def code_of(page: Path) -> Iterator[str]:
    """Yield the Python of a page: its fenced blocks, or the cells of a notebook."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        yield from ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    else:
        yield from re.findall(r"^ *```py(?:thon)?\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)


def internal_imports(code: str) -> Iterator[str]:
    """Yield every import of momagen that no user should need."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            modules = [each.name for each in node.names]
            yield from (name for name in modules if name.startswith("momagen.") and name not in PUBLIC)
        elif isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("momagen."):
            public = PUBLIC.get(str(node.module), set())
            yield from (f"{node.module}.{each.name}" for each in node.names if each.name not in public)


@pytest.mark.parametrize("page", PAGES)
def test_users_need_the_public_api_only(page: str) -> None:
    found = [name for code in code_of(PAGES[page]) for name in internal_imports(code)]
    assert bool(found) == (Path(page).name in INTERNAL), found


def test_an_internal_import_is_found() -> None:
    code = "import momagen.plan, momagen as mg\nfrom momagen.explain import operation\nfrom momagen import ntt, lower"
    assert list(internal_imports(code)) == ["momagen.plan", "momagen.explain.operation", "momagen.lower"]
    assert len(PAGES) > 30 and sum(page.endswith(".ipynb") for page in PAGES) == 3
