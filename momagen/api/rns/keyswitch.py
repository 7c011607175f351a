"""Calls of the inner product of key switching, with NumPy arrays and lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from momagen.api.calls.integers import check_rows, integer_array
from momagen.api.calls.own_words import NATIVE
from momagen.errors import MomagenError
from momagen.kinds.rns.keyswitch import MOST_DIGITS, KeySwitchSpec
from momagen.runtime.compiled import address
from momagen.runtime.plans.rows import RowsPlan
from momagen.values.numbers import count

from .results import placed

Rows = npt.NDArray[np.uint64]


class KeySwitchCaller:
    """A caller of a kernel in C, which has a plan for each number of digits."""

    def __init__(self, spec: KeySwitchSpec, plan: RowsPlan) -> None:
        self.spec, self.plan = spec, plan

    def __call__(self, operands: Sequence[Any], out: Any = None) -> Any:
        """Return the sums of products of digits and keys, element by element.

        Args:
            operands: The digits d, integers of shape (…, digits, moduli, n) below ``input_factor`` times their modulus.
                The keys k, integers of shape (digits, outputs, moduli, n) below their modulus, the same for all leading
                axes of d. Optionally a permutation of the n elements of a row: element c of the result is computed
                from element order[c] of the digits and element c of the keys.
            out: A uint64 array of shape (…, outputs, moduli, n) for the result, or None.

        Returns:
            ``out``, or an array of that shape if d is an array, otherwise lists.

        Raises:
            MomagenError: An operand has another shape, a number is out of its range, or the order is not a permutation.
        """
        d, k, order = keyswitch_operands(operands, self.spec.name)
        outputs, moduli = self.spec.outputs, len(self.spec.moduli)
        digits = self._read(d, "d", f"(…, digits, {moduli}, n)", 3, self.spec.input_factor)
        number, n = count(digits.shape[-3], "digits", 1, MOST_DIGITS), digits.shape[-1]
        keys = self._read(k, "k", f"({number}, {outputs}, {moduli}, {n})", 4, 1)
        if keys.shape != (number, outputs, moduli, n):
            raise MomagenError(f"integers of shape ({number}, {outputs}, {moduli}, {n})", f"shape {keys.shape}", "k")
        columns = None if order is None else permutation(order, n)
        with placed(out, (*digits.shape[:-3], outputs, moduli, n), [digits, keys]) as result:
            self._run(result, digits, keys, columns)
        return out if out is not None else result if isinstance(d, np.ndarray) else result.tolist()

    def _run(self, result: Rows, digits: Rows, keys: Rows, columns: npt.NDArray[np.uintp] | None) -> None:
        """Write the sums to ``result``; the arguments have been checked."""
        plan, order = self.plan.of(digits=digits.shape[-3]), None if columns is None else address(columns)
        for at in np.ndindex(digits.shape[:-3]):
            plan.execute(digits.shape[-1], address(result[at]), address(digits[at]), address(keys), order)

    def _read(self, x: Any, where: str, shape: str, axes: int, factor: int) -> Rows:
        """Return ``x`` as contiguous words, checked to be below ``factor`` times their modulus."""
        array = integer_array(x, f"integers of shape {shape}", where)
        if array.ndim < axes or array.shape[-2] != len(self.spec.moduli):
            raise MomagenError(f"integers of shape {shape}", f"shape {array.shape}", where)
        check_rows(array, [factor * q for q in self.spec.moduli], where)
        return np.require(array.astype(NATIVE, copy=False), NATIVE, ("C", "A"))


def keyswitch_operands(operands: Sequence[Any], name: str) -> Sequence[Any]:
    """Return the digits, the keys, and the permutation or None.

    Raises:
        MomagenError: There are more or fewer operands.
    """
    if not 2 <= len(operands) <= 3:
        raise MomagenError("2 operands (d, k), or 3 with a permutation of columns (d, k, order)", len(operands), name)
    return [*operands, None][:3]


def permutation(order: Any, n: int) -> npt.NDArray[np.uintp]:
    """Return the columns that an order names, as an array of C's ``size_t``.

    Raises:
        MomagenError: The order is not a permutation of ``n`` columns.
    """
    expected = f"a permutation of 0 to {n - 1}"
    array = integer_array(order, expected, "order")
    if array.shape != (n,):
        raise MomagenError(expected, f"shape {array.shape}", "order")
    if not np.array_equal(np.sort(array), np.arange(n)):
        raise MomagenError(expected, "a list with repeated or missing columns", "order")
    return array.astype(np.uintp)
