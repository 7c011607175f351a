"""Entries of tables, and what a plan keeps beside them: columns of derived constants."""

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
    """What a table holds of a twiddle v: columns of v 2^(digit i) mod q for ``rows`` numbers i from ``first`` on, as
    many as factors have digits; without rows, columns of v."""

    columns: tuple[Held, ...]
    rows: int = 0
    first: int = 1

    @property
    def plain(self) -> bool:
        """Whether v alone moves on from row to row."""
        return self.rows > 0 and {column.number for column in self.columns} <= OF_VALUE

    @property
    def value(self) -> bool:
        """Whether v is asked for."""
        return any(column.number in OF_VALUE for column in self.columns)

    @property
    def over(self) -> bool:
        """Whether v over q is asked for."""
        return any(column.number in OVER for column in self.columns)

    @property
    def words(self) -> int:
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
        arith: of words, which a plan computes with. shared, apart: entries for all lanes, and for one.
        kept: what a plan keeps by name, behind q, 1/q, R^2 and 2^digit R mod q. digit: bits of a digit.
    """

    arith: Arith
    shared: Entry
    apart: Entry
    digit: int = 0
    kept: Mapping[str, Held] = field(default_factory=dict)

    def words(self, lanes: Expr) -> Expr:
        """Words of an entry for so many lanes, side by side."""
        shared, apart = self.shared.words, self.apart.words
        return lanes * (shared if shared == apart else choice(lanes > 1, apart, shared))

    @property
    def columns(self) -> list[Held]:
        """All of them."""
        return [*self.kept.values(), *self.shared.columns, *self.apart.columns]

    @property
    def quotient(self) -> int:
        """Residues that quotients by q are as long as."""
        return -(-max([1, *(column.end for column in self.columns)]) // self.arith.held)

    @cached_property
    def places(self) -> dict[str, int]:
        """Where a plan has "fold", 2^digit R mod q, then what it keeps, and at the end the "scale" of all results."""
        found, at = {"fold": 3 * self.arith.words}, 4 * self.arith.words
        for name, column in self.kept.items():
            found[name], at = at, at + column.digits
        return {**found, "scale": at}


def write_entries(writer: ProgramWriter, constants: TransformConstants, name: str = "") -> None:
    """The functions put_entry(entry, step, r, c), put_constants(c, one) where a plan keeps more than q, 1/q and R^2,
    and what they call beside scalar functions; ``name``: what their names begin with."""
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
    """What puts row i of ``entry`` of the twiddle at r, from number ``first`` on; the rows of each column stand side by
    side."""
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
