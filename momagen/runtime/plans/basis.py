"""A kernel of several moduli: one plan for all of them, and a view of one row for each."""

from __future__ import annotations

import ctypes
import weakref
from dataclasses import dataclass

import numpy as np

from momagen.emit.codes import BAD_MODULUS, BAD_ROOT, refusal
from momagen.kinds.modular.derived.inner import of_modulus
from momagen.kinds.modular.spec import Spec
from momagen.params.words import Words, to_words
from momagen.runtime.border import Border
from momagen.runtime.compiled import Argument, Compiled, Plan, function_of, named
from momagen.runtime.runner import Runner


class BasisPlan(Plan):
    """A kernel's plan for every modulus of a basis.

    Attributes:
        moduli: The modulus of every row.
        roots: The root of every row.
        modulus: The smallest modulus; numbers below it are in the range of every row.
    """

    def __init__(self, compiled: Compiled) -> None:
        spec = compiled.spec
        self.spec, self.words, self.border = spec, spec.row, Border(spec)
        self.moduli, self.roots, self.modulus, self.root = spec.basis, spec.told_roots, min(spec.basis), spec.told_root
        given = [self.moduli, self.roots] if spec.n else [self.moduli]
        numbers = [self.border.own(to_words(row, self.words)) for row in given]
        why = ctypes.c_int()
        arguments: list[type[Argument]] = [ctypes.c_size_t, *[ctypes.c_void_p] * (len(numbers) + 1)]
        create = function_of(compiled, "create", arguments, ctypes.c_void_p)
        address = create(len(self.moduli), *(row.ctypes.data for row in numbers), ctypes.addressof(why))
        if not address:
            raise self._refusal(compiled, named(why.value))
        self.address = int(address)
        self.destroy = weakref.finalize(self, function_of(compiled, "destroy", [ctypes.c_void_p], None), self.address)
        vectors = [ctypes.c_void_p] * (len(spec.ranges.operands) + 2)
        self.function = function_of(compiled, "execute", [*vectors, ctypes.c_size_t], ctypes.c_int)

    def _refusal(self, compiled: Compiled, code: str) -> Exception:
        """Return the error for the first modulus that ``create`` rejects."""
        if code in (BAD_MODULUS, BAD_ROOT):
            shown = ", ".join(map(hex, self.moduli))
            return refusal(compiled, code, shown, ", ".join(map(hex, self.roots)))
        return refusal(compiled, code, self.modulus, self.root)


class PlanEach:
    """A plan for each modulus, for kernels whose code serves one modulus."""

    def __init__(self, runner: Runner) -> None:
        spec = runner.spec
        self.spec, self.words, self.moduli, self.modulus = spec, spec.row, spec.basis, min(spec.basis)
        self.plans = [runner.plan(q, root) for q, root in zip(spec.basis, spec.told_roots, strict=True)]

    def execute(self, result: Words, *inputs: Words, count: int) -> None:
        """Execute the kernel row by row, for ``count`` consecutive vectors, or for one vector of ``count`` elements."""
        if count == 0 and not self.spec.sums:
            return
        vectors, each = (1, count) if not self.spec.n else (count, 1)
        size = vectors * len(self.moduli) * self.words
        shaped = [
            array.reshape(vectors, len(self.moduli), array.size // size, self.words) for array in (result, *inputs)
        ]
        for at, plan in enumerate(self.plans):
            for b in range(vectors):
                to, *given = (array[b, at] for array in shaped)
                plan.execute(to, *given, count=each)


def basis_plan(runner: Runner) -> BasisPlan | PlanEach:
    """Return the plan of all moduli of the basis of ``runner``."""
    if isinstance(runner, Compiled):
        return BasisPlan(runner)
    own = getattr(runner, "basis_plan", None)
    return own() if own else PlanEach(runner)


@dataclass(frozen=True)
class Row:
    """Row ``at`` of a kernel of several moduli, as a kernel of one modulus."""

    whole: Runner
    at: int

    @property
    def spec(self) -> Spec:
        """The specification for the modulus of the row."""
        return of_modulus(self.whole.spec, self.at)

    @property
    def name(self) -> str:
        """The name of the kernel."""
        return self.whole.name

    @property
    def missing(self) -> tuple[str, ...]:
        """The CPU features whose instructions are emulated."""
        return self.whole.missing

    def plan(self, modulus: int, root: int) -> RowPlan:
        """Return the plan of this row, which is part of the plan of the whole basis."""
        return RowPlan(basis_plan(self.whole), self.at)


@dataclass(frozen=True)
class RowPlan:
    """Row ``at`` of a plan, with all-ones residues in the other rows, on which the row must not depend."""

    plan: BasisPlan | PlanEach
    at: int

    @property
    def modulus(self) -> int:
        """The modulus of the row."""
        return self.plan.moduli[self.at]

    @property
    def words(self) -> int:
        """The number of 64-bit words of a residue."""
        return self.plan.words

    def execute(self, result: Words, *inputs: Words, count: int) -> None:
        """Execute the kernel for this row alone; see :meth:`momagen.runtime.compiled.Plan.execute`."""
        spec, rows = self.plan.spec, len(self.plan.moduli)
        scalars, wide = len(spec.ranges.scalars), dict[int, Words]()
        for place, given in enumerate([*inputs, result]):
            batch = 1 if place < scalars or not spec.n else count
            if id(given) not in wide:
                wide[id(given)] = self._wide(given, rows, batch)
        arrays = [wide[id(given)] for given in (result, *inputs)]
        self.plan.execute(arrays[0].reshape(-1, self.plan.words), *(a.reshape(-1, self.plan.words) for a in arrays[1:]),
                          count=count)  # fmt: skip
        result[...] = arrays[0][:, self.at].reshape(result.shape)

    def _wide(self, given: Words, rows: int, batch: int) -> Words:
        """Return ``batch`` vectors that have ``given`` in row ``at``."""
        parts = given.reshape(batch, -1, self.plan.words)
        wide = np.empty((batch, rows, *parts.shape[1:]), np.uint64)
        for row, q in enumerate(self.plan.moduli):
            wide[:, row] = to_words([q - 1], self.plan.words)[0]
        wide[:, self.at] = parts
        return wide
