"""The kernels that a library's own test and benchmark try, each with known answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from momagen.kernels.residues.arith import Arith
from momagen.kinds.modular.spec import Spec

from .known_answers import Answer, words_of


@dataclass(frozen=True)
class TriedKernel:
    """A row of the tables in ``tests/kernels.c``: a kernel, or one size of it.

    A call processes any number of units, which are transforms, products, elements or columns.

    Attributes:
        row: The name of the row.
        name: The name of the kernel.
        symbol: The prefix of the kernel's functions.
        arith: The words of a residue.
        answers: The known answers.
        arguments: The arguments of ``create`` in C, where q and root are those of an answer.
        rows: The number of rows of each operand.
        size: The number of residues of an operand's row for each unit.
        result_rows: The number of rows of the result.
        gives: The number of residues of a result's row for each unit.
        scalars: The number of operands that have one residue per row in any call; they come first.
        work: The operation that the benchmark counts.
        works: The number of these operations in a unit.
        count: The number of units of one known answer.
        batch: A number of units that is large enough for three threads, or for two.
        brief: Whether one unit takes so long that tests do the least.
        in_place: The largest number of units of a call whose result may overwrite the first vector, as a C expression.
        output: The factor for which results are below ``output``·q, or 0 if they may have all values of their words.
        odd: Whether moduli must be odd.
        rooted: Whether ``create`` takes a root.
        moduli: The number of moduli of an answer.
        counts: The numbers that ``create`` takes with an answer.
        bases: How many of ``counts`` are numbers of moduli; they come first.
        by_rows: Whether there is a function that takes rows by pointers.
        chained: Whether the benchmark uses results as operands.
        max_n: The largest size of a kernel whose ``create`` takes a size, or 0.
        basis: Whether ``create`` takes a number of moduli, each with its own plan.
        spec: The request of a kernel that may have an inverse in the library, or None for kernels on rows.
    """

    row: str
    name: str
    symbol: str
    arith: Arith
    answers: Sequence[Answer]
    arguments: str
    rows: tuple[int, ...]
    size: int = 1
    result_rows: int = 1
    gives: int = 1
    scalars: int = 0
    work: str = "element"
    works: int = 1
    count: int = 1
    batch: int = 2
    brief: bool = False
    in_place: str = "SIZE_MAX"
    output: int = 1
    odd: bool = False
    rooted: bool = False
    moduli: int = 1
    counts: tuple[int, ...] = ()
    bases: int = 0
    by_rows: bool = False
    chained: bool = False
    max_n: int = 0
    basis: bool = False
    spec: Spec | None = None

    def literals(self, values: Iterable[int]) -> list[str]:
        """Return the words of numbers as C literals, the low word of each first."""
        return [f"UINT{self.arith.word}_C({word:#x})" for value in values for word in words_of(value, self.arith)]


def undone_by(trial: TriedKernel, trials: Sequence[TriedKernel]) -> int:
    """Return the index of the kernel in ``trials`` that inverts ``trial`` and accepts its results, or -1."""
    return next((at for at, other in enumerate(trials) if _undoes(other.spec, trial.spec)), -1)


def _undoes(other: Spec | None, spec: Spec | None) -> bool:
    """Return whether ``other`` is the inverse of ``spec`` and accepts its results."""
    if not spec or not other:
        return False
    ways = [(s.kind, s.n, s.columns, s.degree, s.negacyclic, s.order, s.modulus, s.root) for s in (other, spec)]
    taken = spec.ranges.output <= other.ranges.input and not other.montgomery + spec.montgomery
    return spec.kind.has_inverse and ways[0] == ways[1] and other.inverse != spec.inverse and taken
