"""Comments of generated functions are sentences that say what a function does."""

from __future__ import annotations

import ast
import re

import pytest

from momagen.program.notation import texts

BEGINNING = re.compile(r"(Computes|Converts|Copies|Fills|Prefetches|Processes|Rearranges|Replaces|Returns|Sets|Stores|"
                       r"Transposes|Writes|t and s are scratch memory)\b")  # fmt: skip
"""How the first sentence begins: with a verb, or with the scratch memory that a transform needs."""
COMMENTED = {
    name: row["text"] for name, row in texts().items() if re.search(r'^ *"', row.get("text", ""), re.MULTILINE)
}


def strings(text: str) -> list[str]:
    """Return the parts of the comment in the text of a function, in order."""
    found = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Expr))
    parts = [node for node in found if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)]
    return [str(ast.literal_eval(node.value)) for node in sorted(parts, key=lambda node: node.lineno)]


@pytest.mark.parametrize("name", COMMENTED)
def test_a_comment_begins_with_a_verb(name: str) -> None:
    assert BEGINNING.match(strings(COMMENTED[name])[0])


@pytest.mark.parametrize("name", COMMENTED)
def test_a_comment_names_code_as_c_libraries_do(name: str) -> None:
    assert "``" not in "".join(strings(COMMENTED[name]))
