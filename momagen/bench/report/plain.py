"""The conversion of dataclasses to JSON values and back, for the stored rows of a study."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from momagen.errors import build_error

T = TypeVar("T")


def to_plain(value: Any) -> Any:
    """Return ``value`` as JSON values.

    A mapping becomes a list of pairs, because its keys need not be strings.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return [[to_plain(key), to_plain(entry)] for key, entry in value.items()]
    return [to_plain(entry) for entry in value] if isinstance(value, list | tuple) else value


def from_plain(kind: type[T], data: Any) -> T:
    """Return the value of type ``kind`` from the result of :func:`to_plain`.

    Raises:
        MomagenError: ``data`` does not have the form that :func:`to_plain` returns.
    """
    try:
        found: T = _value(kind, data)
    except (TypeError, ValueError, KeyError) as error:
        problem = f"the row does not have the form of {kind.__name__} ({error})"
        raise build_error(problem, "rows of an earlier run") from None
    return found


def _value(kind: Any, data: Any) -> Any:
    """Return ``data`` as a value of a type that the fields of rows have."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return None if data is None else _value(next(each for each in inner if each is not type(None)), data)
    if origin is tuple and inner[-1] is not ...:
        return tuple(_value(each, entry) for each, entry in zip(inner, data, strict=True))
    if origin is not None and issubclass(origin, Mapping):
        return {_value(inner[0], key): _value(inner[1], entry) for key, entry in data}
    if origin is not None and issubclass(origin, Sequence):
        found = [_value(inner[0], entry) for entry in data]
        return tuple(found) if origin is tuple else found
    return _instance(kind, data)


def _instance(kind: Any, data: Any) -> Any:
    """Return ``data`` as a dataclass with these fields, or unchanged if ``kind`` is a type of JSON."""
    if not is_dataclass(kind):
        if kind is not Any and not isinstance(data, (int, float) if kind is float else kind):
            raise TypeError(f"{data!r} is no {kind.__name__}")
        return data
    hints = get_type_hints(kind)
    if not isinstance(data, dict) or data.keys() != {field.name for field in fields(kind)}:
        raise TypeError(f"{data!r} has other fields than {kind.__name__}")  # type: ignore[union-attr]
    return kind(**{name: _value(hints[name], entry) for name, entry in data.items()})  # type: ignore[operator]
