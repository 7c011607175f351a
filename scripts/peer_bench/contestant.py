"""A peer's transform behind the functions that ``scripts/baselines/README.md`` describes, on values in its own form."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from momagen.bench.measure.baselines import library_function
from momagen.bench.measure.clock import TimedCall, make_call
from momagen.bench.measure.fresh import CHAINED
from momagen.errors import MomagenError
from momagen.params import from_words, to_words
from momagen.params.words import Words
from momagen.runtime import load


class Contestant:
    """A plan for one kernel; it ends with this object.

    Args:
        path: the library, lib{name}….so.
        name: the prefix of its functions.
        kernel: the peer's name of the kernel.
        n: the number of points.
        modulus: the modulus, of any number of words.
        columns: the number of transforms in a call, whose values lie side by side.

    Raises:
        MomagenError: it does not offer the kernel.
    """

    def __init__(self, path: Path, name: str, kernel: str, n: int, modulus: int, columns: int = 1) -> None:
        self.name, self.columns, self.words = name, columns, -(-modulus.bit_length() // 64)
        self.library = load(path)
        create, free = self._function("plan", 5), self._function("free", 1)
        create.argtypes = [ctypes.c_char_p, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p]
        create.restype = ctypes.c_void_p
        q = to_words([modulus], self.words)
        self.plan: int = create(kernel.encode(), n, self.words, q.ctypes.data, None) or 0
        if not self.plan:
            raise MomagenError(f"a kernel that {name} offers", f"{kernel} of {n} points modulo {modulus}", "peer")
        weakref.finalize(self, free, self.plan)

    def _function(self, verb: str, pointers: int) -> Any:
        return library_function(self.library, self.name, verb, pointers)

    def apply(self, values: Sequence[int]) -> list[int]:
        """The transforms of n·columns values, in its own order."""
        x = self.load(values)
        self._function("run", 2)(None, self.plan)
        self._function("store", 2)(x.ctypes.data, self.plan)
        return from_words(x)

    def load(self, values: Sequence[int]) -> Words:
        """Give the plan n·columns values, and return their words."""
        x = to_words([*values], self.words)
        self._function("load", 4)(self.plan, None, x.ctypes.data, None)
        return x

    def call(self, values: Sequence[int]) -> TimedCall:
        """Return the timed call, which starts with ``values``; each further call takes the results of the last one.

        The time of a library with branches depends on the values, so that they must not be zeros.
        """
        self.load(values)
        z = np.zeros((1, 1), np.uint64)
        return make_call("in_place", self._function("run", 2), self.plan, z=z, keep=(self,), renewal={"fresh": CHAINED})
