"""The kinds of kernels by name."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, TypeVar, get_args

from momagen.errors import MomagenError, among, build_error
from momagen.values.texts import text

from .kind import Kind
from .modular.typed import Elementwise
from .titles import VARIABLE

SHIPPED = {
    "ntt": "momagen.kinds.modular.kinds.transform",
    **dict.fromkeys(("polymul", "basemul"), "momagen.kinds.modular.kinds.products"),
    "lde": "momagen.kinds.modular.kinds.extension",
    **dict.fromkeys(get_args(Elementwise), "momagen.kinds.modular.kinds.elementwise"),
    "convert": "momagen.kinds.rns.conversion",
    **{each: f"momagen.kinds.rns.{each}" for each in ("rescale", "keyswitch", "moddown")},
    "matmul": "momagen.kinds.matmul",
}
"""The modules of the kinds that momagen has, which are imported when a kind is used."""
_KINDS: dict[str, Kind] = {}
OwnKind = TypeVar("OwnKind", bound=Kind)


def register(kind: OwnKind) -> OwnKind:
    """Make a kind known under its name to the command line, saved kernels and libraries; return it.

    Raises:
        MomagenError: Another kind has the name.
    """
    known = _KINDS.get(kind.name)
    if known not in (None, kind) or (kind.name in SHIPPED and not type(kind).__module__.startswith("momagen.")):
        raise build_error(f"there is already a kind of kernels called {kind.name}", "register", "use another name")
    _KINDS[kind.name] = kind
    return kind


def kinds() -> Mapping[str, Kind]:
    """Return all kinds by name, in declared order, whatever the order of imports."""
    return {name: kind_named(name) for name in names()}


def names() -> Iterator[str]:
    """Yield the names of all kinds, without importing momagen's own modules of kinds."""
    yield from dict.fromkeys((*SHIPPED, *others()))


def others() -> Iterator[str]:
    """Yield the names of the kinds that other modules register.

    Raises:
        MomagenError: The environment variable names a module that cannot be imported.
    """
    for module in filter(None, map(str.strip, os.environ.get(VARIABLE, "").split(","))):
        try:
            import_module(module)
        except MomagenError:
            raise
        except Exception as error:  # whatever the module raises while it is imported
            raise MomagenError("modules that can be imported", f"{module} ({error})", f"${VARIABLE}") from error
    yield from (name for name in _KINDS if name not in SHIPPED)


def kind_named(name: str) -> Kind:
    """Return the kind ``name``, which exists."""
    if name not in (*_KINDS, *others()):
        import_module(SHIPPED[name])
    return _KINDS[name]


def chosen_kind(name: object, maker: str = "") -> Kind:
    """Return the kind with a name that a user gave.

    Args:
        name: The name.
        maker: The command or function that builds its kernels, if only the kinds of one command are accepted.

    Raises:
        MomagenError: There is no such kind.
    """
    if text(name, "kind") not in names():
        kinds()  # a module may register more kinds than the names that are known without it
    if name in (known := list(names())) and maker in ("", kind_named(str(name)).maker):
        return kind_named(str(name))
    own = [each for each in known if maker in ("", kind_named(each).maker)]
    raise among("one of the kernels", own, name, "kernel")


def restored(name: str, module: str) -> Kind:
    """Return the kind ``name``, which ``module`` registers unless momagen has it."""
    if name not in names():
        import_module(module)
    return kind_named(name)


def kind_of(request: Any) -> Kind:
    """Return the kind of a request."""
    found = request.kind
    return found if isinstance(found, Kind) else kind_named(str(found))
