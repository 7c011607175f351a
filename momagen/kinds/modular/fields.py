"""The fields of a specification, and the numbers that follow from them: sizes, axes and roots."""

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
"""The number of bits of a word in Python's arrays."""


@dataclass(frozen=True)
class ChosenFields:
    """The fields that a specification determines although a request may leave them open.

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
        """The number of coefficients of a polynomial, or 0 for element-wise kernels.

        It is the number of points, unless the transform is incomplete.
        """
        return self.n * self.degree

    @property
    def across(self) -> int:
        """The number of polynomials that are transformed side by side: the number of columns of the request."""
        return self.columns // self.degree

    @property
    def axes(self) -> tuple[int, ...]:
        """The shape of one vector for users: coefficients, then polynomials; () for element-wise kernels."""
        return (self.length,) * (self.n > 0) + (self.across,) * (self.across > 1)

    @property
    def depth(self) -> int:
        """The number of butterfly levels."""
        return max(self.n, 1).bit_length() - 1

    @property
    def divisor_bits(self) -> int:
        """k, if the results of an inverse transform are the sums of products divided by 2^k."""
        return self.depth - self.montgomery

    @property
    def elements(self) -> int:
        """The number of residues of all columns in one operand.

        It is 1 for element-wise kernels, whose vectors have any length.
        """
        return max(self.n, 1) * self.columns

    @property
    def results(self) -> int:
        """The number of residues of one result."""
        return self.elements * self.kind.grows(self.blowup)

    @property
    def rows(self) -> int:
        """The number of rows of residues in one operand, one for each modulus."""
        return len(self.basis) or 1

    @property
    def threads(self) -> int:
        """The number of threads of a new plan, or 0 if calls only use the threads of their callers."""
        return self.options.threads or 0

    @property
    def width(self) -> int:
        """The width of the moduli that one build serves: all q below 2^width, or all odd ones."""
        return self.serves or self.modulus.bit_length()

    @property
    def row(self) -> int:
        """The number of 64-bit words of a residue in Python's arrays, for every target."""
        return -(-self.width // ROW)

    @property
    def baked(self) -> bool:
        """Whether the build serves only one modulus.

        It does so by default if the target has rules for this modulus.
        """
        chains = self.kind.has_special_tables and self.target.chains_products
        own = chains and not self.serves and self.modulus == GOLDILOCKS
        return own if self.options.bake is None else self.options.bake

    @property
    def algorithm(self) -> str:
        """The data flow of a transform."""
        return self.options.algorithm or (RING if self.coset or self.blowup > 1 else ALGORITHM[self.order])

    @property
    def splits(self) -> bool:
        """Whether the first level has twiddles other than 1, because the ring is defined by x^n + 1 or x^n - g^n."""
        return self.negacyclic or self.coset > 0

    @property
    def power(self) -> str:
        """The value of x^n in the ring, up to its sign: "1", or a power such as "7^16" on a coset."""
        return f"{self.coset}^{self.length}" if self.coset else "1"

    @property
    def order_of_root(self) -> int:
        """The order of the root: n, or 2n for negacyclic transforms, times the blow-up of a low-degree extension."""
        return (2 * self.n if self.negacyclic else self.n) * self.blowup

    @property
    def sizes(self) -> list[int]:
        """The numbers of points that the build serves, the largest one first, or [0] for element-wise kernels."""
        return [self.n >> i for i in range(self.n.bit_length() - 1)] if self.sized else [self.n]

    @property
    def power_of_root(self) -> int:
        """The exponent of the power of the root that is passed to ``create``.

        For the automorphism from x to x^g it is g, or the inverse of g for inverse transforms.
        """
        return undone(self.automorphism, self.order_of_root) if self.inverse else self.automorphism

    def told(self, root: int, q: int) -> int:
        """Return the root that is passed to ``create`` for a requested root, or 0 for element-wise kernels.

        Args:
            root: The requested root.
            q: The modulus.
        """
        return pow(root, self.power_of_root, q) if self.n else 0

    @property
    def told_root(self) -> int:
        """The root that is passed to ``create`` for the modulus of this kernel."""
        return self.told(self.root, self.modulus)

    @property
    def told_roots(self) -> tuple[int, ...]:
        """The roots that are passed to ``create`` for the moduli of the basis."""
        return tuple(self.told(root, q) for root, q in zip(self.roots, self.basis, strict=True))
