"""Details of kernels that names and command lines state only if they differ from the defaults."""

from __future__ import annotations

from collections.abc import Iterator

from momagen.kinds.modular.parameters import SharedParameters
from momagen.kinds.parameter import Parameter, parameters_of


def _unusual(spec: SharedParameters) -> Iterator[tuple[Parameter, object]]:
    """Yield the parameters that have parts of names and differ from their defaults, with their values."""
    for parameter in parameters_of(SharedParameters).values():
        value = getattr(spec, parameter.field)
        if parameter.param.part and value not in (parameter.usual, *parameter.param.unnamed):
            yield parameter, value


def name_parts(spec: SharedParameters) -> list[str]:
    """Return the parts of the name."""
    return [parameter.param.part.format(value) for parameter, value in _unusual(spec)]


def arguments(spec: SharedParameters) -> list[str]:
    """Return the words of a command line."""
    return [word for each, value in _unusual(spec) for word in (each.flag, *[str(value)] * (value is not True))]
