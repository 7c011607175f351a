"""Element-wise programs, such as sums, products and a·x + y, for several moduli at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from momagen.errors import MomagenError, among
from momagen.kernels.elementwise.blas import KERNELS, VECTORS
from momagen.rpu.backend.compile import compiled
from momagen.rpu.backend.steps import ALL, Steps
from momagen.rpu.backend.virtual import Code
from momagen.rpu.isa.elements import LANES
from momagen.rpu.isa.kernel import RpuKernel
from momagen.rpu.isa.program import RpuProgram
from momagen.rpu.isa.table import b512
from momagen.rpu.machine.design import Design
from momagen.targets import Target

from .blocks import Operand, ScalarRegister, elements, usual_target, write_block
from .layout import ProgramLayout

KINDS = tuple(name for name, row in KERNELS.items() if row.plain)
"""The kernels whose operands are below q, as all instructions require, and that compare nothing."""
RESULT = "z"
"""The name of the result."""


def elementwise_kernel(
    kind: str, n: int, towers: int = 1, design: Design | None = None, steps: Steps = ALL,
    target: Target | None = None,
) -> RpuKernel:  # fmt: skip
    """Return a kernel that computes n elements modulo each modulus, from the areas of its vectors to the area z.

    The scalars are stored in the scalar memory after the moduli.

    Args:
        kind: The name of the kernel.
        n: The number of elements for each modulus.
        towers: The number of moduli.
        design: The machine for which the program is scheduled, or None.
        steps: The steps of the back end.
        target: The target that spells the operations; by default, "b512".

    Raises:
        MomagenError: The kind is unknown, n is not a multiple of 512, or the vectors exceed the vector
            memory.
    """
    vectors, scalars = operands_of(kind)
    if n < 1 or n % LANES:
        raise MomagenError(f"a positive multiple of {LANES}", n, "n")
    code, layout = Code(), ProgramLayout([*vectors, RESULT], n, towers, target=target or usual_target())
    block = layout.traced(elements(kind, layout.target))
    for at in range(0, layout.points, LANES):
        tower = at // n
        given: dict[str, Operand] = {name: code.load(layout.vector(name) + at) for name in vectors}
        given |= {name: ScalarRegister(number * towers + tower) for number, name in enumerate(scalars)}
        made = write_block(code, block, given, tower, layout.target)
        code.store(made[RESULT], layout.vector(RESULT) + at)
    return layout.kernel(compiled(code, layout.frame(), design, steps), scalars=scalars)


class OperandNames(NamedTuple):
    """The names of the operands of a kernel."""

    vectors: list[str]
    scalars: list[str]


def operands_of(kind: str) -> OperandNames:
    """Return the names of a kernel's operands.

    Raises:
        MomagenError: B512 does not support the kernel.
    """
    if kind not in KINDS:
        raise among("one of the kernels", KINDS, kind, "kind")
    names = KERNELS[kind].operands
    return OperandNames(
        [name for name in names if name in VECTORS], [name for name in names if name not in VECTORS]
    )  # fmt: skip


@dataclass(frozen=True)
class RpuElementwise:
    """An element-wise kernel on n elements for each modulus.

    Attributes:
        kind: The name of the kernel.
        n: The number of elements for each modulus.
        moduli: The moduli, below 2^128.
        scalars: The scalar for each modulus, if the kind has one.
    """

    kind: str
    n: int
    moduli: tuple[int, ...]
    scalars: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for q in self.moduli:
            if not 2 <= q < 1 << b512().machine["bits"]:
                raise MomagenError("a modulus from 2 to 2^128 - 1", q, "modulus")
        if len(self.scalars) != len(self.moduli) * self.scaled:
            expected = "one scalar for each modulus" if self.scaled else "no scalars"
            raise MomagenError(expected, len(self.scalars), f"{self.kind}, scalars")
        for a, q in zip(self.scalars, self.moduli, strict=False):
            if not 0 <= a < q:
                raise MomagenError(f"a scalar from 0 to {q - 1}", a, self.kind)

    @property
    def scaled(self) -> bool:
        """Whether the kind has a scalar."""
        return bool(operands_of(self.kind).scalars)

    @property
    def vectors(self) -> list[str]:
        """The names of the areas of its operands."""
        return operands_of(self.kind).vectors

    def program(self, design: Design | None = None, steps: Steps = ALL) -> RpuProgram:
        """Return the program from the areas of the operands to z, with the part of the first modulus first."""
        kernel = elementwise_kernel(self.kind, self.n, len(self.moduli), design, steps)
        return kernel.program(self.moduli, (), [self.scalars] if self.scaled else [])
