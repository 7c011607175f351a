"""Element-wise codelets as loops see them: a block, the vectors that it reads, and how it holds residues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from momagen.ir import Block
from momagen.rewrite import Machine, Trace, reduce_products, table
from momagen.rewrite.rules.operations import REDUCED

SHORT = 5
"""Digits up to which those of both factors and all sums nearly fit the registers."""


@dataclass(frozen=True, eq=False)
class Elementwise:
    """z ≡ f(x, y) modulo q, or f of x alone, and of constants that all elements share, which are its other inputs.

    Attributes:
        block: the output is z; on digits it is t = 2^shift·z.
        vectors: those that it reads, and by how many bits their elements are shifted.
        m: z < m·q; 0 where z is no residue.
        word: bits of a digit; 0 where residues are held in words of the machine.
        wanted: vectors that words reduce first, and the m of m·q below which the block takes them.
        units: digits are held in doubles, digit 0 of the number ``name`` times 2^units[name]; None: as integers.
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
        """Whether digits are held in doubles."""
        return self.units is not None

    @property
    def size(self) -> int:
        """Digits of the result."""
        return -(-self.block.outputs["t"].hi.bit_length() // self.word)

    @property
    def long(self) -> bool:
        """Whether it goes by rows, with factors and constants in memory."""
        return not self.real and self.size > SHORT

    def unit(self, name: str, at: int) -> int:
        """In doubles, digit ``at`` of the number ``name`` is held times 2^unit."""
        return (self.units or {}).get(name, 0) + self.word * at

    def odd(self, word: int) -> bool:
        """Whether rules for words of ``word`` bits ask for 1/q, which needs an odd q."""
        trace = Trace()
        reduce_products(self.block, table(), Machine(word, lambda op, width: False), trace)
        return "qi" in trace.derived
