"""Names of a package whose modules are imported when one of them is first asked for (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def on_demand(
    package: str, modules: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of ``package``, which gives the names of ``modules`` as its own.

    Type checkers are told the same names by imports under ``TYPE_CHECKING``.
    """
    homes = {name: module for module, names in modules.items() for name in names}
    namespace = vars(sys.modules[package])

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = namespace[name] = getattr(import_module(homes[name]), name)
        return found

    return find, lambda: sorted({*namespace, *homes})
