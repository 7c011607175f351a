"""Element-wise programs: sums, products, a·x + y, of several moduli at once."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from momagen.errors import MomagenError, among
from momagen.kernels.spec.make_spec import make_spec
from momagen.params.words import to_words
from momagen.rpu.backend.schedule import arranged
from momagen.rpu.backend.virtual import Code
from momagen.rpu.isa.instruction import instruction
from momagen.rpu.isa.program import Area, RpuProgram
from momagen.rpu.isa.table import b512
from momagen.rpu.simulate.design import Design
from momagen.rpu.simulate.functional import Functional
from momagen.verify import oracle

from .flow import LANES

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

    def program(self, design: Design | None = None, *, timed: bool = True) -> RpuProgram:
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
        body = arranged(code.ops, design, timed)
        begin = [instruction("mload", {"MT": at, "ADDRESS": at}) for at in range(count)]
        begin += [instruction("sload", {"RT": at, "ADDRESS": count + at}) for at in range(len(self.scalars))]
        areas = {name: Area(at * points, points) for at, name in enumerate("xyz")}
        return RpuProgram([*begin, *body], {0: [*self.moduli, *self.scalars]}, {}, areas)

    def check(self, program: RpuProgram, design: Design) -> int:
        """How many random elements agree with integers: all.

        Raises:
            MomagenError: one does not; says which.
        """
        rng, machine = random.Random(self.n), Functional(program, design.vdm_bytes, design.sdm_bytes)
        x, y = ([rng.choice((0, q - 1, rng.randrange(q))) for q in self.moduli for _ in range(self.n)] for _ in "xy")
        machine.put("x", x)
        machine.put("y", y)
        machine.run()
        operands, expected = [x, y][: 1 + self.paired], list[int]()
        for at, q in enumerate(self.moduli):
            spec = make_spec(self.kind, modulus=q, bits=b512().machine["bits"])
            rows = [to_words(each[at * self.n : (at + 1) * self.n], 2) for each in operands]
            expected += oracle.blas(spec, self.scalars[at : at + 1], rows, q)
        return compared(machine.get("z"), expected)


def compared(found: Sequence[int], expected: Sequence[int]) -> int:
    """How many numbers there are, all as expected."""
    for at, (one, other) in enumerate(zip(found, expected, strict=True)):
        if one != other:
            raise MomagenError(f"{other:#x} by the definition", f"{one:#x}", f"value {at}")
    return len(found)
