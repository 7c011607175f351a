"""Whole outputs, letter by letter: few and small. ``pytest tests/golden --update-golden`` writes them anew."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path

import pytest

import momagen as mg
from momagen.emit import generate
from momagen.explain import operation
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.options.declared import OptionFields
from momagen.kinds.parameter import parameters_of
from momagen.kinds.registry import kinds
from momagen.targets import load_target

HERE = Path(__file__).parent

OUTPUTS: dict[str, Callable[[], str]] = {
    "explain_addmod_128_c64.txt": lambda: operation("addmod", 128, load_target("c64"), {"compare": "less"}, 128).text(),
    "explain_ct_128_c.txt": lambda: operation("ct", 128, load_target("c")).text(),
    "ntt4_60b_c64.c": lambda: generate(make_spec("ntt", n=4, bits=64, target="c64")).source,
}


def declared_names() -> str:
    """Return the names of all declared parameters: in requests, in Python and keys, and on the command line."""
    makers = {kind.maker: kind for kind in kinds().values() if kind.maker in mg.__all__}
    rows = [(name, each.field, each.name, each.flag, each.param.role.name.lower())
            for name, kind in sorted(makers.items()) for each in kind.parameters.values()]  # fmt: skip
    rows += [("option", each.field, each.name, each.flag, each.param.role.name.lower())
             for each in parameters_of(OptionFields).values()]  # fmt: skip
    return "".join(f"{' '.join(row)}\n" for row in rows)


OUTPUTS["parameters.txt"] = declared_names


@pytest.mark.parametrize("name", OUTPUTS)
def test_output_is_what_it_was(name: str, request: pytest.FixtureRequest) -> None:
    file, now = HERE / name, OUTPUTS[name]()
    if request.config.getoption("--update-golden"):
        file.write_text(now, encoding="utf-8")
    was = file.read_text(encoding="utf-8")
    difference = difflib.unified_diff(was.splitlines(), now.splitlines(), name, "now", lineterm="")
    assert was == now, "\n".join([*difference, "if it is meant: pytest tests/golden --update-golden"])
