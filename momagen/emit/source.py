"""The result of generation: the texts of the files of a kernel, with the rules and operations that it consists of."""

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
"""The number of columns of the list of rules."""


def plain(comment: str) -> str:
    """Return the text of a C comment without the comment marks."""
    return comment.strip().removeprefix("/*").removesuffix("*/").strip()


def suffixes(spec: Any) -> tuple[str, ...]:
    """Return the endings of the names of the files of ``spec``, the source first."""
    return LANGUAGES[spec.target.syntax].suffixes


@dataclass
class Source:
    """The generated files of a kernel.

    Attributes:
        spec: The request.
        name: The base name of the files, which is also the prefix of the functions.
        source: The text of the source file.
        header: The text of the header, or "" if the language has none.
        rules_applied: The number of applications of each rewrite rule.
        operations: The number of word operations of each kind in one pass over all codelets.
        notes: Remarks for the report.
        moduli: A description of the moduli that the build supports; by default, the kind's description.
        program: The program that a host needs to launch a kernel on a device, or None.
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
        """The texts by the endings of their file names."""
        return dict(zip(suffixes(self.spec), (self.source, self.header), strict=False))


def wrapped(rules_applied: Counter[str]) -> list[str]:
    """Return the number of applications of each rule, as lines of text."""
    applied = ", ".join(f"{label} ×{count}" for label, count in sorted(rules_applied.items()))
    return wrap(applied, WIDTH, break_long_words=False, break_on_hyphens=False) or [""]
