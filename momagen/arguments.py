"""Checks of the arguments of public functions: a call that does not fit a signature raises a clear error."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import wraps
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from .errors import MomagenError, among

if TYPE_CHECKING:
    from inspect import Parameter

Called = TypeVar("Called", bound=Callable[..., object])
Class = TypeVar("Class", bound=type)
ANY_KEYWORD = 0x08
"""The flag CO_VARKEYWORDS of the module inspect, for code that takes ``**``; importing that module takes time."""


def checked_arguments(function: Called, also: Collection[str] = ()) -> Called:
    """Make a function raise a MomagenError for arguments that do not fit its signature.

    Args:
        function: A Python function.
        also: Keywords that it takes by ``**`` and checks by itself. Without them, a function that takes ``**`` checks
            all keywords by itself.

    Returns:
        A function with the same signature, whose :class:`MomagenError` names the nearest argument, or all arguments
        that the function has.
    """
    code = cast(FunctionType, function).__code__
    known = {*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], *also}
    takes_any = code.co_flags & ANY_KEYWORD and not also

    @wraps(function)
    def call(*operands: Any, **given: Any) -> object:
        if not takes_any and not given.keys() <= known:
            raise _unknown_keyword(function, next(name for name in given if name not in known))
        try:
            return function(*operands, **given)
        except TypeError as error:
            if error.__traceback__ and error.__traceback__.tb_next:  # the function has begun
                raise
            raise _unfit(function, error) from None

    return cast(Called, call)


def checked_methods(owner: Class) -> Class:
    """Make the public methods of a class raise a MomagenError for arguments that do not fit their signatures.

    Methods that take any keyword are not changed.
    """
    for name, method in list(vars(owner).items()):
        public = isinstance(method, FunctionType) and not name.startswith("_")
        if public and not method.__code__.co_flags & ANY_KEYWORD:
            setattr(owner, name, checked_arguments(method))
    return owner


def _unknown_keyword(function: Callable[..., object], name: str) -> MomagenError:
    """Return the error for the keyword ``name``."""
    parameters = _parameters(function)
    named = [each.name for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    where = f"{_name(function)}()"
    return among("one of the arguments", named, name, where) if named else MomagenError("no argument", name, where)


def _unfit(function: Callable[..., object], error: TypeError) -> MomagenError:
    """Return the error for a call with too many or too few arguments."""
    name = _name(function)
    return MomagenError(
        f"a call of the form {name}({', '.join(map(_text, _parameters(function)))})", error, f"{name}()"
    )


def _name(function: Callable[..., object]) -> str:
    """Return the name of a function, or for a constructor the name of its class."""
    return function.__qualname__.removesuffix(".__init__").rpartition(".")[2]


def _parameters(function: Callable[..., object]) -> list[Parameter]:
    """Return the parameters of a function without ``self``."""
    from inspect import signature  # only where something is wrong, so that start-up stays quick

    return [each for each in signature(function).parameters.values() if each.name != "self"]


def _text(parameter: Parameter) -> str:
    """Return a parameter as a call writes it."""
    prefix = "*" * (parameter.kind is parameter.VAR_POSITIONAL) + "**" * (parameter.kind is parameter.VAR_KEYWORD)
    return f"{prefix}{parameter.name}{'=…' * (parameter.default is not parameter.empty)}"
