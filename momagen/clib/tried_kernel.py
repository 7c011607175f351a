"""What a library's own test and benchmark try: a kernel, or one size of it, with known answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from momagen.kernels.residues.arith import Arith
from momagen.kernels.spec.spec import Spec

from .known_answers import Answer, words_of


@dataclass(frozen=True)
class TriedKernel:
    """A row of the tables in ``tests/kernels.c``. A call has any number of units: transforms, products or elements.

    Attributes:
        row: the name of the row. name, symbol: those of the kernel.
        arith: how a residue is held. answers: the known answers.
        arguments: the arguments of ``create`` in C, where q and root are those of an answer.
        rows: the number of rows of each operand. A row has ``size`` residues for each unit of the call.
        result_rows: the number of rows of the result. Each has ``gives`` residues for each unit.
        scalars: the number of operands that have one residue per row whatever the call; they come first.
        work, works: what the benchmark counts, and how often a unit does that.
        count: units of one known answer. batch: units that are enough for three threads, or two.
        brief: whether one unit takes so long that tests do the least.
        in_place: the largest number of units of a call whose result may take the place of the first vector, as C.
        output: the result is below ``output``·q; 0 if it has all values of its words.
        odd: whether moduli must be odd. rooted: whether ``create`` takes a root.
        moduli: the number of moduli of an answer.
        counts: the numbers that ``create`` takes of an answer; the first ``bases`` of them count moduli.
        by_rows: whether there is a function that takes rows by pointers.
        chained: whether the benchmark takes results as operands.
        max_n: the largest size of a kernel whose ``create`` takes a size; 0 for others.
        basis: whether ``create`` takes a number of moduli, each with its own plan.
        spec: the request of a kernel that may have an inverse in the library; None for kernels on rows.
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
        """Return the words of numbers as C, the low word of each first."""
        return [f"UINT{self.arith.word}_C({word:#x})" for value in values for word in words_of(value, self.arith)]


def undone_by(trial: TriedKernel, trials: Sequence[TriedKernel]) -> int:
    """Return the index of the inverse of ``trial`` that takes what ``trial`` gives; -1 if there is none."""
    return next((at for at, other in enumerate(trials) if _undoes(other.spec, trial.spec)), -1)


def _undoes(other: Spec | None, spec: Spec | None) -> bool:
    if not spec or not other:
        return False
    ways = [(s.kind, s.n, s.columns, s.degree, s.negacyclic, s.order, s.modulus, s.root) for s in (other, spec)]
    taken = spec.ranges.output <= other.ranges.input and not other.montgomery + spec.montgomery
    return spec.kind == "ntt" and ways[0] == ways[1] and other.inverse != spec.inverse and taken
