"""One call of a kernel: its operands read and checked, and the result in the kind that they came in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from momagen.build.call import Plan
from momagen.errors import MomagenError
from momagen.kernels.spec import Spec
from momagen.params.words import Words

from .operands import INTEGERS, Operand, answer, check_apart, direct, reader, target_rows


@dataclass(frozen=True)
class Call:
    """Operands that a kernel takes; the array that its result goes to where there is one, and the same as rows."""

    scalars: list[Words]
    vectors: list[Operand]
    out: Words | None
    wanted: Words | None

    def run(self, spec: Spec, plan: Plan) -> Any:
        """The result of the kernel of ``spec``."""
        rows = self.vectors[0].rows
        result = self.wanted if self.wanted is not None and direct(self.wanted) else np.empty(rows.shape, np.uint64)
        count = rows[..., 0].size // max(spec.n, 1)
        plan.execute(result, *self.scalars, *(operand.rows for operand in self.vectors), count=count)
        if self.wanted is not None:
            if result is not self.wanted:
                self.wanted[...] = result
            return self.out
        forms = [operand.form for operand in self.vectors]
        return answer(result, next((form for form in forms if form != INTEGERS), INTEGERS))


def call(spec: Spec, operands: Sequence[Any], out: Words | None) -> Call:
    """What a kernel of ``spec`` is called with.

    Raises:
        MomagenError: another number, kind or shape of operands, a value out of its range, or an ``out`` of another kind
            or shape or that overlaps one of them in part.
    """
    names = tuple(spec.ranges.operands)
    if len(operands) != len(names):
        wanted = f"{len(names)} operand{'s' * (len(names) > 1)} ({', '.join(names)})"
        raise MomagenError(wanted, len(operands), spec.name)
    given = dict(zip(names, operands, strict=True))
    readers = {name: reader(spec, name, spec.modulus) for name in names}
    scalars = [readers[name].scalar(given[name], name) for name in spec.ranges.scalars]
    read = [readers[name].read(given[name], name) for name in spec.ranges.vectors]
    if read[0].rows.shape != read[-1].rows.shape:
        raise MomagenError(f"the shape of x, {read[0].rows.shape[:-1]}", str(read[1].rows.shape[:-1]), "y")
    for name in spec.ranges.vectors:
        check_apart(given[name], out, name)
    return Call(scalars, read, out, None if out is None else target_rows(out, read[0].rows.shape))
