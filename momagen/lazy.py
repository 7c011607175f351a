"""Names of a package whose modules are imported when one of them is first asked for (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any


def on_demand(
    package: str, modules: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of ``package``, which has the names of ``modules`` as attributes.

    A name stays what it is when a submodule of the same name is imported: :func:`momagen.explain` is a function, and
    ``from momagen.explain import Explanation`` reads the package beside it. Type checkers are told the same names by
    imports under ``TYPE_CHECKING``.
    """
    homes = {name: module for module, names in modules.items() for name in names}
    namespace = vars(sys.modules[package])

    class LazyPackage(ModuleType):
        """A package that keeps its names when importing a submodule would replace one of them by the submodule."""

        def __setattr__(self, name: str, value: object) -> None:
            if name not in homes or not isinstance(value, ModuleType):
                super().__setattr__(name, value)

    sys.modules[package].__class__ = LazyPackage

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=sys.modules[package])
        found = namespace[name] = getattr(import_module(homes[name]), name)
        return found

    return find, lambda: sorted({*namespace, *homes})
