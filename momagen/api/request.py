"""The signatures of functions that take options of kernels."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from momagen.arguments import checked_arguments
from momagen.kinds.modular.options.values import OPTIONS
from momagen.kinds.modular.parameters import modular_parameters
from momagen.renamed import OPTIONS as RENAMED

Made = TypeVar("Made", bound=Callable[..., object])


def taking(options: type) -> Callable[[Made], Made]:
    """Return a decorator that shows the keys of ``options`` in the signature of a function, and checks its keywords.

    Args:
        options: The TypedDict of the options that the function takes as ``**options``.
    """

    def shown(maker: Made) -> Made:
        signature = inspect.signature(maker)
        own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        more = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=shown_type(hint))
            for name, hint in get_type_hints(options).items()
        ]
        maker.__signature__ = signature.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
        return checked_arguments(maker, (*modular_parameters(), *OPTIONS, *RENAMED))

    return shown


def shown_type(hint: Any) -> str:
    """Return a type as source code writes it, such as "Literal[2, 4] | None"."""
    if get_origin(hint) in (Union, UnionType):
        return " | ".join(map(shown_type, get_args(hint)))
    name = hint.__name__ if isinstance(hint, type) else str(hint).removeprefix("typing.")
    return "None" if hint is NoneType else name
