"""The frozen reference: a sample of its rows in every full run, all of them with ``--tier all``."""

from __future__ import annotations

import pytest

from momagen.errors import MomagenError
from momagen.runtime import find_compiler

from . import store
from .figures import figures
from .report import changes
from .rows import Row, rows

pytestmark = pytest.mark.compiles

ROWS = rows()
KNOWN, COMPILER = store.read()
REMEDY = "remedy: python -m tests.reference --renew, then look at the difference and commit it"


@pytest.mark.sampled(40)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.label)
def test_text_is_as_frozen(row: Row) -> None:
    """Hashes, operations and the bytes of tables, without a compiler."""
    found = [change.text for change in changes(row.label, KNOWN[row.label], figures(row, None), False)]
    assert not found, f"{row.label}: {'; '.join(found)}; {REMEDY}"


@pytest.mark.sampled(18)
@pytest.mark.parametrize("row", [row for row in ROWS if row.count or row.create], ids=lambda row: row.label)
def test_code_does_not_grow(row: Row) -> None:
    """Counts of what the compiler makes, and bytes of the set-up; its time is for the command, on a quiet machine."""
    try:
        compiler = find_compiler("zig")
    except MomagenError as error:
        pytest.skip(str(error))
    if str(compiler) != COMPILER:
        pytest.skip(f"frozen by {COMPILER}, here {compiler}")
    new = figures(row, compiler)
    new.pop("create", None)
    found = [change.text for change in changes(row.label, KNOWN[row.label], new, True)]
    assert not found, f"{row.label}: {'; '.join(found)}; {REMEDY}"


def test_every_row_is_frozen_once() -> None:
    assert sorted(KNOWN) == [row.label for row in ROWS]
    assert sum(path.stat().st_size for path in store.FROZEN.iterdir()) < 300_000
