"""Calls of modules for JAX that multiply by a matrix which is known beforehand: products and base conversions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from momagen.api.calls.array_words import formed, is_array, is_traced, words_of
from momagen.api.calls.integers import check_rows, integer_array
from momagen.api.rns.unary import one_operand
from momagen.emit.jax.numbers import number, words
from momagen.emit.jax.running.matrix import MatrixTables
from momagen.errors import MomagenError, build_error


class MatrixCaller:
    """A caller of a module."""

    def __init__(self, spec: Any, tables: MatrixTables) -> None:
        self.name, self.tables, self.names = spec.name, tables.tables, tables.names
        self.rows, self.tops = tables.rows, tables.tops

    def __call__(self, operands: Sequence[Any], out: Any = None) -> Any:
        """Return the product for residues x of shape (…, inner, columns), in the form of x.

        Args:
            operands: One operand: a JAX array of uint32 words of shape (…, inner, columns, words), or (…, inner,
                columns) if a residue is one word, or a tuple of arrays, one for each word, also inside functions that
                JAX traces; or lists of integers of shape (inner, columns).
            out: None, because JAX arrays are immutable.

        Returns:
            Residues of shape (…, rows, columns), in the form of x.

        Raises:
            MomagenError: x has another kind or shape, or an integer is out of range.
        """
        if out is not None:
            raise build_error("`out` is not available for JAX, whose arrays are immutable", "out", "omit `out`")
        (x,) = one_operand(operands, self.name)
        if is_array(x):
            return self._apply(self.names["traced" if is_traced([x]) else "compiled"], x)
        return self._on_integers(x)

    def function(self, *, donate: bool = False) -> Callable[[Any], Any]:
        """Return the kernel as a compiled function of JAX arrays.

        Args:
            donate: Whether the result may reuse the memory of the operand, which is then invalid.
        """
        import jax

        traced, options = self.names["traced"], self.names["OPTIONS"]
        given = (0,) if donate else ()
        made: Callable[[Any], Any] = jax.jit(
            lambda x: self._apply(traced, x), donate_argnums=given, compiler_options=options or None
        )
        return made

    def _apply(self, run: Callable[..., Any], x: Any) -> Any:
        """Return the result of ``run``, a function on words, for a JAX array or a tuple of words."""
        found, inner = self.names["WORDS"], len(self.tops)
        wanted = f"uint32 words of JAX of shape (…, {inner}, columns, {found}), or a tuple of {found}"
        parts = words_of("x", x, found, lambda shape: len(shape) >= 2 and shape[-2] == inner, wanted)
        return formed(run(self.tables, parts), x, parts[0].shape)

    def _on_integers(self, x: Any) -> list[list[int]]:
        """Return the result for lists of integers."""
        expected = f"{len(self.tops)} rows of integers, all of the same length"
        array = integer_array(x, expected, "x")
        if array.ndim != 2 or len(array) != len(self.tops):
            raise MomagenError(expected, f"shape {array.shape}", "x")
        for at, top in enumerate(self.tops):
            check_rows(array[at : at + 1], [top], f"x[{at}]")
        shape = array.shape
        given = words(array.ravel().tolist(), shape, self.names["WORDS"])
        found = [np.asarray(word) for word in self.names["execute"](self.tables, given)]
        return [[number(word[i, j] for word in found) for j in range(shape[1])] for i in range(self.rows)]
