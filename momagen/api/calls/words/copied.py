"""Calls on copies: of kernels with several moduli, and of sums, whose callers know Python's words alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from momagen.api.calls.answers import check_apart, place
from momagen.api.calls.operands import NATIVE
from momagen.api.calls.rows import RowsCaller
from momagen.api.calls.sums import SumsCaller
from momagen.kernels.spec.spec import Spec

from .narrow import all_own, own_words


class CopiedCaller:
    """Calls ``caller``; of arrays of the kernel's own words, one a residue, the result is one of these."""

    def __init__(self, caller: RowsCaller | SumsCaller, spec: Spec) -> None:
        self._caller, self._own = caller, own_words(spec)
        self._scalars, self._names = len(spec.ranges.scalars), tuple(spec.ranges.vectors)

    def __call__(self, operands: Sequence[Any], out: Any) -> Any:
        """The result; errors as of :class:`momagen.api.calls.call.Caller`."""
        vectors = operands[self._scalars :]
        if not vectors or not all_own(vectors, self._own):
            return self._caller(operands, out)
        scalars = [each.astype(NATIVE) if all_own([each], self._own) else each for each in operands[: self._scalars]]
        found = self._caller([*scalars, *(each.astype(NATIVE) for each in vectors)], None).astype(self._own)
        if out is None:
            return found
        there = place(out, (*found.shape, 1), self._own)
        for name, each in zip(self._names, vectors, strict=True):
            check_apart(each, each, out, name)
        there[...] = found[..., None]
        return out
