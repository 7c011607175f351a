"""Kinds of kernels that compute every column of their result from the same column of their operands."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from gmpy2 import mpz

from momagen.lazy import on_call

from .declared import DeclaredKind

if TYPE_CHECKING:
    from momagen.api.kernel import Kernel
    from momagen.verify import Progress, Report

verify_columns: Callable[..., Report] = on_call("momagen.verify.columns", "verify_columns")


class Column(NamedTuple):
    """One column of a result, by the definition.

    Attributes:
        residues: The residues, one for each row.
        is_guaranteed: Whether the kernel guarantees these residues; methods that round may miss some.
        multiples: The numbers that may be added to the result, the same one in all rows.
    """

    residues: Sequence[int]
    is_guaranteed: bool = True
    multiples: Sequence[int] = (0,)

    def allows(self, found: Sequence[int], moduli: Sequence[int]) -> bool:
        """Return whether a kernel may compute the residues ``found`` modulo the moduli of the rows."""
        rows = [*zip(found, self.residues, moduli, strict=True)]
        return any(all(x == (y + multiple) % q for x, y, q in rows) for multiple in self.multiples)


class ColumnsKind(DeclaredKind):
    """A kind of kernel that computes every column of its result from the same column of its operands.

    Attributes:
        permutes: Whether a call takes a permutation of the columns of the first operand as its last operand.
    """

    permutes: ClassVar[bool] = False

    @abstractmethod
    def define(self, request: Any, column: Sequence[mpz]) -> Column:
        """Return a column of the result: the definition of the kernel, on integers of gmpy2.

        Args:
            request: The request.
            column: The residues of one column of all operands, one for each row.
        """

    @abstractmethod
    def edge_columns(self, request: Any) -> Mapping[str, Sequence[int]]:
        """Return the columns of operands at which an incorrect kernel may first fail, by name."""

    @abstractmethod
    def tops(self, request: Any) -> Sequence[Sequence[int]]:
        """Return, for each operand, the number above the residues of each row."""

    def shapes(self, request: Any) -> Sequence[tuple[int, ...]]:
        """Return the shape of each operand without its last axis, the columns."""
        return [(len(rows),) for rows in self.tops(request)]

    def random_column(self, request: Any, rng: Random) -> Sequence[int]:
        """Return a random column of the operands, for which the kernel is correct or nearly always correct."""
        return [rng.randrange(top) for top in chain(*self.tops(request))]

    def verify(self, kernel: Kernel, *, seed: int, progress: Progress, sizes: Sequence[int]) -> Report:
        """Compare the kernel with its definition."""
        progress(0.0, kernel.name)
        report = verify_columns(kernel.name, kernel, self, kernel.spec, seed)
        return replace(report, emulated=tuple(kernel.compiled.missing))
