"""Calls of kernels with one operand on the rows of an RNS basis, with NumPy arrays and lists."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from momagen.api.calls.integers import check_rows, integer_array
from momagen.api.calls.own_words import NATIVE as NATIVE_WORDS
from momagen.api.calls.running.checked import CheckedKernel, tops_of, words_format
from momagen.errors import MomagenError
from momagen.kinds.rns.basis import RowsSpec
from momagen.params.words import Words
from momagen.runtime.compiled import address, failed, function_of
from momagen.runtime.plans.rows import COUNT, POINTER, RowsPlan

from .results import placed


class UnaryRowsCaller:
    """A caller of a kernel with one operand, in C; several threads may use it."""

    def __init__(self, spec: RowsSpec, plan: RowsPlan) -> None:
        self.spec, self.plan, self.moduli = spec, plan, spec.moduli
        self.rows, self.inner = len(spec.goals), len(spec.moduli)

    def __call__(self, operands: Sequence[Any], out: Any = None) -> Any:
        """Return the rows of the result for rows of residues.

        Args:
            operands: One operand: an array of integers of shape (…, moduli, n), or nested lists of them. Residue
                (…, i, j) is below modulus i.
            out: A uint64 array of shape (…, goals, n) for the result, or None.

        Returns:
            ``out``, or a uint64 array of that shape, or lists for lists.

        Raises:
            MomagenError: An array has another shape, or a residue is not below its modulus.
        """
        (x,) = one_operand(operands, self.spec.name)
        array = self._read(x)
        outer, n = array.shape[:-2], array.shape[-1]
        with placed(out, (*outer, self.rows, n), [array]) as result:
            checked = self._checked
            code = checked.call(checked.this, prod(outer), n, address(result), address(array), *checked.missing)
            if code < 0:
                check_rows(array, self.moduli, "x")
            if code:
                raise failed(code)
        return out if out is not None else result if isinstance(x, np.ndarray) else result.tolist()

    @cached_property
    def _checked(self) -> CheckedKernel:
        """The C function that checks residues and runs the kernel on them."""
        execute = function_of(self.plan.compiled, "execute", [POINTER, POINTER, POINTER, COUNT], ctypes.c_int)
        word = words_format(1)
        return CheckedKernel(
            self.plan.compiled, execute, self.plan.address, [tops_of(self.moduli, NATIVE_WORDS, 1)],
            moduli=self.inner, goals=self.rows, unit=1, grow=1, splits=1, row=word, array=word, own=word,
        )  # fmt: skip

    def _read(self, x: Any) -> Words:
        """Return ``x`` as contiguous words; elements of a type other than uint64 are checked to be residues."""
        expected = f"integers of shape (…, {self.inner}, n)"
        array = integer_array(x, expected, "x")
        if array.ndim < 2 or array.shape[-2] != self.inner:
            raise MomagenError(expected, f"shape {array.shape}", "x")
        if array.dtype != NATIVE_WORDS:
            check_rows(array, self.moduli, "x")
        return np.require(array, NATIVE_WORDS, ("C", "A")) if array.dtype.kind != "O" else array.astype(NATIVE_WORDS)


def one_operand(operands: Sequence[Any], name: str) -> Sequence[Any]:
    """Return the operands of a call that takes one.

    Raises:
        MomagenError: There are more or none.
    """
    if len(operands) != 1:
        raise MomagenError("1 operand (x)", len(operands), name)
    return operands
