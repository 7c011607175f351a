"""Operands of a kernel of several moduli: vectors have a row for each modulus, and every row has its own range."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from momagen.kinds.modular.spec import Spec
from momagen.params import check_below

from .operands import NOTHING, ROWS, WORD, Operand, Reader
from .own_words import OwnWords


class RowsReader(Reader):
    """A reader of the operand ``name`` of a kernel of several moduli.

    Vectors are arrays (…, moduli, n, words), or (…, moduli, n), with an axis of columns after n if there are several.
    Element-wise kernels accept any n; their scalars are one number for each modulus, of shape (moduli, words) or
    (moduli,).
    """

    kinds = ", integers {}"

    def __init__(self, spec: Spec, name: str, own: OwnWords | None = None) -> None:
        self._count, self._across = len(spec.basis), spec.across > 1
        self.is_scalar = name in spec.ranges.scalars
        super().__init__(spec, spec.modulus, name, own)
        self.rows = [Reader(spec, q, name) for q in spec.basis]
        self.tops = [row.top for row in self.rows]
        self.axis = -2 if self.is_scalar else -3 - self._across

    def _axes_of(self, spec: Spec) -> tuple[int, ...]:
        if spec.n:
            return (self._count, *spec.axes)
        return (self._count,) if self.is_scalar else ()

    def _shapes(self) -> tuple[str, str]:
        inner = ", ".join(map(str, self._inner or (self._count, "n")))
        lead = "" if self.is_scalar else "…, "
        flat, words = f"({lead}{inner})", f"({lead}{inner}, {self.words})"
        return f"{words}{f' or {flat}' * (self.words == 1)}", flat

    def form(self, shape: tuple[int, ...]) -> str:
        """Return the form of an array of words of that shape, or "" if the shape is wrong."""
        form = super().form(shape)
        return form if form and self._has_rows(shape[: len(shape) - (form == ROWS)]) else ""

    def _has_rows(self, shape: tuple[int, ...]) -> bool:
        """Return whether integers of that shape have one row for each modulus; scalars have no other axis."""
        if self.is_scalar:
            return len(shape) == 1
        return bool(self._inner) or (len(shape) > 1 and shape[-2] == self._count)

    def _read(self, value: object) -> Operand:
        rows, at, form = super()._read(value)
        if not self._has_rows(rows.shape[:-1]):
            raise self._refused(f"shape {rows.shape[:-1]}")
        return rows, at, form

    @property
    def scalar_shape(self) -> tuple[int, ...]:
        """The shape of a scalar's words."""
        return (self._count, self.words)

    def scalar(self, value: object) -> Operand:
        """Return one number for each modulus as an operand; a list of integers in range is returned as bytes.

        Raises:
            MomagenError: The kind or shape is wrong, or the words cannot hold an integer.
        """
        if type(value) in (list, tuple) and len(value) == self._count and sys.byteorder == "little":  # type: ignore[arg-type]
            numbers: Sequence[object] = value  # type: ignore[assignment]
            if all(type(x) is int and 0 <= x < top for x, top in zip(numbers, self.tops, strict=True)):
                return NOTHING, b"".join([x.to_bytes(WORD * self.words, "little") for x in numbers]), ROWS  # type: ignore[attr-defined]
        return self.read(value)

    def _bytes(self, value: bytes | bytearray | memoryview) -> Operand:
        raise self._refused(f"{type(value).__name__}, which has no axes")

    def blame(self, value: object, operand: Operand) -> None:
        """Raise the error for the first number that is out of the range of its row.

        Raises:
            MomagenError: A number is out of range.
        """
        rows = self._wide(operand[0])
        for at, (each, row) in enumerate(zip(self.rows, np.moveaxis(rows, self.axis, 0), strict=True)):
            check_below(row, each.top, each.residues, f"{self.name}[…, {at}, …]")
