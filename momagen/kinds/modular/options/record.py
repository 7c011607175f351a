"""The options of one kernel as a frozen record, with one typed field for each option."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from momagen.kinds.modular.typed import written
from momagen.kinds.parameter import parameters_of

from .declared import OptionFields, OptionGroup, names_of
from .factors import factors_text

OptionValue = bool | int | str | tuple[int, ...]
"""The value of an option that is set."""


@dataclass(frozen=True, slots=True)
class KernelOptions(OptionFields):
    """The choices between implementations that a request passes; None stands for an option that is not set.

    The transforms of a product may have other range factors than the values that a request can pass.
    """

    def to_dict(self) -> dict[str, OptionValue]:
        """Return the options that are set, by name."""
        pairs = ((name, getattr(self, name)) for name in self.__dataclass_fields__)
        return {name: value for name, value in pairs if value is not None}

    def names(self, *groups: OptionGroup) -> tuple[str, ...]:
        """Return the names of the options that are set, or only of those in `groups`, group by group."""
        known = self.to_dict()
        return tuple(name for name in names_of(*groups) if name in known) if groups else tuple(known)

    def texts(self) -> dict[str, str]:
        """Return the options that are set, as manifests, wisdom, command lines and notes write them."""
        return {name: option_text(value) for name, value in self.to_dict().items()}

    def phrases(self) -> list[str]:
        """Return descriptions of the options that are set, such as "radix 8", sorted by name."""
        files = {name for name, each in parameters_of(OptionFields).items() if each.is_file}
        return [name if name in files else f"{name} {value}" for name, value in sorted(self.texts().items())]

    def rule_choices(self) -> dict[str, str]:
        """Return the alternatives of the rule table that are set, by the names of choices in rule files."""
        return self.only(names_of(OptionGroup.RULES)).texts()

    def only(self, names: Collection[str]) -> KernelOptions:
        """Return the options whose names are in `names`."""
        return self.without(*(name for name in self.names() if name not in names))

    def without(self, *names: str) -> KernelOptions:
        """Return the same options without those called `names`."""
        return replace(self, **dict.fromkeys(names))

    def updated(self, others: KernelOptions) -> KernelOptions:
        """Return the same options, except that those that are set in `others` have the values of `others`."""
        return replace(self, **others.to_dict())  # type: ignore[arg-type]


NO_OPTIONS = KernelOptions()
"""The options of a request that sets none."""


def option_text(value: OptionValue) -> str:
    """Return the value of an option as files, names and command lines write it."""
    return factors_text(value) if isinstance(value, tuple) else written(value)
