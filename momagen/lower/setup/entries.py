"""The entries of tables, and the plan constants next to them, as columns of derived constants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from momagen.kernels.residues.arith import Arith
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Name, Statement, Type
from momagen.program.expressions import choice

from .derived import DERIVED, OF_VALUE, OVER, Held

V = Name("v", Type.WORDS)


@dataclass(frozen=True)
class Entry:
    """The constants that a table contains for a twiddle v.

    Attributes:
        columns: The representations of the constants.
        rows: The number of rows, or 0. If it is not 0, row i contains the columns for v 2^(i · bits of a
            limb) mod q instead of v. There is one row for each limb of a factor.
        first: The index i of the first row.
    """

    columns: tuple[Held, ...]
    rows: int = 0
    first: int = 1

    @property
    def plain(self) -> bool:
        """Whether the rows only contain constants that are computed without r.

        The functions then move v instead of r from row to row.
        """
        return self.rows > 0 and {column.number for column in self.columns} <= OF_VALUE

    @property
    def value(self) -> bool:
        """Whether the columns are computed from v."""
        return any(column.number in OF_VALUE for column in self.columns)

    @property
    def over(self) -> bool:
        """Whether the columns are computed from the quotient of v by q."""
        return any(column.number in OVER for column in self.columns)

    @property
    def words(self) -> int:
        """The number of words of an entry."""
        return sum(column.digits for column in self.columns) * max(self.rows, 1)

    def __str__(self) -> str:
        last = self.first + self.rows - 1
        which = f"i = {last}" if self.rows == 1 else f"i from {self.first} to {last}"
        rows = f", each with v 2^(i · bits of a limb) mod q in place of v, for {which}" * bool(self.rows)
        *before, end = map(str, self.columns)
        return " and ".join([", ".join(before), end] if before else [end]) + rows


@dataclass(frozen=True)
class TransformConstants:
    """All constants of a transform.

    Attributes:
        arith: The arithmetic on words with which a plan is computed.
        shared: The entry of a twiddle that all lanes share.
        apart: The entry of a twiddle of one lane.
        digit: The number of bits of a limb.
        kept: The plan constants that follow q, 1/q, R^2 and 2^digit R mod q, by name.
    """

    arith: Arith
    shared: Entry
    apart: Entry
    digit: int = 0
    kept: Mapping[str, Held] = field(default_factory=dict)

    def words(self, lanes: Expr) -> Expr:
        """Return the number of words of an entry for ``lanes`` lanes."""
        shared, apart = self.shared.words, self.apart.words
        return lanes * (shared if shared == apart else choice(lanes > 1, apart, shared))

    @property
    def columns(self) -> list[Held]:
        """The representations of all constants."""
        return [*self.kept.values(), *self.shared.columns, *self.apart.columns]

    @property
    def quotient(self) -> int:
        """The number of words of the longest quotient by q, divided by the number of words of a residue."""
        return -(-max([1, *(column.end for column in self.columns)]) // self.arith.held)

    @cached_property
    def places(self) -> dict[str, int]:
        """The offsets of plan constants in c, by name.

        They are "fold", which is 2^digit R mod q, the constants of ``kept``, and at the end "scale", the
        factor of all results.
        """
        found, at = {"fold": 3 * self.arith.words}, 4 * self.arith.words
        for name, column in self.kept.items():
            found[name], at = at, at + column.digits
        return {**found, "scale": at}


def write_entries(writer: ProgramWriter, constants: TransformConstants, name: str = "") -> None:
    """Write the functions that store constants, and the functions that they call.

    They are put_entry(entry, step, r, c) and, if there are plan constants other than q, 1/q and R^2,
    put_constants(c, one).

    Args:
        writer: The writer of the program.
        constants: The constants of the transform.
        name: The prefix of the name of put_entry.
    """
    if constants.quotient > 1:
        writer.write("put_fraction", length=constants.quotient)
    shared, apart, kept = constants.shared, constants.apart, Entry(tuple(constants.kept.values()))
    fold, first, *_ = constants.places.values()
    given: dict[str, Any] = {"fold": fold, "length": constants.quotient}
    writer.write(
        "put_entry", f"{name}put_entry", shared=shared, apart=apart, uneven=apart != shared,
        put_shared=_columns(constants, shared), put_apart=_columns(constants, apart), **given,
    )  # fmt: skip
    if constants.kept:
        put_kept = _columns(constants, kept, first)
        writer.write("put_constants", digit=constants.digit, kept=kept, put_kept=put_kept, **given)


def _columns(constants: TransformConstants, entry: Entry, first: int = 0) -> Callable[..., Sequence[Statement]]:
    """Return a function that returns statements to store a row of ``entry``.

    Its arguments are the array, the distance of limbs, the twiddle r, and the index of the row. The rows of
    each column are adjacent.

    Args:
        constants: The constants of the transform.
        entry: The entry.
        first: The index of the first limb.
    """
    arith = constants.arith

    def put(to: Expr, step: Expr, r: Expr, i: Expr) -> Sequence[Statement]:
        found, at = list[Statement](), first
        for column in entry.columns:
            number = DERIVED[column.number][1](r if entry.plain else V, r, arith.words, constants.quotient)
            place = step * (i * column.digits + at)
            found += column.put(number, arith.word, to, place, step, i * constants.digit)
            at += column.digits * max(entry.rows, 1)
        return found

    return put
