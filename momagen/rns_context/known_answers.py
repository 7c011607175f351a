"""Known answers for the context's own test: digests of the results of all operations, computed by definition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from momagen.clib.known_answers import digest, splitmix
from momagen.kernels.residues.arith import Arith
from momagen.params.roots import primitive_root

from .cases import ContextTrial, build_cases, build_trials, choose_exponent
from .definition import ContextDefinition, Rows
from .methods import Methods

DEGREE = 16
"""The number of coefficients, if the context serves it."""
WORD = Arith(64, 64)


class KnownAnswer(NamedTuple):
    """The digest of the result of one operation at one level.

    Attributes:
        operation: The name of the function.
        level: The level of its operands.
        extended: Whether the operands are extended.
        digest: The digest of the result.
    """

    operation: str
    level: int
    extended: bool
    digest: int


class KnownAnswers(NamedTuple):
    """The digests of all operations of one context at some levels.

    Attributes:
        trial: The parameters of the context.
        levels: The levels, which are also the seeds of their polynomials.
        answers: The digests.
    """

    trial: ContextTrial
    levels: Sequence[int]
    answers: Sequence[KnownAnswer]


def build_test_values(lengths: Sequence[int], methods: Methods, max_n: int) -> dict[str, object]:
    """Return what the template of the test uses."""
    degree = min(DEGREE, max_n)
    known = [*compute_known_answers(lengths, methods, degree)]
    return {
        "degree": degree, "galois": choose_exponent(degree), "known": known,
        "most_digits": max(each.trial.digits for each in known),
        "most_rows": max(len(each.trial.q) + len(each.trial.p) for each in known),
    }  # fmt: skip


def compute_known_answers(lengths: Sequence[int], methods: Methods, degree: int) -> Iterator[KnownAnswers]:
    """Yield the answers for contexts with moduli of the given lengths in bits, at the lowest and the highest level.

    The polynomials of a level are drawn from the SplitMix64 stream whose seed is the level, residue by residue, each
    modulo its modulus.
    """
    for trial in build_trials(lengths, degree):
        roots = [primitive_root(2 * degree, q) for q in (*trial.q, *trial.p)]
        definition = ContextDefinition(degree, *trial, roots, methods)
        levels = sorted({1, len(trial.q)})
        yield KnownAnswers(trial, levels, [each for level in levels for each in _answer_level(definition, level)])


def _answer_level(definition: ContextDefinition, level: int) -> Iterator[KnownAnswer]:
    """Yield the answers of one level."""
    stream = splitmix(level)

    def draw(moduli: Sequence[int]) -> Rows:
        return [[next(stream) % q for _ in range(definition.n)] for q in moduli]

    for case in build_cases(definition, level, draw):
        numbers = [number for row in case.expected for number in row]
        yield KnownAnswer(case.operation, level, case.extended, digest(numbers, WORD))
