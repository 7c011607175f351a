"""What is not asked for is not imported: the package and the command line start with the standard library alone."""

from __future__ import annotations

import subprocess
import sys

import pytest

import momagen
from momagen.cli.parser import COMMANDS, CommandParser
from momagen.lazy import on_demand

HEAVY = {"gmpy2", "jinja2", "numpy", "rich", "sympy"}
FIRST = ["momagen.tune", "momagen.tune.wisdom", "momagen.api", "momagen.clib", "momagen.cli.commands.tune"]


def loaded(code: str) -> set[str]:
    """The modules that a new interpreter has after ``code``."""
    script = f"{code}\nimport sys\nsys.stderr.write(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


HELP = """
from contextlib import suppress
from momagen.cli import main
with suppress(SystemExit):
    main(["{}", "--help"])"""


@pytest.mark.parametrize(
    "code", ["import momagen", "from momagen.cli import main; main([])", *map(HELP.format, ("ntt", "polymul", "blas"))]
)
def test_nothing_heavy_is_imported_before_it_is_needed(code: str) -> None:
    assert not (HEAVY | {"momagen.rewrite", "momagen.ir"}) & loaded(code)


@pytest.mark.parametrize("first", FIRST)
def test_the_public_names_are_the_functions_whatever_was_imported_first(first: str) -> None:
    check = "assert all(callable(getattr(momagen, n)) for n in momagen.__all__ if n != '__version__'), momagen.tune"
    loaded(f"import {first}, momagen\n{check}\nfrom momagen import *\nassert callable(tune)")


def test_names_are_listed_before_they_are_imported_and_unknown_ones_refused() -> None:
    assert set(momagen.__all__) <= set(dir(momagen))
    with pytest.raises(AttributeError, match="module 'momagen' has no attribute 'nnt'"):
        _ = momagen.nnt  # type: ignore[attr-defined]
    find, listed = on_demand("momagen.lazy", {"momagen.errors": ("MomagenError",)})
    assert find("MomagenError") is momagen.MomagenError and "MomagenError" in listed()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_completes_once(name: str) -> None:
    parser = CommandParser(prog=name, command=COMMANDS[name])
    parser.complete()
    known = parser.format_help()
    parser.complete()
    assert COMMANDS[name].text.split()[0] in known and parser.format_help() == known and "--" in known
