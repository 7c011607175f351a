"""The functions of ``momagen`` stay functions whatever is imported, in which order; ``explain`` and ``targets``."""

from __future__ import annotations

import json
import subprocess
import sys
from types import ModuleType

import pytest

import momagen as mg
from momagen.cli import main
from momagen.explain import Explanation
from momagen.explain.explained_transform import ExplainedTransform
from momagen.targets import names

ORDERS = {
    "the name first": "import momagen as mg; mg.{0}; import momagen.{0}",
    "the package first": "import momagen.{0}; import momagen as mg",
    "a part of it first": "import momagen.{1}; import momagen as mg",
    "from both": "from momagen import {0}; from momagen.{1} import __name__ as part; import momagen as mg",
    "the package twice": "import sys, momagen.{0}; del sys.modules['momagen.{0}']; import momagen.{0}, momagen as mg",
}
PARTS = {"explain": "explain.counts.tpus", "targets": "targets.read", "tune": "tune.wisdom"}


def test_names_are_functions_whatever_is_imported_first() -> None:
    """One process for each order, as imports are remembered."""
    for order in ORDERS.values():
        lines = [f"{order.format(name, part)}; assert callable(mg.{name}), mg.{name}" for name, part in PARTS.items()]
        found = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True)
        assert found.returncode == 0, found.stderr


@pytest.mark.parametrize("name", [name for name in mg.__all__ if not name.startswith("_")])
def test_a_public_name_is_no_module_and_says_what_it_is_for(name: str) -> None:
    value = getattr(mg, name)
    assert not isinstance(value, ModuleType) and callable(value) and value.__doc__


def test_an_unknown_name_is_an_attribute_error_that_python_can_explain() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nttt'") as error:
        _ = mg.nttt  # type: ignore[attr-defined]
    assert error.value.name == "nttt" and error.value.obj is mg


EXPLAINED: dict[str, dict[str, object]] = {
    "addmod": {"bits": 128, "target": "c64", "compare": "less"}, "vmul": {"modulus": "goldilocks"},
    "ntt": {"n": 64, "modulus_bits": 60, "negacyclic": True, "radix": 4}, "mulmod": {"modulus_bits": 100},
}  # fmt: skip


@pytest.mark.parametrize("operation", EXPLAINED)
def test_explain_is_the_command(operation: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = EXPLAINED[operation]
    words = [(f"--{name.replace('_', '-')}", *[str(value)] * (value is not True)) for name, value in asked.items()]
    told = mg.explain(operation, **asked)  # type: ignore[arg-type]
    assert main(["explain", operation, "--all", *(word for pair in words for word in pair)]) == 0
    assert capsys.readouterr().out.split() == told.text().split()
    assert isinstance(told, ExplainedTransform if operation == "ntt" else Explanation)
    assert "<div" in told._repr_html_() and "<momagen" in repr(told)


@pytest.mark.parametrize(("operation", "asked", "message"), [
    ("mulmd", {}, "mulmod"), ("addmod", {"n": 16}, "`n` applies only to the operation ntt, not to addmod"),
    ("addmod", {"radix": 4}, "`radix` applies only to"), ("vmul", {"quotients": "table"}, "quotients"),
    ("ct", {"modulus": 97, "bits": 64}, "`bits` cannot be combined"), ("add", {"bits": 2.5}, "bits: expected an"),
    ("ntt", {"columns": 0}, "columns"), ("ntt", {"order": ""}, "order"),
])  # fmt: skip
def test_explain_refuses_what_does_not_fit(operation: str, asked: dict[str, object], message: str) -> None:
    with pytest.raises(mg.MomagenError, match=message):
        mg.explain(operation, **asked)  # type: ignore[arg-type]


def test_targets_are_those_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    found = mg.targets()
    assert main(["targets", "--json"]) == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)] == list(found)
    assert sorted(found) == names() and found["c64"].word == 64 and found["c64"].here == "runs"
    assert repr(found).splitlines()[1].split()[0] == next(iter(found)) and "vax" not in found
    assert "<table" in found._repr_html_() and "avx512ifma" in found._repr_html_()
