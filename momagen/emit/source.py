"""What generation gives: texts by their names, and what was made from what."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any

from momagen.formula.breakdown import ALGORITHMS, RING
from momagen.kinds.modular.derived.meaning import formula_of
from momagen.kinds.modular.kinds import BASEMUL, BLAS, LDE
from momagen.kinds.modular.spec import Spec
from momagen.kinds.registry import kind_of
from momagen.languages import LANGUAGES
from momagen.plan.ways import way

WHAT = {
    "polymul": "Product of polynomials of {n} coefficients",
    BASEMUL: "Products of incomplete transforms of {n} points, one product modulo each factor X^{d} - c,",
}


def headline(spec: Spec) -> str:
    """Return the first sentence of a generated file, which says what the kernel computes."""
    if spec.kind in BLAS:
        how = "" if spec.sums else " element by element,"
        found = f"z = {formula_of(spec)},{how} on vectors of any length"
    elif spec.kind == LDE:
        columns = f" in each of {spec.columns} columns" if spec.columns > 1 else ""
        points = f"{spec.n} to {spec.n * spec.blowup} values{columns} on the coset of {spec.coset}"
        found = f"Low-degree extension from {points}, modulo q of up to {spec.width} bits"
    else:
        what = WHAT[spec.kind].format(n=spec.length, d=spec.degree) if spec.kind in WHAT else _transform(spec)
        kind = f"values on the coset of {spec.coset}" if spec.coset else f"{'nega' * spec.negacyclic}cyclic"
        ring = f"X^n {'+' if spec.negacyclic else '-'} {spec.power} ({kind})"
        found = f"{what} {'for' if spec.kind == BASEMUL else 'modulo'} q of up to {spec.width} bits, ring {ring}"
    return f"{found}{', for every modulus of an RNS basis' * bool(spec.basis)}."


def _transform(spec: Spec) -> str:
    points = f"2 to {spec.n}" if spec.sized else spec.length
    named = not spec.sized and spec.algorithm != RING and way(spec) == "words"
    by = f" ({ALGORITHMS[spec.algorithm].title})" if named else ""
    columns = f", {spec.depth} levels" * (spec.degree > 1)
    columns += f" in each of {spec.across} columns" * (spec.across > 1)
    moved = f" with the automorphism X -> X^{spec.automorphism}" * (spec.automorphism > 1)
    return f"{'Inverse n' if spec.inverse else 'N'}umber theoretic transform of {points} points{columns}{moved}{by}"


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
