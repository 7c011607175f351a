"""Entries of tables, and what a plan keeps beside them: columns of derived constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from momagen.kernels.residues.arith import Arith
from momagen.lower.names import CONSTANTS, ENTRY, ONE, STEP, C, R
from momagen.lower.writer import ProgramWriter
from momagen.program import Function

from .derived import OF_VALUE, DerivedNumbers, Held
from .scalars import double


@dataclass(frozen=True)
class Entry:
    """What a table holds of a twiddle v: columns of v 2^(digit i) mod q for ``rows`` numbers i from ``first`` on, as
    many as factors have digits; without rows, columns of v."""

    columns: tuple[Held, ...]
    rows: int = 0
    first: int = 1

    @property
    def words(self) -> int:
        return sum(column.digits for column in self.columns) * max(self.rows, 1)

    def __str__(self) -> str:
        rows = f", of v 2^(digit i) mod q for i from {self.first} to {self.first + self.rows - 1}" * bool(self.rows)
        return " and ".join(map(str, self.columns)) + rows


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

    def words(self, lanes: int) -> int:
        """Words of an entry for so many lanes, side by side."""
        return lanes * (self.apart if lanes > 1 else self.shared).words

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


def write_entries(writer: ProgramWriter, constants: TransformConstants) -> None:
    """The functions put_entry(entry, step, r, c), put_constants(c, one) where a plan keeps more than q, 1/q and R^2,
    and what they call beside scalar functions."""
    if constants.quotient > 1:
        writer.write("put_fraction", length=constants.quotient)
    writer.put(_entry(writer, constants))
    if constants.kept:
        writer.put(_kept(writer, constants))


def _entry(writer: ProgramWriter, constants: TransformConstants) -> Function:
    shared, apart = constants.shared, constants.apart
    more = f"; for one of several lanes: {apart}" * (apart != shared)
    f = Function("put_entry", (ENTRY, STEP, R, C), f"Of r = v R mod q: {shared}{more}.", copies="inline")
    if apart == shared:
        _put(writer, f, constants, shared)
        return f
    with f.if_(STEP > 1) as lane:
        _put(writer, f, constants, apart)
    with f.otherwise(lane):
        _put(writer, f, constants, shared)
    return f


def _put(writer: ProgramWriter, f: Function, constants: TransformConstants, entry: Entry) -> None:
    """Append what puts ``entry``; the rows of each column stand side by side.

    From row to row r moves on by 2^digit, or v itself where nothing else is asked for.
    """
    r, count, at = R, constants.arith.words, 0
    plain = entry.rows > 0 and {column.number for column in entry.columns} <= OF_VALUE
    if entry.rows:
        r = f.array("moved", count)
        f.do(writer.call("mont", r, R, writer.literal(1), C)) if plain else f.copy(r, R, count)
    move = writer.call("mont", r, r, C + constants.places["fold"], C)
    with f.turns("i", max(entry.rows, 1)) as i:
        if entry.rows and entry.first:
            f.do(move)
        numbers = DerivedNumbers(writer, f, r, constants.quotient, plain)
        for column in entry.columns:
            numbers.number(column.number)  # all of them before the first store, which may be to what they are of
        for column in entry.columns:
            numbers.put(column, ENTRY, STEP * (i * column.digits + at), STEP, i * constants.digit)
            at += column.digits * max(entry.rows, 1)
        if entry.rows > 1 and not entry.first:
            f.do(move)


def _kept(writer: ProgramWriter, constants: TransformConstants) -> Function:
    kept = "; ".join(map(str, constants.kept.values()))
    doc = f"After q, 1/q and R^2: 2^{constants.digit} R mod q; for v = 1: {kept}."
    f, fold = Function("put_constants", (CONSTANTS, ONE), doc), CONSTANTS + constants.places["fold"]
    f.copy(fold, ONE, constants.arith.words)
    double(writer, f, fold, constants.digit)
    numbers = DerivedNumbers(writer, f, ONE, constants.quotient)
    for name, column in constants.kept.items():
        numbers.put(column, CONSTANTS, constants.places[name])
    return f
