"""The values of declared parameters, read from what users write: integers or expressions, texts, flags, moduli."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_args, get_origin

from momagen.errors import MomagenError, among, build_error, nearest
from momagen.values.moduli import bases_of
from momagen.values.numbers import count, integer
from momagen.values.targets import requested_target
from momagen.values.texts import flag, text

from .parameter import Parameter, ParameterRole


def check_names(name: str, parameters: Mapping[str, Parameter], values: Mapping[str, object], of: str = "") -> None:
    """Check that every value belongs to a parameter, and that every parameter without a default has a value.

    Args:
        name: The name of the kind.
        parameters: Its parameters by name.
        values: The values by name.
        of: The place of an unknown name, for errors (default: the name).

    Raises:
        MomagenError: A name is unknown or missing.
    """
    for each in values:
        if each not in parameters:
            near = nearest(each, list(parameters))
            raise MomagenError(f"only the parameters of {name}: {', '.join(parameters)}", each, of or each, near=near)
    for each, parameter in parameters.items():
        if parameter.is_required and values.get(each) is None:
            raise build_error(f"`{each}` is missing", each, f"specify `{each}`")


def parsed(parameter: Parameter, value: object) -> Any:
    """Return the value of one parameter.

    Raises:
        MomagenError: The value has another type, or is out of range.
    """
    if parameter.param.role is ParameterRole.MACHINE:
        return requested_target(parameter.param.default if value is None else value)
    if value is None:
        return parameter.usual
    listed = parameter.choices
    if listed and parameter.type is not int and value not in listed:
        raise among("one of", list(map(str, listed)), text(value, parameter.name), parameter.name)
    return _reader(parameter)(value)


def _reader(parameter: Parameter) -> Callable[[object], Any]:
    """Return the function that reads the values of a parameter."""
    name, own = parameter.name, parameter.param
    if parameter.type is bool:
        return lambda value: flag(value, name)
    if int in (parameter.type, *get_args(parameter.type)):
        bounded = own.least is not None or own.most is not None
        return lambda value: count(value, name, own.least or 0, own.most) if bounded else integer(value, name)
    return lambda value: text(value, name)


def is_basis(parameter: Parameter) -> bool:
    """Return whether the values of a parameter are lists of moduli, or numbers of primes."""
    return get_origin(parameter.type) is tuple


def read_bases(parameters: Mapping[str, Parameter], values: Mapping[str, object]) -> dict[str, tuple[int, ...]]:
    """Return the moduli of every basis; primes are distinct in all bases together.

    Raises:
        MomagenError: A list is invalid, or a number of primes lacks a width.
    """
    given = {name: values[name] for name, parameter in parameters.items() if is_basis(parameter)}
    return dict(zip(given, bases_of(given, values.get("modulus_bits")), strict=True))
