"""The packages from PyPI that a proof needs."""

from __future__ import annotations

from importlib.util import find_spec

from momagen.errors import build_error

PARSERS = ("pcpp", "pycparser")


def require_parsers(where: str) -> None:
    """Raise a ``MomagenError`` if a package that preprocesses or parses C is not installed."""
    for package in PARSERS:
        if find_spec(package) is None:
            remedy = "install it (python3 -m pip install 'momagen[prove]')"
            raise build_error(f"a proof needs {package}, which is not installed", where, remedy)
