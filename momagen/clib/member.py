"""One kernel of a library: generated once per variant, under names that no other library has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

from momagen.emit import Source, generate
from momagen.emit.c.file import Declaration, interface
from momagen.errors import MomagenError
from momagen.kernels.spec.derived.inner import of_modulus, of_size
from momagen.kernels.spec.spec import Spec
from momagen.lower.writer import host_of

from .known_answers import Answer, answers
from .request import Wanted
from .variants import Variant

TRIED = (2, 16, 256, 1024)
"""The sizes of a transform of any size that a library's own test tries."""


@dataclass(frozen=True)
class VariantSpec(Spec):
    """A specification whose files and functions are called ``symbol``, made by the command ``made_by``."""

    symbol: str = ""
    made_by: str = ""

    @property
    def name(self) -> str:
        return self.symbol

    def command(self) -> str:
        return self.made_by

    def check_command(self, suffix: str) -> str:
        """Return the command that makes the library, which verifies every kernel of it."""
        return self.made_by


@dataclass(frozen=True)
class Member:
    """One kernel of a library.

    Of several moduli the variants know one; the plan of the library has one of theirs for each.

    Attributes:
        name: in the library. symbol: with the library's name in front, the prefix of its public functions.
        variants: those that it has, best first. sources: what was generated for each, named symbol_variant.
        library: the library's name. tried: what its own test knows; of a transform of any size for some of them.
    """

    name: str
    library: str
    spec: Spec
    variants: tuple[Variant, ...]
    sources: tuple[Source, ...]
    tried: tuple[tuple[Spec, tuple[Answer, ...]], ...]

    @property
    def symbol(self) -> str:
        return f"{self.library}_{self.name}"

    @property
    def unit(self) -> int:
        """Words that a running argument moves on by."""
        return self.spec.elements * self.spec.arith.words

    @property
    def moduli(self) -> str:
        """The moduli that it serves, in words: by variant where variants differ."""
        served: dict[str, list[str]] = {}
        for variant, source in zip(self.variants, self.sources, strict=True):
            served.setdefault(source.moduli, []).append(variant.name)
        return next(iter(served)) if len(served) == 1 else "; ".join(
            f"{text} ({', '.join(names)})" for text, names in served.items()
        )  # fmt: skip

    @cached_property
    def functions(self) -> dict[str, Declaration]:
        """The public functions, by what they do."""
        return self._declared(self.spec)

    @cached_property
    def of_variant(self) -> dict[str, Declaration]:
        """The same of one variant, which knows one modulus."""
        return self._declared(replace(self.spec, basis=(), roots=()))

    def _declared(self, spec: Spec) -> dict[str, Declaration]:
        return interface(spec, self.symbol, self.moduli, host_of(self.variants[0].target).types["word"])


def variants_of(wanted: Wanted, variants: Sequence[Variant]) -> tuple[Variant, ...]:
    """Those of ``variants`` that the kernel ``wanted`` is to have.

    Raises:
        MomagenError: a target of its own that the library lacks.
    """
    known = {variant.given: variant for variant in variants} | {variant.name: variant for variant in variants}
    if unknown := [name for name in wanted.targets or () if name not in known]:
        where = f"kernel {wanted.name}, targets"
        raise MomagenError(f"targets among the library's ({', '.join(known)})", ", ".join(unknown), where)
    chosen = {known[name].name for name in wanted.targets or known}
    return tuple(variant for variant in variants if variant.name in chosen)


def member(wanted: Wanted, library: str, own: tuple[Variant, ...], made_by: str) -> Member:
    """The kernel ``wanted``, generated for its ``own`` variants."""
    values = {field.name: getattr(wanted.spec, field.name) for field in fields(Spec)}
    symbols = {variant.given: f"{library}_{wanted.name}_{variant.name}" for variant in own}
    specs = [
        VariantSpec(**{**values, "target": given}, symbol=name, made_by=made_by) for given, name in symbols.items()
    ]
    rows = [of_modulus(spec, spec.basis.index(spec.modulus)) if spec.basis else spec for spec in specs]
    sources, whole = tuple(map(generate, rows)), replace(wanted.spec, target=own[0].given)
    spec = of_modulus(whole, whole.basis.index(whole.modulus)) if whole.basis else whole
    tried = [of_size(spec, n) for n in TRIED if n in spec.sizes] if spec.sized else [spec]
    known = tuple((each, tuple(answers(each))) for each in tried)
    return Member(wanted.name, library, whole, own, sources, known)
