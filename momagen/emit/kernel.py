"""A kernel as files, in the language of its target."""

from __future__ import annotations

from collections.abc import Callable

from momagen.errors import MomagenError
from momagen.kernels.spec.spec import Spec
from momagen.languages import LANGUAGES
from momagen.lower.kernels import Lowered, lowered
from momagen.targets import load_target

from .c.file import files
from .python import module
from .source import Source, banner

Emitter = Callable[[str, Lowered], tuple[str, str]]
EMITTERS: dict[str, Emitter] = {"c": files, "python": module}
"""By the syntax of a target: from the comment on top and a kernel to its text, and that of a header or "" for none."""


def generate(spec: Spec) -> Source:
    """The source and header of the kernel that ``spec`` asks for; the same spec gives the same bytes."""
    _check(spec)
    made = lowered(spec)
    text, header = EMITTERS[made.writer.target.syntax](banner(made), made)
    return Source(spec, spec.name, text, header, made.rules_applied, made.operations, made.notes, made.moduli)


def _check(spec: Spec) -> None:
    """Refuse what the language of the target does not print."""
    target = load_target(spec.target)
    syntax, language = target.syntax, LANGUAGES[target.syntax]
    if target.word not in language.words:
        expected = f"words of {' or '.join(map(str, language.words))} bits in {syntax}"
        raise MomagenError(expected, f"{target.word} bits", f"target {target.name}")
    if spec.sized and not language.families:
        raise MomagenError(f"a transform of one size in {syntax}", "one of any size", "target")
    if spec.n and 0 < language.longest < spec.elements:
        raise MomagenError(f"at most {language.longest} points in {syntax}", spec.elements, "n")
