"""The ISA variants of a library: the targets that it selects from at run time, best first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from momagen.errors import MomagenError
from momagen.kinds.modular.fields import ROW
from momagen.languages import COMPILED
from momagen.runtime.native import in_c, named
from momagen.targets import Target
from momagen.values.targets import requested_target

from .features import Feature, feature, known

IDENTIFIER = re.compile(r"[a-z][a-z0-9_]*")
"""The names that can be parts of names in C and CMake, and of file names."""


@dataclass(frozen=True)
class Variant:
    """A target as an ISA variant.

    Attributes:
        target: The target.
        features: The CPU features that it needs.
    """

    target: Target
    features: tuple[Feature, ...]

    @property
    def name(self) -> str:
        """The name of the target."""
        return self.target.name

    @property
    def upper(self) -> str:
        """The name of the target in upper case."""
        return self.name.upper()


def variants(given: Sequence[str] | None, layout: str = "", bits: int = 0) -> tuple[Variant, ...]:
    """Return the ISA variants for targets, best first.

    Args:
        given: The targets, or None for every shipped target with 64-bit words that can be a variant.
        layout: The words of vectors, as in :func:`in_layout`.
        bits: The width of the longest modulus in bits.

    Raises:
        MomagenError: There is no target, a target is unknown, is listed twice, or cannot be detected by a C program at
            run time, the targets have words of several sizes, or they do not support the layout.
    """
    targets = _possible(layout) if given is None else [requested_target(name, "targets") for name in named(given)]
    found = [_variant(target) for target in in_layout(targets, layout, bits)]
    if not found:
        raise MomagenError("at least one target", "none", "targets")
    if twice := first_twice(variant.name for variant in found):
        raise MomagenError("every target once", f"{twice} twice", "targets")
    if len({variant.target.word for variant in found}) > 1:
        got = ", ".join(f"{variant.name} ({variant.target.word} bits)" for variant in found)
        expected = "targets with words of the same size, because a library has one interface"
        raise MomagenError(expected, got, "targets")
    return tuple(sorted(found, key=lambda variant: variant.target.rank))


def in_layout(targets: Sequence[Target], layout: str, bits: int) -> list[Target]:
    """Return the variants of targets with the words of ``layout``, each once, or the targets themselves if it is ""."""
    return [*dict.fromkeys(target.narrower(bits, layout) for target in targets)] if layout else [*targets]


def _possible(layout: str) -> list[Target]:
    """Return the shipped targets with 64-bit words; only those that support the ``layout``, if any of them does."""
    able = [target for target in in_c() if all(map(known, target.features)) and target.word == ROW]
    return [target for target in able if layout in target.layouts] or able


def _variant(target: Target) -> Variant:
    """Return the ISA variant for a target.

    Raises:
        MomagenError: The target is not in C, or has features that a C program cannot detect.
    """
    if target.syntax != COMPILED:
        raise MomagenError("a target in C", f"{target}, which is in {target.syntax}", "targets")
    if not IDENTIFIER.fullmatch(target.name):
        raise MomagenError("a target whose name has only lower-case letters, digits and _", target.name, "targets")
    return Variant(target, tuple(feature(name, f"target {target.name}, features") for name in target.features))


def first_twice(items: Iterable[str]) -> str:
    """Return the first item that occurs for the second time, or "" if all differ."""
    seen: set[str] = set()
    return next((item for item in items if item in seen or seen.add(item)), "")  # type: ignore[func-returns-value]
