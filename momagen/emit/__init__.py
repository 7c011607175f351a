"""From a specification to text in the language of its target."""

from __future__ import annotations

from momagen.errors import MomagenError
from momagen.kernels.spec.spec import Spec
from momagen.languages import LANGUAGES
from momagen.targets import load_target

from .basis import basis_source
from .kernel import kernel
from .sizes import sized_source
from .source import Source


def generate(spec: Spec) -> Source:
    """The source and header of the kernel that ``spec`` asks for; the same spec gives the same bytes."""
    _check(spec)
    if spec.basis and LANGUAGES[load_target(spec.target).syntax].families:
        return basis_source(spec)
    return sized_source(spec) if spec.sized else kernel(spec)


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


__all__ = ["Source", "generate"]
