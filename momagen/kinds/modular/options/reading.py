"""The step from options as users and files write them to a :class:`KernelOptions`, which checks names and values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from momagen.errors import MomagenError, among, build_error, quoted
from momagen.kernels.elementwise.forms import form_bits_of
from momagen.kinds.modular.threads import threads_of
from momagen.kinds.modular.typed import written
from momagen.kinds.parameter import parameters_of
from momagen.lazy import is_instance, on_call

from .declared import OptionFields
from .factors import factors_of, factors_text
from .record import KernelOptions, OptionValue
from .values import OPTIONS

if TYPE_CHECKING:
    from momagen.kinds.modular.kinds.modular_kind import ModularKind

FREE: Mapping[str, Callable[[str], OptionValue]] = {
    "factors": factors_of, "form_bits": form_bits_of, "threads": threads_of,
    "schedule": on_call("momagen.plan.schedule.codec", "canonical"),
}  # fmt: skip
"""The options that have no list of values, with the function that checks and reads a value."""
LONGEST_VALUE = 60
"""The largest number of characters of an option's value."""


def read_options(kind: ModularKind | None, given: KernelOptions | Mapping[str, object]) -> KernelOptions:
    """Return options whose values are Python values, or texts as files and command lines contain them.

    Args:
        kind: The kind of kernel, or None if options of every kind are accepted.
        given: The values by name, or options that were read before, which are checked for the kind.

    Raises:
        MomagenError: An option is unknown, does not apply to the kind, or has an invalid value.
    """
    if isinstance(given, KernelOptions):
        check_texts(kind, given.texts())
        return given
    texts = {name: written_value(name, value) for name, value in given.items()}
    check_texts(kind, texts)
    return KernelOptions(**{name: _values_of(name)(text) for name, text in texts.items()})


def check_texts(kind: ModularKind | None, texts: Mapping[str, str]) -> None:
    """Check that all options exist, apply to the kind of kernel and have values that it accepts.

    Args:
        kind: The kind of kernel, or None if options of every kind are accepted.
        texts: The values of the options by name.

    Raises:
        MomagenError: An option is unknown, does not apply to the kind, or has an invalid value.
    """
    own = kind.option_values if kind else OPTIONS
    for option, wanted in texts.items():
        if option not in OPTIONS:
            raise among("one of the options", sorted(OPTIONS), option, "options")
        if option in FREE and option in own:
            FREE[option](wanted)
        elif wanted not in (known := own.get(option, ())):
            if known:
                raise among("one of", known, wanted, option)
            raise build_error(f"`{option}` does not apply to {kind}", option, f"omit `{option}`")


def written_value(name: str, value: object) -> str:
    """Return the value of an option as files and command lines write it.

    Raises:
        MomagenError: The value is neither a string, a number nor a list, or it is too long.
    """
    known = isinstance(value, int | float | tuple | list) or is_instance(value, "numpy.generic")
    if not (known and len(quoted(value)) <= LONGEST_VALUE) and not isinstance(value, str):
        raise MomagenError("a string, a number or a list", quoted(value), name)
    return factors_text(value) if name == "factors" else written(value) if name not in FREE else str(value)


@cache
def _values_of(name: str) -> Callable[[str], Any]:
    """Return the function that reads the checked text of an option."""
    if name in FREE:
        return FREE[name]
    known = parameters_of(OptionFields)[name].choices or (False, True)
    return {written(value): value for value in known}.__getitem__
