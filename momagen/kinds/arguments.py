"""The arguments of the Python function of a kind: their order, their defaults, and the types of their values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import NoneType
from typing import Any, NamedTuple, get_args

from momagen.targets import Target
from momagen.values.targets import TargetName

from .parameter import REQUIRED, Parameter, ParameterRole

ACCEPTED: Mapping[Any, Any] = {Target: TargetName, tuple[int, ...]: Sequence[int] | int}
"""The types of values as users write them, by the type of the field; other fields hold the values that are passed."""
ORDER = (
    ParameterRole.SHORTHAND, ParameterRole.TABLES, ParameterRole.MEANING, ParameterRole.MACHINE, ParameterRole.CODE,
    ParameterRole.RUN,
)  # fmt: skip
"""The order of the arguments that have defaults; those without one precede them."""


class MakerArgument(NamedTuple):
    """An argument of a Python function.

    Attributes:
        name: The name.
        type: The type of its values.
        usual: The default, or :data:`momagen.kinds.parameter.REQUIRED`.
        doc: The description.
        by_position: Whether a call may pass it by position.
    """

    name: str
    type: Any
    usual: Any
    doc: str
    by_position: bool


def arguments_of(parameters: Iterable[Parameter]) -> Sequence[MakerArgument]:
    """Return the arguments of the function of a kind with these parameters, in order."""
    declared = {each: _argument(each) for each in parameters if each.param.is_argument}
    return [declared[each] for each in sorted(declared, key=lambda each: _place(each, declared[each]))]


def _place(parameter: Parameter, argument: MakerArgument) -> tuple[bool, bool, int]:
    return not argument.by_position, argument.usual is not REQUIRED, ORDER.index(parameter.param.role)


def _argument(parameter: Parameter) -> MakerArgument:
    own = parameter.param
    accepted = own.accepts or ACCEPTED.get(parameter.type, parameter.type)
    return MakerArgument(parameter.name, accepted, _usual(parameter, accepted), own.doc, own.by_position)


def _usual(parameter: Parameter, accepted: Any) -> Any:
    """Return the default of an argument: None if None may be passed, which stands for the default."""
    if NoneType in get_args(accepted):
        return None
    if parameter.param.by_position or parameter.is_required:
        return REQUIRED
    return parameter.param.default if parameter.param.role is ParameterRole.MACHINE else parameter.usual
