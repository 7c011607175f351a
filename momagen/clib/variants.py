"""The ISA variants of a library: the targets that it selects from at run time, best first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from momagen.errors import MomagenError
from momagen.kernels.requests.fields import ROW
from momagen.languages import COMPILED
from momagen.runtime.native import in_c, named
from momagen.targets import Target, load_target, narrower, right

from .features import Feature, feature, known

IDENTIFIER = re.compile(r"[a-z][a-z0-9_]*")
"""The names that can be parts of names in C and CMake, and of file names."""


@dataclass(frozen=True)
class Variant:
    """A target as an ISA variant.

    Attributes:
        given: The target as the user wrote it: a name or the path of a TOML file.
        target: The target.
        features: The CPU features that it needs.
    """

    given: str
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
    """Return the variants of targets with the words of ``layout``, each once, or the targets themselves if it is ""."""
    return [*dict.fromkeys(narrower(right(name, "targets"), bits, layout) for name in names)] if layout else [*names]


def _possible(layout: str) -> list[str]:
    """Return the shipped targets with 64-bit words; only those that support the ``layout``, if any of them does."""
    able = [target for target in map(load_target, in_c()) if all(map(known, target.features)) and target.word == ROW]
    return [target.name for target in able if layout in target.layouts] or [target.name for target in able]


def _variant(given: str) -> Variant:
    """Return the ISA variant for a target.

    Raises:
        MomagenError: The target is unknown, is not in C, or has features that a C program cannot detect.
    """
    target = load_target(right(given, "targets"))
    if target.syntax != COMPILED:
        raise MomagenError("a target in C", f"{given}, which is in {target.syntax}", "targets")
    if not IDENTIFIER.fullmatch(target.name):
        raise MomagenError("a target whose name has only lower-case letters, digits and _", target.name, "targets")
    return Variant(given, target, tuple(feature(name, f"target {target.name}, features") for name in target.features))


def first_twice(items: Iterable[str]) -> str:
    """Return the first item that occurs for the second time, or "" if all differ."""
    seen: set[str] = set()
    return next((item for item in items if item in seen or seen.add(item)), "")  # type: ignore[func-returns-value]
