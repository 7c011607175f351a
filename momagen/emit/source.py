"""What generation gives: texts by their names, and what was made from what."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any

from momagen.kinds.modular.spec import Spec
from momagen.kinds.registry import kind_of
from momagen.languages import LANGUAGES


def headline(spec: Spec) -> str:
    """Return the first sentence of a generated file, which says what the kernel computes."""
    return f"{spec.kind.headline(spec)}{', for every modulus of an RNS basis' * bool(spec.basis)}."


WIDTH = 112
"""Columns of the list of rules."""


def plain(comment: str) -> str:
    """The text of a comment in C."""
    return comment.strip().removeprefix("/*").removesuffix("*/").strip()


def suffixes(spec: Any) -> tuple[str, ...]:
    """How the names of the files of ``spec`` end, its text first."""
    return LANGUAGES[spec.target.syntax].suffixes


@dataclass
class Source:
    """What was generated.

    Attributes:
        source, header: the two files; a language without headers has one. name: their base name, and what functions
            begin with.
        rules_applied: how often each rule was applied. operations: word operations of one pass over all codelets, by
            operation.
        moduli: those that the build serves, in words; by default what the specification says.
        program: what a host must know to launch it, where it runs on a device.
    """

    spec: Any
    name: str
    source: str
    header: str
    rules_applied: Counter[str]
    operations: Counter[str]
    notes: list[str] = field(default_factory=list)
    moduli: str = ""
    program: object = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.moduli = self.moduli or kind_of(self.spec).served(self.spec)

    @property
    def files(self) -> dict[str, str]:
        """The texts by the ends of their names."""
        return dict(zip(suffixes(self.spec), (self.source, self.header), strict=False))


def wrapped(rules_applied: Counter[str]) -> list[str]:
    """How often each rule was applied, in lines."""
    applied = ", ".join(f"{label} ×{count}" for label, count in sorted(rules_applied.items()))
    return wrap(applied, WIDTH, break_long_words=False, break_on_hyphens=False) or [""]
