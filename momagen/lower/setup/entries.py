"""Entries of tables, and what a plan keeps beside them: columns of derived constants."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property

from momagen.kernels.residues.arith import Arith
from momagen.lower.names import CONSTANTS, ENTRY, ONE, STEP, C, R
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Function, Number

from .derived import OF_VALUE, DerivedNumbers, Held, put_fraction, value_of
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


class EntriesWriter:
    """Writes put_entry(entry, step, r, c), and put_constants(c, one) where a plan keeps more than q, 1/q and R^2."""

    def __init__(self, writer: ProgramWriter, constants: TransformConstants) -> None:
        self.writer, self.constants = writer, constants

    def write(self) -> None:
        """Both, and what they call beside scalar functions."""
        if self.constants.quotient > 1:
            put_fraction(self.writer, self.constants.quotient)
        self.writer.put(self._entry())
        if self.constants.kept:
            self.writer.put(self._kept())

    def _entry(self) -> Function:
        shared, apart = self.constants.shared, self.constants.apart
        more = f"; for one of several lanes: {apart}" * (apart != shared)
        f = Function("put_entry", (ENTRY, STEP, R, C), f"Of r = v R mod q: {shared}{more}.", copies="inline")
        if apart == shared:
            self._put(f, shared)
            return f
        with f.if_(STEP > 1) as lane:
            self._put(f, apart)
        with f.otherwise(lane):
            self._put(f, shared)
        return f

    def _put(self, f: Function, entry: Entry) -> None:
        """Append what puts ``entry``; the rows of each column stand side by side.

        From row to row r moves on by 2^digit, or v itself where nothing else is asked for.
        """
        r, count, at = R, self.constants.arith.words, 0
        plain = entry.rows > 0 and {column.number for column in entry.columns} <= OF_VALUE
        if entry.rows:
            r = f.array("moved", count)
            f.do(value_of(self.writer, r, R)) if plain else f.copy(r, R, count)
        move = self.writer.call("mont", r, r, C + self.constants.places["fold"], C)
        with f.each("i", entry.rows) if entry.rows > 1 else nullcontext(Number(0)) as i:
            if entry.rows and entry.first:
                f.do(move)
            numbers = DerivedNumbers(self.writer, f, r, self.constants.quotient, plain)
            for column in entry.columns:
                numbers.number(column.number)  # all of them before the first store, which may be to what they are of
            for column in entry.columns:
                numbers.put(column, ENTRY, STEP * (i * column.digits + at), STEP, i * self.constants.digit)
                at += column.digits * max(entry.rows, 1)
            if entry.rows > 1 and not entry.first:
                f.do(move)

    def _kept(self) -> Function:
        constants, places, c = self.constants, self.constants.places, CONSTANTS
        kept = "; ".join(map(str, constants.kept.values()))
        doc = f"After q, 1/q and R^2: 2^{constants.digit} R mod q; for v = 1: {kept}."
        f = Function("put_constants", (c, ONE), doc)
        fold: Expr = c + places["fold"]
        f.copy(fold, ONE, constants.arith.words)
        double(self.writer, f, fold, constants.digit)
        numbers = DerivedNumbers(self.writer, f, ONE, constants.quotient)
        for name, column in constants.kept.items():
            numbers.put(column, c, places[name])
        return f
