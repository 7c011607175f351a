"""Imports that are delayed until they are needed: names of a package (PEP 562), functions, and classes of libraries."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any


def on_demand(
    package: str, modules: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package that imports its names when they are first used.

    A name keeps its meaning when a submodule of the same name is imported: :func:`momagen.explain` is a function,
    although ``from momagen.explain import Explanation`` imports the package of that name. Type checkers find the same
    names in imports under ``TYPE_CHECKING``.

    Args:
        package: The name of the package.
        modules: The names of the package, by the module that defines them.
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


def on_call(module: str, name: str) -> Callable[..., Any]:
    """Return a function that calls the function or class ``name`` of ``module``, which its first call imports.

    Tables of alternatives, such as the printers of all languages, hold these functions, so that a request imports only
    the entry that it uses.
    """
    found = cache(lambda: getattr(import_module(module), name))
    return lambda *args, **options: found()(*args, **options)


def is_instance(value: object, *classes: str) -> bool:
    """Return whether ``value`` is an instance of one of ``classes``, such as "numpy.ndarray", without an import.

    A library that has not been imported has no instances, and neither has one that another thread is importing.
    """
    names = (name.rpartition(".") for name in classes)
    found = (getattr(sys.modules.get(module), name, None) for module, _, name in names)
    return isinstance(value, tuple(each for each in found if each is not None))
