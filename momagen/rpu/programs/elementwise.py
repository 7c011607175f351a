"""Element-wise programs: sums, products, a·x + y, of several moduli at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from momagen.errors import MomagenError, among
from momagen.rpu.backend.compile import MemoryFrame, compiled
from momagen.rpu.backend.steps import ALL, Steps
from momagen.rpu.backend.virtual import Code
from momagen.rpu.isa.elements import LANES
from momagen.rpu.isa.instruction import instruction
from momagen.rpu.isa.program import Area, RpuProgram
from momagen.rpu.isa.table import b512
from momagen.rpu.machine.design import Design

SCALAR, VECTOR = "a", "y"
KINDS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "vadd": (("vadd", "y"),), "vsub": (("vsub", "y"),), "vmul": (("vmul", "y"),),
    "vadds": (("vsadd", "a"),), "vsubs": (("vssub", "a"),), "scal": (("vsmul", "a"),),
    "axpy": (("vsmul", "a"), ("vadd", "y")),
}  # fmt: skip
"""By kind, instructions on x one after another, each with its second operand: the vector y or the scalar a."""


@dataclass(frozen=True)
class RpuElementwise:
    """Of n elements for each modulus.

    Attributes:
        moduli: below 2^128. scalars: a of each modulus, where the kind has one.
    """

    kind: str
    n: int
    moduli: tuple[int, ...]
    scalars: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        most, reach = b512().machine["registers"], 1 << b512().fields["ADDRESS"].bits
        if self.kind not in KINDS:
            raise among("a kind among", KINDS, self.kind, "kind")
        if not 1 <= len(self.moduli) <= most:
            raise MomagenError(f"from 1 to {most} moduli", len(self.moduli), "moduli")
        if self.n < 1 or self.n % LANES or 3 * self.n * len(self.moduli) > reach:
            raise MomagenError(f"a multiple of {LANES}, of which {reach} words hold all vectors", self.n, "n")
        for q in self.moduli:
            if not 2 <= q < 1 << b512().machine["bits"]:
                raise MomagenError("a modulus from 2 to 2^128 - 1", q, "modulus")
        if len(self.scalars) != len(self.moduli) * self.scaled:
            raise MomagenError(f"{len(self.moduli) * self.scaled} scalars", len(self.scalars), self.kind)
        for a, q in zip(self.scalars, self.moduli, strict=False):
            if not 0 <= a < q:
                raise MomagenError(f"a scalar below {q}", a, self.kind)

    @property
    def scaled(self) -> bool:
        """Whether it has a scalar."""
        return SCALAR in dict(KINDS[self.kind]).values()

    @property
    def paired(self) -> bool:
        """Whether it has a second vector."""
        return VECTOR in dict(KINDS[self.kind]).values()

    def program(self, design: Design | None = None, steps: Steps = ALL) -> RpuProgram:
        """From the areas x and y to z, the first modulus first; a in the scalar memory behind the moduli."""
        code, points, count = Code(), self.n * len(self.moduli), len(self.moduli)
        for at in range(0, points, LANES):
            tower, found = at // self.n, code.load(at)
            for name, second in KINDS[self.kind]:
                if second == SCALAR:
                    found = code.scaled(name, found, tower, tower)
                else:
                    found = code.arithmetic(name, found, code.load(points + at), tower)
            code.store(found, 2 * points + at)
        made = compiled(code, MemoryFrame(3 * points), design, steps)
        begin = [instruction("mload", {"MT": at, "ADDRESS": at}) for at in range(count)]
        begin += [instruction("sload", {"RT": at, "ADDRESS": count + at}) for at in range(len(self.scalars))]
        areas = {name: Area(at * points, points) for at, name in enumerate("xyz")}
        return RpuProgram([*begin, *made.instructions], {0: [*self.moduli, *self.scalars]}, {}, areas | made.areas)
