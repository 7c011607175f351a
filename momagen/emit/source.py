"""A finished kernel as text: its files, and the comment on top that says what they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from momagen import __version__
from momagen.kernels.spec.spec import Spec
from momagen.languages import LANGUAGES
from momagen.lower.writer import ProgramWriter
from momagen.targets import load_target

from .c.text import templates


def suffixes(spec: Spec) -> tuple[str, ...]:
    """How the names of the files of ``spec`` end, its text first."""
    return LANGUAGES[load_target(spec.target).syntax].suffixes


@dataclass
class Source:
    """What was generated.

    Attributes:
        source, header: the two files; a language without headers has one. name: their base name, and what functions
            begin with.
        rules_applied: how often each rule was applied. operations: word operations of one pass over all codelets, by
            operation.
        moduli: those that the build serves, in words; by default what the specification says.
    """

    spec: Spec
    name: str
    source: str
    header: str
    rules_applied: Counter[str]
    operations: Counter[str]
    notes: list[str] = field(default_factory=list)
    moduli: str = ""

    def __post_init__(self) -> None:
        self.moduli = self.moduli or self.spec.moduli

    @property
    def files(self) -> dict[str, str]:
        """The texts by the ends of their names."""
        return dict(zip(suffixes(self.spec), (self.source, self.header), strict=False))


def banner(spec: Spec, writer: ProgramWriter, what: str) -> str:
    """The header comment that lets a stranger trust the file."""
    return banner_of(spec, what, writer.moduli, writer.trace.rules_applied)


def banner_of(spec: Spec, what: str, moduli: str, rules_applied: Mapping[str, int]) -> str:
    """The same from its parts."""
    applied = ", ".join(f"{label} ×{count}" for label, count in sorted(rules_applied.items()))
    return templates().get_template("c/banner.j2").render(
        version=__version__, what=what, command=spec.command(), target=load_target(spec.target),
        modulus=hex(spec.modulus), root=hex(spec.root), bits=spec.width, spec=spec, moduli=moduli,
        rules_applied=_wrapped(applied),
    )  # fmt: skip


def _wrapped(text: str, width: int = 112) -> list[str]:
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        if len(line) + len(word) >= width:
            lines, line = [*lines, line], ""
        line = f"{line} {word}".strip()
    return [*lines, line]
