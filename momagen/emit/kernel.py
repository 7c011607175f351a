"""A finished kernel as text in the language of its target: its files, and the comment on top of them."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from textwrap import wrap

from momagen import __version__
from momagen.errors import MomagenError
from momagen.formula.breakdown import ALGORITHMS, RING
from momagen.kernels.spec.kinds import BLAS
from momagen.kernels.spec.spec import Spec
from momagen.languages import LANGUAGES
from momagen.lower.kernels import Lowered, lowered
from momagen.plan.ways import way
from momagen.targets import load_target
from momagen.templates import templates

from .c.file import files
from .cuda.file import cuda_files
from .python import module


def headline(spec: Spec) -> str:
    """The first line of the comment on top."""
    if spec.kind in BLAS:
        found = f"z = {spec.formula}, element by element, on vectors of any length"
    else:
        what = f"Product of polynomials of {spec.n} coefficients" if spec.kind == "polymul" else _transform(spec)
        kind = f"values on the coset of {spec.coset}" if spec.coset else f"{'nega' * spec.negacyclic}cyclic"
        ring = f"x^n {'+' if spec.negacyclic else '-'} {spec.power} ({kind})"
        found = f"{what} modulo q of up to {spec.width} bits, ring {ring}"
    return f"{found}{', for every modulus of a basis' * bool(spec.basis)}."


def _transform(spec: Spec) -> str:
    points = f"2 to {spec.n}" if spec.sized else spec.n
    named = not spec.sized and spec.algorithm != RING and way(spec) == "words"
    by = f" ({ALGORITHMS[spec.algorithm].title})" if named else ""
    columns = f" in each of {spec.columns} columns" if spec.columns > 1 else ""
    return f"{'Inverse n' if spec.inverse else 'N'}umber theoretic transform of {points} points{columns}{by}"


WIDTH = 112
"""Columns of the list of rules."""


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
        program: what a host must know to launch it, where it runs on a device.
    """

    spec: Spec
    name: str
    source: str
    header: str
    rules_applied: Counter[str]
    operations: Counter[str]
    notes: list[str] = field(default_factory=list)
    moduli: str = ""
    program: object = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.moduli = self.moduli or self.spec.moduli

    @property
    def files(self) -> dict[str, str]:
        """The texts by the ends of their names."""
        return dict(zip(suffixes(self.spec), (self.source, self.header), strict=False))


def banner(made: Lowered) -> str:
    """The comment on top that lets a stranger trust the file."""
    applied = ", ".join(f"{label} ×{count}" for label, count in sorted(made.rules_applied.items()))
    return templates().get_template("c/banner.j2").render(
        version=__version__, what=headline(made.spec), target=made.writer.target, spec=made.spec, moduli=made.moduli,
        rules_applied=wrap(applied, WIDTH, break_long_words=False, break_on_hyphens=False) or [""],
    )  # fmt: skip


Emitter = Callable[[str, Lowered], tuple[str, str]]
EMITTERS: dict[str, Emitter] = {"c": files, "cuda": cuda_files, "python": module}
"""By the syntax of a target: from the comment on top and a kernel to its text, and that of a header or "" for none."""


def generate(spec: Spec) -> Source:
    """The source and header of the kernel that ``spec`` asks for; the same spec gives the same bytes."""
    _check(spec)
    with _no_collection():
        made = lowered(spec)
        text, header = EMITTERS[made.writer.target.syntax](banner(made), made)
    return Source(
        spec, spec.name, text, header, made.rules_applied, made.operations, made.notes, made.moduli, made.program
    )


@contextmanager
def _no_collection() -> Iterator[None]:
    """Leave memory to counters of references: cycles are few, and looking for them takes a tenth of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


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
