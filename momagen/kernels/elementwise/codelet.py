"""Element-wise codelets for loops: a block, the vectors that it reads, and its representation of residues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from momagen.ir import Block
from momagen.rewrite import Machine, Trace, reduce_products, table
from momagen.rewrite.rules.operations import REDUCED

SHORT = 5
"""The number of limbs up to which the limbs of both factors and of all sums nearly fit the registers."""


@dataclass(frozen=True, eq=False)
class Elementwise:
    """A codelet z ≡ f(x, y) modulo q, or f of x alone. Its other inputs are constants that all elements share.

    Attributes:
        block: The block. The output is z, or t = 2^shift·z on limbs.
        vectors: The vectors that it reads, with the number of bits by which their elements are shifted.
        m: The result is below m·q; 0 if it is not a residue.
        word: The number of bits of a limb, or 0 if residues are words of the machine.
        shift: The number of bits by which the result is shifted.
        units: The exponents of the units of limb 0 of each number, if limbs are doubles; None if they are
            integers.
        wanted: The vectors that are reduced in words first, each with the multiple of q below which the block
            needs it.
    """

    block: Block
    vectors: Mapping[str, int]
    m: int
    word: int = 0
    shift: int = 0
    units: Mapping[str, int] | None = None
    wanted: Mapping[str, int] = field(default_factory=dict)

    @property
    def multiplies(self) -> bool:
        """Whether it has a product."""
        return any(instr.op in REDUCED for instr in self.block.instrs)

    @property
    def real(self) -> bool:
        """Whether limbs are doubles."""
        return self.units is not None

    @property
    def size(self) -> int:
        """The number of limbs of the result."""
        return -(-self.block.outputs["t"].hi.bit_length() // self.word)

    @property
    def long(self) -> bool:
        """Whether it is computed row by row, with factors and constants in memory."""
        return not self.real and self.size > SHORT

    def unit(self, name: str, at: int) -> int:
        """Return the exponent of the unit of limb ``at`` of the number ``name`` in doubles."""
        return (self.units or {}).get(name, 0) + self.word * at

    def odd(self, word: int) -> bool:
        """Return whether the rules for words of ``word`` bits derive 1/q, which requires an odd q."""
        trace = Trace()
        reduce_products(self.block, table(), Machine(word, lambda op, width: False), trace)
        return "qi" in trace.derived
