"""The options of one kernel as a frozen record, with one typed field for each option."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from typing import Annotated, Literal, get_type_hints

from momagen.kinds.modular import typed
from momagen.kinds.modular.typed import written

from .factors import factors_text

OptionValue = bool | int | str | tuple[int, ...]
"""The value of an option that is set."""


class OptionGroup(Enum):
    """The groups of options that apply to one part of the generator."""

    RULES = "alternatives of the rule table for operations on words"
    WORDS = "kernels on full-radix limbs"
    MODULUS = "the modulus of the build"
    FORM = "the form of residues"
    LIMBS = "the kind of limbs, and products on reduced-radix limbs"
    TILING = "transforms in cache-blocked passes over reduced-radix limbs"
    MATRICES = "transforms by matrix products"


@dataclass(frozen=True, slots=True)
class KernelOptions:
    """The choices between implementations that a request passes; None stands for an option that is not set.

    The makers' TypedDicts in :mod:`momagen.kinds.modular.typed` say which options a kind of kernel has;
    ``momagen ntt --help`` describes each option. The transforms of a product may have other factors than the values
    that a request can pass.
    """

    multiply: Annotated[typed.Multiply | None, OptionGroup.RULES] = None
    compare: Annotated[typed.Compare | None, OptionGroup.RULES] = None
    carry: Annotated[typed.Carry | None, OptionGroup.RULES] = None
    borrow: Annotated[typed.Borrow | None, OptionGroup.RULES] = None
    product: Annotated[typed.WordProducts | None, OptionGroup.RULES] = None
    bake: Annotated[bool | None, OptionGroup.MODULUS] = None
    unroll: Annotated[typed.Unroll | None, OptionGroup.WORDS] = None
    output_factor: Annotated[int | None, typed.Multiple] = None
    threads: int | None = None
    form: Annotated[typed.ResidueForm | None, OptionGroup.FORM] = None
    form_bits: Annotated[int | None, OptionGroup.FORM] = None
    reduction: Annotated[typed.Reduction | None, OptionGroup.WORDS] = None
    limbs: Annotated[typed.LimbKind | None, OptionGroup.LIMBS] = None
    interleave: Annotated[typed.Interleave | None, OptionGroup.LIMBS] = None
    cmp: typed.Comparison | None = None
    input_factor: Annotated[int | Literal["any"] | None, typed.InputMultiple] = None
    levels: Annotated[typed.Levels | None, OptionGroup.TILING] = None
    interleave_blocks: Annotated[typed.BlocksTogether | None, OptionGroup.TILING] = None
    interleave_butterflies: Annotated[bool | None, OptionGroup.TILING] = None
    constants: Annotated[typed.ConstantsPlace | None, OptionGroup.TILING] = None
    chain: Annotated[typed.ChainLength | None, OptionGroup.TILING] = None
    twiddles: Annotated[typed.TwiddleTable | None, OptionGroup.TILING] = None
    storage: Annotated[typed.Storage | None, OptionGroup.TILING] = None
    prefetch: Annotated[bool | None, OptionGroup.TILING] = None
    dense: Annotated[typed.Dense | None, OptionGroup.MATRICES] = None
    factors: Annotated[tuple[int, ...] | None, OptionGroup.MATRICES] = None
    engine: Annotated[typed.Engine | None, OptionGroup.MATRICES] = None
    fused: Annotated[bool | None, OptionGroup.MATRICES] = None
    sums: Annotated[typed.Sums | None, OptionGroup.MATRICES] = None
    algorithm: Annotated[typed.Algorithm, OptionGroup.WORDS] = None
    radix: Annotated[typed.Radix | None, OptionGroup.WORDS] = None
    quotients: typed.Quotients | None = None

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
        """Return the options that are set for people, such as "radix 8", sorted by name."""
        return [f"{name} {value}" for name, value in sorted(self.texts().items())]

    def rule_choices(self) -> dict[str, str]:
        """Return the alternatives of the rule table that are set, by the names of choices in rule files."""
        return self.only(names_of(OptionGroup.RULES)).texts()

    def only(self, names: Collection[str]) -> KernelOptions:
        """Return the same options without those that `names` lacks."""
        return self.without(*(name for name in self.names() if name not in names))

    def without(self, *names: str) -> KernelOptions:
        """Return the same options without those called `names`."""
        return replace(self, **dict.fromkeys(names))

    def updated(self, others: KernelOptions) -> KernelOptions:
        """Return the same options, replaced by those of `others` that are set."""
        return replace(self, **others.to_dict())  # type: ignore[arg-type]


NO_OPTIONS = KernelOptions()


def option_text(value: OptionValue) -> str:
    """Return the value of an option as files, names and command lines write it."""
    return factors_text(value) if isinstance(value, tuple) else written(value)


@cache
def names_of(*groups: OptionGroup) -> tuple[str, ...]:
    """Return the names of the options in `groups`, group by group."""
    hints = get_type_hints(KernelOptions, include_extras=True)
    return tuple(
        name for group in groups for name, hint in hints.items() if group in getattr(hint, "__metadata__", ())
    )
