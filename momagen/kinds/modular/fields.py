"""The fields of a specification, and what follows of them by counting: sizes, axes and roots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from momagen.formula.breakdown import RING
from momagen.targets import Target

from .making.automorphism import undone
from .parameters import SharedParameters
from .sizes import ALGORITHM

if TYPE_CHECKING:
    from .kinds.modular_kind import ModularKind

GOLDILOCKS = (1 << 64) - (1 << 32) + 1
ROW = 64
"""Bits per word of Python's arrays."""


@dataclass(frozen=True)
class ChosenFields:
    """What a specification determines although a request may leave it open.

    Attributes:
        kind: The kind of kernel.
        n: The number of points of a transform, or 0 for element-wise kernels.
        bits: The width of the container that was requested, or of the modulus.
        modulus: The modulus, or the longest modulus of a basis. The generated code takes it at run time.
        root: The root of unity for this modulus, or 0.
        target: The target.
    """

    kind: ModularKind
    n: int
    bits: int
    modulus: int
    root: int
    target: Target


@dataclass(frozen=True)
class SpecFields(SharedParameters, ChosenFields):
    """The fields of a specification; :class:`momagen.kinds.modular.spec.Spec` adds how residues are represented."""

    @property
    def length(self) -> int:
        """Coefficients of a polynomial; points where the transform does not stop before; 0 for BLAS."""
        return self.n * self.degree

    @property
    def across(self) -> int:
        """Polynomials side by side: columns that are no coefficients of one polynomial."""
        return self.columns // self.degree

    @property
    def axes(self) -> tuple[int, ...]:
        """Of one vector as users have it: coefficients, then polynomials side by side; () for BLAS."""
        return (self.length,) * (self.n > 0) + (self.across,) * (self.across > 1)

    @property
    def depth(self) -> int:
        """Levels of butterflies."""
        return max(self.n, 1).bit_length() - 1

    @property
    def divisor_bits(self) -> int:
        """k, if the results of an inverse transform are the sums of products divided by 2^k."""
        return self.depth - self.montgomery

    @property
    def elements(self) -> int:
        """Residues of one transform of all columns, or one operand of a product; 1 for BLAS, which has any number."""
        return max(self.n, 1) * self.columns

    @property
    def results(self) -> int:
        """Residues of one result."""
        return self.elements * self.kind.grows(self.blowup)

    @property
    def rows(self) -> int:
        """Vectors of residues in one operand: one for each modulus."""
        return len(self.basis) or 1

    @property
    def threads(self) -> int:
        """Threads that a plan begins with; 0 where calls are done by their callers alone."""
        return self.options.threads or 0

    @property
    def width(self) -> int:
        """The width of the moduli that one build serves: all q below 2^width, or all odd ones."""
        return self.serves or self.modulus.bit_length()

    @property
    def row(self) -> int:
        """64-bit words of a residue in Python's arrays, whatever the words of the target."""
        return -(-self.width // ROW)

    @property
    def baked(self) -> bool:
        """Whether the build serves its own modulus only; it does by itself where the target has rules for that one."""
        chains = self.kind.has_special_tables and self.target.chains_products
        own = chains and not self.serves and self.modulus == GOLDILOCKS
        return own if self.options.bake is None else self.options.bake

    @property
    def algorithm(self) -> str:
        """The data flow of a transform."""
        return self.options.algorithm or (RING if self.coset or self.blowup > 1 else ALGORITHM[self.order])

    @property
    def splits(self) -> bool:
        """Whether the first level multiplies already: the ring is x^n + 1, or x^n - g^n."""
        return self.negacyclic or self.coset > 0

    @property
    def power(self) -> str:
        """What x^n is in the ring of its polynomials, up to the sign: "1", or on a coset "7^16"."""
        return f"{self.coset}^{self.length}" if self.coset else "1"

    @property
    def order_of_root(self) -> int:
        """n, the points of the transform, or 2n for the negacyclic one; of a low-degree extension its values."""
        return (2 * self.n if self.negacyclic else self.n) * self.blowup

    @property
    def sizes(self) -> list[int]:
        """The numbers of points that the build has, the largest first; [0] for BLAS."""
        return [self.n >> i for i in range(self.n.bit_length() - 1)] if self.sized else [self.n]

    @property
    def power_of_root(self) -> int:
        """The power of the root that create is told, for the automorphism x to x^g: g, or of an inverse 1/g."""
        return undone(self.automorphism, self.order_of_root) if self.inverse else self.automorphism

    def told(self, root: int, q: int) -> int:
        """What create is told where ``root`` modulo q is asked for; 0 for BLAS."""
        return pow(root, self.power_of_root, q) if self.n else 0

    @property
    def told_root(self) -> int:
        """What create is told for the modulus of this kernel."""
        return self.told(self.root, self.modulus)

    @property
    def told_roots(self) -> tuple[int, ...]:
        """What it is told for each modulus of the basis."""
        return tuple(self.told(root, q) for root, q in zip(self.roots, self.basis, strict=True))
