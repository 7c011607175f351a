"""What a command line needs to know of a kind of kernels, without importing what generates its kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .parameter import Parameter

PRESET = "preset"
"""The parameter that sets others, whose defaults then do not apply."""


@dataclass(frozen=True)
class KindCommand:
    """The command that generates, verifies and times kernels of a kind.

    Attributes:
        parameters: The parameters besides the options, by name.
        usage: The usage after the name of the command.
        examples: Complete commands without "momagen".
        options: The options that select between implementations, by name.
        title: The title of the group of options that describe the operands.
        one_of: The parameters of which at least one is needed.
        defaults: The defaults that only command lines have.
        is_tuned: Whether ``momagen tune`` searches the options.
    """

    parameters: Mapping[str, Parameter]
    usage: str
    examples: Sequence[str] = ()
    options: Mapping[str, Parameter] = field(default_factory=dict)
    title: str = ""
    one_of: Sequence[str] = ()
    defaults: Mapping[str, str] = field(default_factory=dict)
    is_tuned: bool = False

    def completed(self, values: Mapping[str, object]) -> Mapping[str, object]:
        """Return the values of a command line with the defaults that only command lines have."""
        return values if PRESET in values else {**self.defaults, **values}
