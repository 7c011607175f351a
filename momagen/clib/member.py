"""The properties that every kernel of a library has, whatever its kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from momagen.api import Kernel
from momagen.emit import Source
from momagen.emit.c.file import Declaration
from momagen.errors import MomagenError
from momagen.lower.writer import host_of

from .request import Wanted
from .tried_kernel import TriedKernel
from .variants import Variant


class MacroConstant(NamedTuple):
    """A macro of the header.

    Attributes:
        name: The end of the macro's name.
        value: The value of the macro.
        counts: A description of the value.
    """

    name: str
    value: int
    counts: str


@dataclass(frozen=True)
class Member(ABC):
    """One kernel of a library, generated once per variant, under names that no other library has.

    Attributes:
        name: The name of the kernel in the library.
        library: The name of the library.
        variants: The ISA variants that the kernel has, best first.
        sources: The generated source for each variant, named symbol_variant.
        trials: The rows of the library's own test, with known answers.
    """

    name: str
    library: str
    variants: tuple[Variant, ...]
    sources: tuple[Source, ...]
    trials: tuple[TriedKernel, ...]

    @property
    def symbol(self) -> str:
        """The prefix of the public functions."""
        return f"{self.library}_{self.name}"

    @property
    def moduli(self) -> str:
        """A description of the moduli that the kernel serves, by variant if they differ."""
        served: dict[str, list[str]] = {}
        for variant, source in zip(self.variants, self.sources, strict=True):
            served.setdefault(source.moduli, []).append(variant.name)
        return next(iter(served)) if len(served) == 1 else "; ".join(
            f"{text} ({', '.join(names)})" for text, names in served.items()
        )  # fmt: skip

    @property
    def word(self) -> str:
        """The C type of a word."""
        return host_of(self.variants[0].target).types["word"]

    @property
    @abstractmethod
    def template(self) -> str:
        """The template of the file that selects a variant."""

    @property
    @abstractmethod
    def what(self) -> str:
        """A description of the kernel."""

    @property
    @abstractmethod
    def functions(self) -> Mapping[str, Declaration]:
        """The public functions by verb, in the order of the header."""

    @property
    @abstractmethod
    def of_variant(self) -> Mapping[str, Declaration]:
        """The functions of one variant that the plan calls, by verb; ``destroy`` is the same for all kernels."""

    @property
    @abstractmethod
    def constants(self) -> Sequence[MacroConstant]:
        """The macros of the header."""

    @property
    @abstractmethod
    def codes(self) -> Sequence[str]:
        """The error codes of the variants' functions, which the public functions return."""

    @abstractmethod
    def details(self) -> dict[str, Any]:
        """Return the values that :attr:`template` and the tests use in addition to :meth:`numbers`."""

    @abstractmethod
    def description(self) -> Iterator[tuple[str, object]]:
        """Yield the keys and values of this kernel in a TOML file, except for its name and targets."""

    @abstractmethod
    def facts(self) -> dict[str, object]:
        """Return the properties of the kernel that the command line prints as JSON."""

    def kernels(self) -> list[Kernel]:
        """Return the kernel of each variant, to call and verify in Python."""
        return [Kernel(source) for source in self.sources]

    def numbers(self) -> dict[str, Any]:
        """Return the values that the templates of every library use."""
        functions = dict(self.functions)
        create, destroy = functions.pop("create"), functions.pop("destroy")
        return {
            "name": self.name, "symbol": self.symbol, "upper": self.symbol.upper(), "what": self.what,
            "title": self.what[0].upper() + self.what[1:], "moduli": self.moduli, "constants": self.constants,
            "create": create, "calls": functions, "destroy": destroy, "inner": self.of_variant, "codes": self.codes,
            "variants": [{"name": variant.name, "upper": variant.upper, "symbol": source.name}
                         for variant, source in zip(self.variants, self.sources, strict=True)],
            "variant_names": ", ".join(variant.name for variant in self.variants),
        } | self.details()  # fmt: skip


def variants_of(wanted: Wanted, variants: Sequence[Variant]) -> tuple[Variant, ...]:
    """Return the variants that the kernel ``wanted`` has.

    Raises:
        MomagenError: The kernel has a target that the library does not have.
    """
    known = {str(variant.target): variant for variant in variants} | {variant.name: variant for variant in variants}
    if unknown := [name for name in wanted.targets or () if name not in known]:
        where = f"kernel {wanted.name}, targets"
        raise MomagenError(f"only targets of the library ({', '.join(known)})", ", ".join(unknown), where)
    chosen = {known[name].name for name in wanted.targets or known}
    return tuple(variant for variant in variants if variant.name in chosen)
