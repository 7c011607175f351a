"""Element-wise codelets as loops see them: a block, the vectors that it reads, and constants shared by all elements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

from momagen.ir import Block

GIVEN = ("v0", "u0", "a", "u", "bound", "diff")
"""Constants that come with every call: the scalars of the kernel, and quotients of a factor."""
ORDER = ("q", "qi", "square", "n", "i", "s", "mu", "u1", *GIVEN)
"""All constants as memory holds them, those in front that q alone decides.

qi: 1/q mod R; square: R² mod q; mu: Barrett's quotient; u1: ⌊R/q⌋; v0: the factor a, in Montgomery form where that is
the scheme; u0: ⌊a·R/q⌋. On digits, n: a power of two less q, or q itself in doubles; i: q in integers; s: q·2^shift;
a: the factor; u: its quotient.
"""
PRODUCTS = frozenset({
    "product", "product_lazy", "product_full", "product_full_lazy", "montgomery", "montgomery_lazy", "mulmod",
    "mulmod_full", "mulmod_split",
})  # fmt: skip


SHORT = 5
"""Digits up to which those of both factors and all sums nearly fit the registers."""


@dataclass(frozen=True, eq=False)
class Elementwise:
    """z ≡ f(x, y) modulo q, or f of x alone, and of constants.

    Attributes:
        block: the output is z. operands: inputs by name: the vector, and by how many bits its elements are shifted.
        constants: what all elements share, by name and number of words, q first.
        m: z < m·q; 0 where z is no residue. cut: μ is ⌊(2^cut - 1)/q⌋, on digits u is ⌊a·2^cut/q⌋.
    """

    block: Block
    operands: Mapping[str, tuple[str, int]]
    constants: Mapping[str, int]
    m: int
    cut: int

    @property
    def vectors(self) -> list[str]:
        """The vectors that it reads."""
        return list(dict.fromkeys(vector for vector, _ in self.operands.values()))

    @property
    def multiplies(self) -> bool:
        """Whether it has a product."""
        return any(instr.op in PRODUCTS for instr in self.block.instrs)

    @property
    def at(self) -> dict[str, int]:
        """Where each constant begins, in words."""
        return dict(zip(self.constants, accumulate(self.constants.values(), initial=0), strict=False))

    @property
    def given(self) -> list[str]:
        """The constants that come with every call."""
        return [name for name in self.constants if name in GIVEN]

    @property
    def fixed(self) -> int:
        """Words of all others, which come first in memory."""
        return sum(words for name, words in self.constants.items() if name not in GIVEN)


@dataclass(frozen=True, eq=False)
class DigitProduct(Elementwise):
    """A product on digits of ``word`` bits: t = 2^shift·z is the output. Digits of constants have a word each."""

    word: int
    shift: int = 0

    @property
    def real(self) -> bool:
        """Whether digits are held in doubles."""
        return False

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
        return 0


def ordered(constants: Mapping[str, int], words: int) -> dict[str, int]:
    """``constants`` in the order of memory, behind the ``words`` of q."""
    return {"q": words, **{name: constants[name] for name in ORDER if name in constants}}
