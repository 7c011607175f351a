"""How wide tables are: as the terminal, as $COLUMNS says, or as they ask for."""

from __future__ import annotations

import io
import os

import pytest

from momagen.screen import console


@pytest.fixture(autouse=True)
def nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COLUMNS", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.stdout", io.StringIO())


def test_where_output_goes_to_a_file_a_table_has_the_width_it_needs() -> None:
    assert [console().width, console(200).width] == [120, 200]


def test_columns_are_as_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "77")
    assert console(200).width == 77


def test_a_terminal_is_as_wide_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(os, "get_terminal_size", lambda *_: os.terminal_size((93, 40)))
    assert console(200).width == 93


def test_quiet_prints_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr("sys.stdout", out)
    console(quiet=True).print("text")
    assert not out.getvalue()
    console().print("text")
    assert out.getvalue() == "text\n"
