"""Calls of a kernel whose words are shorter than 64 bits: arrays of its own words are used without conversion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from momagen.api.calls.call import Caller
from momagen.api.calls.own_words import NATIVE, OwnWords


class EitherCaller:
    """A caller of a kernel of 16- or 32-bit words.

    Arrays of these words are passed to ``on_own``, all other operands to ``wide``.
    """

    def __init__(self, wide: Caller, on_own: Caller, own: OwnWords) -> None:
        self.wide, self.on_own, self.own = wide, on_own, own
        self._scalars = len(wide.readers) - sum(reader.own == own.dtype for reader in on_own.readers)
        for mine, theirs in zip(wide.readers[self._scalars :], on_own.readers[self._scalars :], strict=True):
            mine.add_kind(theirs)

    def __call__(self, operands: Sequence[Any], out: Any) -> Any:
        """Return the result, in arrays of the kernel's own words if all vectors have these words.

        Args:
            operands: The scalars, then the vectors.
            out: An array for the result, or None.

        Raises:
            MomagenError: As for :class:`momagen.api.calls.call.Caller`.
        """
        dtypes = [each.dtype if type(each) is np.ndarray else None for each in operands[self._scalars :]]
        if dtypes.count(NATIVE) == len(dtypes):
            return self.wide(operands, out)
        if dtypes.count(self.own.dtype) == len(dtypes):
            return self.on_own(operands, out)
        return self._call_others(operands, out)

    def _call_others(self, operands: Sequence[Any], out: Any) -> Any:
        """Return the result for vectors of several kinds, of another byte order, or that are not arrays."""
        own = [self.own.describes(each) for each in operands[self._scalars :]]
        if all(own):
            return self.on_own(operands, out)
        return self.wide(self._widened(operands) if self.own.words > 1 and any(own) else operands, out)

    def _widened(self, operands: Sequence[Any]) -> list[Any]:
        """Return the operands, with arrays of the kernel's own words converted to 64-bit words."""
        found = list(operands)
        for at, reader in enumerate(self.on_own.readers[: len(found)]):
            if at >= self._scalars and self.own.describes(found[at]):
                found[at] = self.own.widened(reader.read(found[at])[0])
        return found
