"""Calls of kernels for any size, which take the number of points from their operand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from momagen.api.kernel import Kernel

from .own_words import own_words
from .shapes import points_of


def sized_call(kernel: Kernel, operands: Sequence[Any], out: Any) -> Any:
    """Return the result of the kernel of the size that the first operand has; see :meth:`Kernel.__call__`."""
    return kernel.at(points_of(operands, kernel.words, own_words(kernel.spec)))(*operands, out=out)
