"""``momagen.supports`` says what happens when a kernel is generated, for all kinds and targets."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from support.own_kind import square  # noqa: F401
from support.tiers import cover

import momagen as mg
from momagen.api.lookup.support_table import support_rows
from momagen.api.native import resolved
from momagen.cli import main
from momagen.emit import generate
from momagen.errors import MomagenError
from momagen.kinds.registry import kinds
from momagen.kinds.support import Support
from momagen.runtime.native import NATIVE
from momagen.targets import load_target, names

pytestmark = pytest.mark.usefixtures("square")
PACKAGE = Path(mg.__file__).parent


class Case(NamedTuple):
    """A kernel, which momagen may support or not."""

    kind: str
    values: Mapping[str, object]
    target: str

    def __str__(self) -> str:
        values = ",".join(f"{name}={value}" for name, value in self.values.items())
        return f"{self.kind}-{values}-{self.target}"


def candidates() -> Iterator[Case]:
    """Yield all kinds with all representative values on all shipped targets."""
    for name, kind in kinds().items():
        for values in ({}, *kind.samples()):
            yield from (Case(name, values, target) for target in names())


def facets(case: Case) -> Iterator[object]:
    """Yield the values, and the kind with the machine and the words of the target."""
    target = load_target(case.target)
    yield str(case.values)
    yield case.target
    yield case.kind, target.machine


def completed(case: Case) -> Mapping[str, object]:
    """Return the values with those of the representative kernel."""
    kind = kinds()[case.kind]
    return kind.command.completed({**kind.sample, **case.values})


def outcome(case: Case) -> str:
    """Return the error of generation, or "" if there is none."""
    try:
        generate(resolved(case.kind, **completed(case), target=case.target))
    except MomagenError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("case", cover("supports", list(candidates()), facets), ids=str)
def test_answers_are_those_of_generation(case: Case) -> None:
    found = mg.supports(case.kind, target=case.target, **completed(case))
    assert found.reason == outcome(case) and bool(found) is not bool(found.reason)


LIMITED: list[tuple[str, dict[str, object], str]] = [
    ("ntt", {"n": 64, "modulus_bits": 60, "coset": 3, "order": "natural"}, "cuda"),
    ("ntt", {"n": 64, "modulus_bits": 60, "threads": 2}, "jax"),
    ("ntt", {"n": 12, "modulus": 97}, "c"),
    ("lde", {"n": 64, "blowup": 2, "modulus_bits": 60, "coset": 1, "input_order": "natural"}, "cuda"),
    ("dot", {"modulus_bits": 60}, "jax"),
    ("vmul", {"modulus_bits": 60, "coset": 3}, "c"),
    ("basemul", {"n": 1024, "modulus_bits": 60}, "b512"),
    ("rescale", {"moduli": 3, "modulus_bits": 50}, "jax"),
    ("convert", {"moduli": [13, 17], "to": [19], "method": "montgomery"}, "jax"),
    ("matmul", {"modulus": 97, "rows": 4, "inner": 4}, "c"),
    ("square", {"n": 64, "modulus_bits": 60}, "cuda"),
]  # fmt: skip


@pytest.mark.parametrize("at", range(len(LIMITED)))
def test_the_reason_is_the_error_of_the_maker(at: int) -> None:
    kind, values, target = LIMITED[at]
    with pytest.raises(MomagenError) as error:
        mg.kernel(kind, target=target, **values)
    found = mg.supports(kind, target=target, **values)
    assert not found and found.reason == str(error.value)


def test_supported_kernels_have_no_reason() -> None:
    assert mg.supports("ntt", n=64, modulus_bits=60, coset=3, target="cuda") == Support()
    assert mg.supports("square", n=64, modulus_bits=60)
    assert mg.supports("ntt", n=64, modulus_bits=60, target=NATIVE)


@pytest.mark.parametrize(("arguments", "text"), [
    ({"kind": "fft"}, "kernel: expected one of the kernels ntt, polymul, "),
    ({"kind": "ntt", "target": "vax"}, "target: expected a target such as "),
    ({"kind": "ntt", "columms": 3}, "parameters: did you mean columns?"),
    ({"kind": 3}, "kind: expected a string, got 3"),
])  # fmt: skip
def test_wrong_names_are_errors(arguments: dict[str, object], text: str) -> None:
    with pytest.raises(MomagenError) as error:
        mg.supports(**arguments)  # type: ignore[arg-type]
    assert str(error.value).startswith(text)


def test_tables_have_every_kind_and_one_row_for_a_kind_that_is_not_supported() -> None:
    rows = list(support_rows(kinds(), ["jax"], options=False))
    assert [*dict.fromkeys(row.kind for row in rows)] == [*kinds()]
    assert [row.kind for row in rows].count("lde") == [row.kind for row in rows].count("square") == 1
    lacking = {(row.kind, row.label): row.answers["jax"].reason for row in rows if not row.answers["jax"]}
    assert lacking["ntt", "coset=3"] == "`coset` is not available on jax; use a target such as c or cuda"
    assert lacking["lde", ""] == "target: lde is not available on jax; use a target in C or Python"


def test_the_command_says_what_a_target_lacks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["targets", "python"]) == 0
    lines = [line.strip().split(maxsplit=2) for line in capsys.readouterr().out.splitlines()]
    assert ["ntt", "columns=4", "n: expected at most 4096 points on python, got 16384"] in lines
    assert not [line for line in lines if line[:1] == ["vmul"] and line[1:2] == ["any"]]


def test_a_topic_of_help_lists_the_kinds_by_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "support"]) == 0
    _, heading, *lines = (line.split() for line in capsys.readouterr().out.splitlines())
    found = {kind: dict(zip(heading[1:], cells, strict=True)) for kind, *cells in lines}
    assert [*found] == [*kinds()]
    assert found["lde"]["cuda"] == "–" and found["lde"]["c"] == found["ntt"]["cuda"] == found["matmul"]["jax"] == "yes"


REFUSING = ("not available on", "not available with", "cannot be combined", "does not apply to")
"""The words of errors that refuse a combination."""
STAGES = ("kinds", "plan", "lower", "emit", "formula", "kernels", "rpu/programs")
"""The packages through which a request passes until its source is printed."""
VALUES = "reading.py"
"""The name of modules that read single values, and say to which kind an option belongs."""
FILES = sorted(path for stage in STAGES for path in (PACKAGE / stage).rglob("*.py") if path.name != VALUES)
"""The modules of these packages that may refuse combinations."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_combinations_are_refused_by_limits_only(path: Path) -> None:
    """A text that refuses a combination is part of a row of a table of limits."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    rows = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Limit"]
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    told = docs | {id(node) for row in rows for node in ast.walk(row)}
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    loose = [each.value for each in texts if id(each) not in told and any(word in each.value for word in REFUSING)]
    assert not loose
