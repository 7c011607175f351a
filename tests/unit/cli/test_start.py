"""`import momagen` and `momagen --help` stay quick because they load few modules.

The bars are 0.15 s and 0.25 s; `momagen bench --section everyday` measures them. Here the modules are counted instead,
so that the result does not depend on what else the machine does.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

SLOW = {
    "asyncio", "concurrent.futures", "dataclasses", "email", "gmpy2", "importlib.metadata", "inspect", "jinja2", "json",
    "logging", "multiprocessing", "numpy", "rich", "subprocess", "sympy", "tomllib", "unittest", "urllib.parse",
}  # fmt: skip
"""Modules that take a millisecond or more to import."""
HELP = "from momagen.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"


@pytest.mark.parametrize(("code", "most"), [("import momagen", 4), (HELP, 12)], ids=["import", "help"])
def test_few_modules_are_loaded_at_the_start(code: str, most: int) -> None:
    script = f"import sys; sys.path[:0] = {sys.path!r}\n{code}\nsys.stderr.write(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    own = sorted(name for name in loaded if name.partition(".")[0] == "momagen")
    assert not SLOW & loaded and 0 < len(own) <= most, own
