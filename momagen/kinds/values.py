"""The values of declared parameters, read from what users write: integers or expressions, texts, flags, moduli."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_args, get_origin

from momagen.errors import MomagenError, build_error, nearest
from momagen.values.moduli import bases_of
from momagen.values.numbers import count, integer
from momagen.values.targets import requested_target
from momagen.values.texts import flag, text

from .parameter import REQUIRED, Parameter, ParameterRole


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
        MomagenError: The value is missing or has another type, or the declaration excludes it.
    """
    if parameter.param.role is ParameterRole.MACHINE:
        return requested_target(parameter.param.default if value is None else value)
    if value is None:
        if parameter.usual is REQUIRED:
            raise build_error(f"`{parameter.name}` is missing", parameter.name, f"specify `{parameter.name}`")
        return parameter.usual
    found = _reader(parameter)(value, parameter.name)
    check_value(parameter, found)
    return found


def check_value(parameter: Parameter, value: Any) -> None:
    """Check a value against the choices and the bounds that a parameter declares.

    Raises:
        MomagenError: The value is not one of the choices, or is out of range.
    """
    own, choices = parameter.param, parameter.choices
    if choices and value not in choices:
        names = list(map(str, choices))
        near = nearest(value, names) if isinstance(value, str) else ""
        raise MomagenError(f"one of {', '.join(names)}", value, parameter.name, near=near)
    if own.least is not None or own.most is not None:
        count(value, parameter.name, own.least or 0, own.most)


def _reader(parameter: Parameter) -> Callable[[object, str], Any]:
    """Return the function that reads the values of a parameter by their type."""
    if parameter.type is bool:
        return flag
    return integer if int in (parameter.type, *get_args(parameter.type)) else text


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
