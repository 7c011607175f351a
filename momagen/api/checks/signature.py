"""Calls of public functions with arguments that they do not have: one clear error, as for all other bad input."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from momagen.errors import MomagenError, nearest

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def public(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let ``function`` refuse a call that does not fit its signature with a MomagenError."""
    signature = inspect.signature(function)

    @wraps(function)
    def checked(*given: Parameters.args, **named: Parameters.kwargs) -> Result:
        try:
            signature.bind(*given, **named)
        except TypeError as error:
            raise _refusal(function.__name__, signature, tuple(named), error) from None
        return function(*given, **named)

    return checked


def _refusal(name: str, signature: inspect.Signature, named: tuple[str, ...], error: TypeError) -> MomagenError:
    """Return the error for a call; the nearest argument is suggested for a name that is none."""
    known = list(signature.parameters)
    unknown = [each for each in named if each not in known]
    open_ended = any(each.kind is each.VAR_KEYWORD for each in signature.parameters.values())
    if unknown and not open_ended:
        return MomagenError(f"arguments among {', '.join(known)}", unknown[0], name, nearest(unknown[0], known))
    return MomagenError(f"arguments as {name}({', '.join(map(_text, signature.parameters.values()))})", error, name)


def _text(parameter: inspect.Parameter) -> str:
    """Return a parameter as a call writes it."""
    prefix = "*" * (parameter.kind is parameter.VAR_POSITIONAL) + "**" * (parameter.kind is parameter.VAR_KEYWORD)
    optional = parameter.default is not parameter.empty
    return f"{prefix}{parameter.name}{'=…' * optional}"
