"""The ISA variants of a library: targets that it chooses between at run time, best first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from momagen.build.native import in_c, named
from momagen.errors import MomagenError
from momagen.kernels.spec.fields import ROW
from momagen.languages import COMPILED
from momagen.targets import Target, load_target, narrower, right

from .features import Feature, feature, known

IDENTIFIER = re.compile(r"[a-z][a-z0-9_]*")
"""What becomes part of C names, of CMake's, and of file names."""


@dataclass(frozen=True)
class Variant:
    """A target as an ISA variant; ``given`` is how the user wrote it: a name or the path of a TOML file."""

    given: str
    target: Target
    features: tuple[Feature, ...]

    @property
    def name(self) -> str:
        return self.target.name

    @property
    def upper(self) -> str:
        return self.name.upper()


def variants(given: Sequence[str] | None, layout: str = "", bits: int = 0) -> tuple[Variant, ...]:
    """Return the variants for the targets ``given``, best first.

    Args:
        given: the targets; None stands for every shipped target with 64-bit words that can be a variant.
        layout: the words of vectors, as in :func:`in_layout`.
        bits: the bits of the longest modulus.

    Raises:
        MomagenError: there are no targets, a target is unknown or listed twice, its features cannot be detected at run
            time, the targets have words of several sizes, or do not support the layout.
    """
    names = _possible(layout) if given is None else named(given)
    found = [_variant(name) for name in in_layout(names, layout, bits)]
    if not found:
        raise MomagenError("at least one target", "none", "targets")
    if twice := first_twice(variant.name for variant in found):
        raise MomagenError("every target once", f"{twice} twice", "targets")
    if len({variant.target.word for variant in found}) > 1:
        got = ", ".join(f"{variant.name} ({variant.target.word} bits)" for variant in found)
        expected = "targets with words of the same size, because a library has one interface"
        raise MomagenError(expected, got, "targets")
    return tuple(sorted(found, key=lambda variant: variant.target.rank))


def in_layout(names: Sequence[str], layout: str, bits: int) -> list[str]:
    """The targets of ``layout`` that stand for those called ``names``, each once; these themselves where it is ""."""
    return [*dict.fromkeys(narrower(right(name, "targets"), bits, layout) for name in names)] if layout else [*names]


def _possible(layout: str) -> list[str]:
    """Shipped targets of 64-bit words, of those with a ``layout`` in which these have it."""
    able = [target for target in map(load_target, in_c()) if all(map(known, target.features)) and target.word == ROW]
    return [target.name for target in able if layout in target.layouts] or [target.name for target in able]


def _variant(given: str) -> Variant:
    target = load_target(right(given, "targets"))
    if target.syntax != COMPILED:
        raise MomagenError("a target in C", f"{given}, which is in {target.syntax}", "targets")
    if not IDENTIFIER.fullmatch(target.name):
        raise MomagenError("a target whose name has only lower-case letters, digits and _", target.name, "targets")
    return Variant(given, target, tuple(feature(name, f"target {target.name}, features") for name in target.features))


def first_twice(items: Iterable[str]) -> str:
    """The first item that came before, "" where all differ."""
    seen: set[str] = set()
    return next((item for item in items if item in seen or seen.add(item)), "")  # type: ignore[func-returns-value]
