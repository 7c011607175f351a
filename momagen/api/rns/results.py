"""The arrays that receive the results of kernels on rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from momagen.api.calls.own_words import NATIVE
from momagen.errors import MomagenError
from momagen.params.words import Words


@contextmanager
def placed(out: Any, shape: tuple[int, ...], operands: Sequence[Words]) -> Iterator[Words]:
    """Yield an array for a result: ``out`` itself if that is possible, or an array that is copied to it afterwards.

    Args:
        out: The array that the caller passed, or None.
        shape: The shape of the result.
        operands: The operands of the call, which must stay unchanged while it runs.

    Raises:
        MomagenError: ``out`` is not a uint64 array of this shape that can be written.
    """
    if out is None:
        yield np.empty(shape, NATIVE)
        return
    expected = f"a writeable uint64 array of shape {shape}"
    if not isinstance(out, np.ndarray) or out.dtype != NATIVE or out.shape != shape or not out.flags.writeable:
        got = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else f"a {type(out).__name__}"
        raise MomagenError(expected, got, "out")
    direct = out.flags.c_contiguous and out.flags.aligned and not any(np.shares_memory(out, each) for each in operands)
    result = out if direct else np.empty(shape, NATIVE)
    yield result
    if not direct:
        out[...] = result
