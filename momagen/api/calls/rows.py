"""Operands of a kernel of several moduli: vectors have a row for each, and every row its own range."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from momagen.kernels.spec.spec import Spec
from momagen.params import check_below

from .operands import NOTHING, ROWS, WORD, Operand, Reader
from .own_words import OwnWords


class RowsReader(Reader):
    """What such a kernel takes as the operand ``name``: an array (…, moduli, n, words), or (…, moduli, n); of columns
    with an axis of them behind n.

    Of element-wise kernels n is any length; a scalar is a number for each modulus, (moduli, words) or (moduli,).
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
        form = super().form(shape)
        return form if form and self._has_rows(shape[: len(shape) - (form == ROWS)]) else ""

    def _has_rows(self, shape: tuple[int, ...]) -> bool:
        """Return whether integers of that shape have one row for each modulus, and scalars nothing else."""
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
        return (self._count, self.words)

    def scalar(self, value: object) -> Operand:
        """A number for each modulus, as :meth:`read` gives it; listed integers that are in range as bytes."""
        if type(value) in (list, tuple) and len(value) == self._count and sys.byteorder == "little":  # type: ignore[arg-type]
            numbers: Sequence[object] = value  # type: ignore[assignment]
            if all(type(x) is int and 0 <= x < top for x, top in zip(numbers, self.tops, strict=True)):
                return NOTHING, b"".join([x.to_bytes(WORD * self.words, "little") for x in numbers]), ROWS  # type: ignore[attr-defined]
        return self.read(value)

    def _bytes(self, value: bytes | bytearray | memoryview) -> Operand:
        raise self._refused(f"{type(value).__name__}, which has no axes")

    def blame(self, value: object, operand: Operand) -> None:
        """Refuse the first number that is out of its row's range."""
        rows = self._wide(operand[0])
        for at, (each, row) in enumerate(zip(self.rows, np.moveaxis(rows, self.axis, 0), strict=True)):
            check_below(row, each.top, each.residues, f"{self.name}[…, {at}, …]")
