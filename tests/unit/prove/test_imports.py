"""The prover shares no code with the generator whose results it proves."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[3] / "momagen" / "prove"
GENERATOR = {"rewrite", "lower", "kernels", "plan", "emit", "ir", "formula", "program"}
"""The packages that generate kernels. The prover may import none of them."""


def imported(text: str, depth: int) -> set[str]:
    """Return the packages of momagen that a file imports, anywhere in it.

    Args:
        text: The file.
        depth: The number of folders between momagen and the file.
    """
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level > depth:
            found |= {f"momagen.{node.module or alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__", "on_call")):
            found |= {str(arg.value) for arg in node.args if isinstance(arg, ast.Constant)}
    return {name.split(".")[1] for name in found if name.startswith("momagen.")}


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_the_prover_imports_nothing_of_the_generator(path: Path) -> None:
    assert not imported(path.read_text(encoding="utf-8"), len(path.relative_to(PACKAGE).parts)) & GENERATOR


@pytest.mark.parametrize(
    "text",
    [
        "import momagen.rewrite.rules",
        "from momagen.ir import OPS",
        "from momagen import plan",
        "def f():\n    from momagen.lower.words import x",
        "from ..emit import text",
        "import importlib\nimportlib.import_module('momagen.kernels')",
    ],
)
def test_imports_of_the_generator_are_found(text: str) -> None:
    assert imported(text, 1) & GENERATOR


NUMBERS = ("numbers/parts", "numbers/sample", "numbers/structure")
SUGGEST = ("search", "collapse", *NUMBERS, "rules/linear", "rules/simplex")
"""The modules that only suggest steps of a proof."""


@pytest.mark.parametrize("name", SUGGEST)
def test_a_module_that_suggests_steps_states_no_facts(name: str) -> None:
    tree = ast.parse((PACKAGE / f"{name}.py").read_text(encoding="utf-8"))
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    stated = {call.attr for call in calls if isinstance(call, ast.Attribute)} & {"state", "integer"}
    built = {call.id for call in calls if isinstance(call, ast.Name)} & {"Equal", "Bounds", "Impossible"}
    assert not stated and not built
