"""Calls of a kernel whose result is one number for each vector: the axis n goes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from momagen.build.runner import RunnerPlan
from momagen.errors import MomagenError
from momagen.kernels.spec.spec import Spec
from momagen.params.words import Words

from .answers import answer, check_apart, place, unequal
from .operands import NATIVE, Reader


class SumsCaller:
    """Calls such a kernel with its plan; several threads may use it."""

    def __init__(self, spec: Spec, plan: RunnerPlan) -> None:
        self._spec, self._plan = spec, plan
        self._readers = [Reader(spec, plan.modulus, name) for name in spec.ranges.operands]

    def __call__(self, operands: Sequence[Any], out: Words | None) -> Any:
        """The results, (…, words) for vectors (…, n, words), in ``out`` where that is an array; one vector of lists
        gives an integer. Errors as :class:`momagen.api.calls.call.Caller` has them."""
        names = [reader.name for reader in self._readers]
        if len(operands) != len(names):
            raise MomagenError(f"{len(names)} operands ({', '.join(names)})", len(operands), self._spec.name)
        given = [reader.read(value) for reader, value in zip(self._readers, operands, strict=True)]
        for reader, value, found in zip(self._readers, operands, given, strict=True):
            reader.blame(value, found)
        rows = [found for found, _, _ in given]
        shape = rows[0].shape
        if any(each.shape != shape for each in rows):
            raise unequal(names, rows)
        goal = (*shape[:-2], shape[-1])
        there = None if out is None else place(out, goal)
        if out is not None:
            for name, value, each in zip(names, operands, rows, strict=True):
                check_apart(value, each, out, name)
        result = np.empty(goal, NATIVE)
        vectors = [each.reshape(prod(shape[:-2]), *shape[-2:]) for each in rows]
        for at, row in enumerate(result.reshape(-1, 1, shape[-1])):
            self._plan.execute(row, *(each[at] for each in vectors), count=shape[-2])
        if there is None:
            return answer(result, given)
        there[...] = result
        return out
