"""The functions that build kernels and the page of their parameters follow from the declarations, and are current."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

import momagen as mg
from momagen.kinds.arguments import ACCEPTED, arguments_of
from momagen.kinds.kind import Kind
from momagen.kinds.modular.typed import ConversionMethod, ProductEngine
from momagen.kinds.parameter import REQUIRED, Param, ParameterRole, parameters_of
from momagen.regen.checkout import DECLARED, check, write
from momagen.regen.makers import docstring, documented_kinds
from momagen.regen.spelling import spelled, value
from momagen.targets import Target

ROOT = Path(__file__).resolve().parents[3]
SMALL: Mapping[str, Mapping[str, object]] = {
    "convert": {"moduli": [13, 17], "to": [19, 23]}, "rescale": {"moduli": [13, 17]}, "keyswitch": {"moduli": [13, 17]},
    "moddown": {"moduli": [13, 17]}, "matmul": {"matrix": [[1, 2]], "modulus": 97},
    **{name: {"n": 4, "modulus": 97} for name in ("ntt", "polymul", "basemul")},
    "lde": {"n": 4, "blowup": 2, "modulus": 97}, "blas": {"kind": "vadd", "modulus": 97},
}  # fmt: skip
"""Values of the arguments that a function requires."""


SLOW = pytest.mark.slow(reason="the table of supported kernels takes half a minute; `momagen regen --check` has it")


@pytest.mark.parametrize("name", [pytest.param(name, marks=[SLOW] * name.endswith("support.md")) for name in DECLARED])
def test_files_agree_with_the_declarations(name: str) -> None:
    current = (ROOT / name).read_text(encoding="utf-8") == DECLARED[name]()
    assert current, f"{name} differs from the declarations in momagen/kinds: run `momagen regen` and commit the file"


@pytest.mark.parametrize("kind", documented_kinds(), ids=str)
def test_defaults_are_those_of_the_declarations(kind: Kind) -> None:
    """A call with every default passed builds the kernel of a call without them."""
    required, maker = SMALL[kind.maker], getattr(mg, kind.maker)
    declared = inspect.signature(maker).parameters
    usual = {name: each.default for name, each in declared.items() if each.default is not each.empty}
    assert usual and maker(**{**usual, **required}).spec == maker(**required).spec
    assert {*declared} - {*usual} == {*required} - {name for name in required if usual.get(name, 0) is None}


@pytest.mark.parametrize("kind", documented_kinds(), ids=str)
def test_a_manual_has_the_sections_of_a_docstring(kind: Kind) -> None:
    assert kind.manual.count("Returns:\n") == kind.manual.count("Raises:\n") == 1
    assert "Args:" not in kind.manual


@pytest.mark.parametrize(("hint", "text"), [
    (int | None, "int | None"), (Any, "Any"), (ConversionMethod, "ConversionMethod"),
    (ProductEngine | None, "ProductEngine | None"), (Literal["up", "down"], 'Literal["up", "down"]'),
    (ACCEPTED[tuple[int, ...]], "Sequence[int] | int"), (ACCEPTED[Target], "TargetName"),
    (tuple[int, ...], "tuple[int, ...]"), (dict[str, int], "dict[str, int]"),
])  # fmt: skip
def test_types_are_spelled_as_in_source(hint: Any, text: str) -> None:
    assert spelled(hint) == text


def test_defaults_are_spelled_as_in_source() -> None:
    assert [*map(value, ("c", 3, True, None))] == ['"c"', "3", "True", "None"]


@dataclass(frozen=True)
class Turned:
    """A request with parameters of several roles."""

    moduli: Annotated[tuple[int, ...], Param("moduli", doc="The moduli.", by_position=True)]
    width: Annotated[int, Param("width", doc="The width.", name="bits")]
    threads: Annotated[int, Param("threads", doc="Threads.", role=ParameterRole.RUN, accepts=int | None)] = 0
    way: Annotated[Literal["up", "down"], Param("way", doc="The way. " * 20)] = "up"
    hidden: Annotated[int, Param("hidden", is_argument=False)] = 1


TURNED = arguments_of(parameters_of(Turned).values())


def test_arguments_are_ordered_by_what_they_change() -> None:
    found = {each.name: (spelled(each.type), each.usual) for each in TURNED}
    assert found == {
        "moduli": ("Sequence[int] | int", REQUIRED), "bits": ("int", REQUIRED), "way": ('Literal["up", "down"]', "up"),
        "threads": ("int | None", None),
    }  # fmt: skip
    assert [*found] == ["moduli", "bits", "way", "threads"]


def test_the_arguments_are_described_before_the_result() -> None:
    text = docstring("Build it.\n\nReturns:\n    The kernel.\n", TURNED)
    assert text.startswith("Build it.\n\nArgs:\n    moduli: The moduli.\n    bits: The width.\n    way: The way.")
    assert text.endswith("    threads: Threads.\n\nReturns:\n    The kernel.\n")
    assert max(map(len, text.splitlines())) <= 116 and "\n        The way." in text


def _quiet(done: float, text: str) -> None:
    """Ignore a report of progress."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder for kernels whose manifest lists none."""
    (tmp_path / "generated").mkdir()
    (tmp_path / "generated" / "manifest.toml").write_text("set = []\n")
    return tmp_path / "generated"


@pytest.mark.sampled(2)
@pytest.mark.thorough
def test_changed_files_of_a_checkout_are_reported_and_renewed(folder: Path) -> None:
    (folder.parent / "momagen" / "kinds").mkdir(parents=True)
    module, page, _ = (folder.parent / name for name in DECLARED)
    write(folder, _quiet)
    page.unlink()
    module.write_text(module.read_text().replace("outputs: int = 2", "outputs: int = 3"))
    assert check(folder, _quiet) == [f"changed: {module}", f"missing: {page}"]
    assert write(folder, _quiet) == [f"written: {module}", f"written: {page}"]
    assert check(folder, _quiet) == []


def test_other_folders_get_kernels_only(folder: Path) -> None:
    (folder.parent / "docs" / "reference").mkdir(parents=True)
    assert check(folder, _quiet) == write(folder, _quiet) == []
    assert not [*(folder.parent / "docs" / "reference").iterdir()]
