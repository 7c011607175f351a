"""The package, built once, for all tests of this folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from built import Border, build


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of one run share."""
    own = tmp_path_factory.getbasetemp()
    return (own.parent if own.name.startswith("popen-") else own) / "hexl-package"


@pytest.fixture(scope="session")
def prefix(place: Path) -> Path:
    return build(place)


@pytest.fixture(scope="session")
def border(prefix: Path, place: Path) -> Border:
    return Border(place / "border.so")


@pytest.fixture(scope="module")
def fresh_border(prefix: Path, place: Path, tmp_path_factory: pytest.TempPathFactory) -> Border:
    """Load the package once more, with an empty table of plans.

    The table never drops a plan. When other tests have filled it, each call makes a plan of its own, and which
    instructions the memory allocator executes then depends on earlier calls.
    """
    return Border(shutil.copy(place / "border.so", tmp_path_factory.mktemp("fresh") / "border.so"))
