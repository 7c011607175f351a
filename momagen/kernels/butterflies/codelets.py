"""Butterfly codelets on big integers: NTT_r for Z_q[x]/(x^r - ζ) and r = 2, 4, 8, 16, with lazy ranges.

A codelet is log2 r levels of butterflies. Twiddles are in heap order: twiddle 1 splits x^r - ζ, twiddles 2
and 3 split its two factors, and so on. A value below m·q meets a conditional subtraction only if the next sum
would not fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from momagen.formula.transforms import digit_reversal
from momagen.ir import Block, Builder, Value, const
from momagen.kernels.residues.arith import SIGNED, WITHIN, Arith

Range = tuple[int, int]
"""The interval [lo, hi) in multiples of q that contains a value."""


class Lazy(NamedTuple):
    """A value in [lo·q, m·q)."""

    value: Value
    m: int
    lo: int = 0

    @property
    def spread(self) -> int:
        """The length of the interval, in multiples of q."""
        return self.m - self.lo


@dataclass(frozen=True, eq=False)
class Codelet:
    """A block that computes a butterfly. Rewrite rules determine how its products are reduced.

    Attributes:
        block: The block, with the inputs x0…, the twiddles v1…, the modulus q and the outputs y0….
        radix: The number of inputs.
        out: The range of the outputs.
    """

    block: Block
    radix: int
    out: Range


class CodeletBuilder:
    """A builder of codelets for one representation of residues.

    Args:
        arith: The representation.
        least: The least modulus.

    Attributes:
        b: The builder of the block.
        roots: The twiddles in use by their numbers.
    """

    def __init__(self, arith: Arith, least: int = 0) -> None:
        self.arith, self.b, self.least = arith, Builder(), least
        self.roots: dict[int, Value] = {}

    @cached_property
    def q(self) -> Value:
        """The modulus."""
        return self.arith.q(self.b, self.least)

    def one(self, op: str, *args: Value, k: int = 0) -> Value:
        """Return the result of an operation on residues."""
        return self.b.one(op, self.arith.width, *args, k=k)

    def root(self, t: int) -> Value:
        """Return twiddle t of the heap."""
        if t not in self.roots:
            self.roots[t] = self.arith.residue(self.b, f"v{t}")
        return self.roots[t]

    def reduce(self, x: Lazy, most: int) -> Lazy:
        """Return ``x`` below ``most``·q, by conditional subtractions of powers of two times q."""
        a = self.arith
        while x.m > most:
            step = 1 << (x.m - 1).bit_length() - 1
            if a.kind == SIGNED:
                return Lazy(self.one("unsigned_residue", x.value, self.q), 1)
            multiple = a.times_q(self.b, self.q, step)
            if a.kind == WITHIN and step < most:
                x = Lazy(self.one("reduce_about", x.value, multiple, k=a.cut), step + 1)
            else:
                x = Lazy(self.one("reduce", const(0, "flag"), x.value, multiple), step)
        return x

    def entered(self, x: Lazy) -> Lazy:
        """Return ``x`` in the representation of butterflies.

        For the scheme ``SIGNED``, a residue below q becomes a signed number.
        """
        a = self.arith
        if a.kind != SIGNED or x.m > 1:
            return x
        return Lazy(self.one("signed_residue", x.value, self.q, k=a.held), 2)

    def cooley_tukey(self, x: Lazy, y: Lazy, t: int) -> tuple[Lazy, Lazy]:
        """Return x + v·y and x - v·y for twiddle t."""
        a = self.arith
        if most := a.reduction.closed:
            x, y = self.reduce(self.entered(x), most), self.entered(y)
            return self._pair("butterfly", x, self.reduce(y, 1) if most == 1 else y, t, (most, most))
        grown = a.grown
        x = self.reduce(x, a.reach - grown)
        return self._pair("butterfly", x, y, t, (x.m + grown,) * 2, grown)

    def gentleman_sande(self, x: Lazy, y: Lazy, t: int) -> tuple[Lazy, Lazy]:
        """Return x + y and v·(x - y) for twiddle t."""
        a = self.arith
        if most := a.reduction.closed:
            x, y = self.entered(x), self.entered(y)
            return self._pair("inverse_butterfly", self.reduce(x, most), self.reduce(y, most), t, (most, most))
        if x.m + y.m > a.room:
            x, y = self.reduce(x, a.room // 2), self.reduce(y, a.room // 2)
        return self._pair("inverse_butterfly", x, y, t, (x.m + y.m, a.grown), 1 << (y.m - 1).bit_length())

    def _pair(self, op: str, x: Lazy, y: Lazy, t: int, most: tuple[int, int], multiple: int = 0) -> tuple[Lazy, Lazy]:
        """Return the results of a butterfly.

        Args:
            op: The operation, without the suffix of the reduction.
            x: The first operand.
            y: The second operand.
            t: The number of the twiddle.
            most: The bounds of the results, in multiples of q.
            multiple: The multiple of q that keeps results positive, or 0 if they have the range of the operands.
        """
        a, row = self.arith, self.arith.reduction
        more = [a.times_q(self.b, self.q, multiple)] if multiple else []
        k = a.k if multiple else a.held * ("butterfly" in row.counts)
        args = x.value, y.value, self.root(t), self.q, *more
        low, high = self.b.emit(op + row.butterfly, a.width, *args, k=k)
        return Lazy(low, most[0]), Lazy(high, most[1])

    def times(self, x: Lazy, t: int) -> Lazy:
        """Return v·x for twiddle t."""
        a, args, row = self.arith, (self.entered(x).value, self.root(t), self.q), self.arith.reduction
        k = a.held if "product" in row.counts else a.k
        return Lazy(self.one(row.product, *args, k=k), a.grown)

    def done(self, xs: list[Lazy]) -> Codelet:
        """Return the codelet whose results are ``xs``."""
        return Codelet(self.put(x.value for x in xs), len(xs), (min(x.lo for x in xs), max(x.m for x in xs)))

    def put(self, results: Iterable[Value]) -> Block:
        """Return the block with its results."""
        for i, result in enumerate(results):
            self.b.output(f"y{i}", result)
        return self.b.block


def heap(radix: int, back: bool) -> Iterator[tuple[int, int, int]]:
    """Yield the two inputs and the twiddle of every butterfly, from the whole ring down.

    With ``back`` the order is reversed.
    """
    levels = range(radix.bit_length() - 1)
    for level in reversed(levels) if back else levels:
        half = radix >> level + 1
        for block in range(1 << level):
            for i in range(2 * half * block, 2 * half * block + half):
                yield i, i + half, (1 << level) + block


def codelet(
    arith: Arith, radix: int, m_in: int, last: int, scale: bool = False, weighted: bool = False, *, back: bool = False
) -> Codelet:
    """Return a codelet from natural to bit-reversed order, or with ``back`` the other way with the inverse twiddles.

    Args:
        arith: The representation of residues.
        radix: The number of inputs.
        m_in: The inputs are below m_in·q.
        last: The results are below last·q, unless it is 0.
        scale: Whether the results are multiplied by twiddle 0. This takes products for half of the values;
            twiddle 1 includes the factor for the other half.
        weighted: Whether result i, counted in natural order, is multiplied by twiddle radix + i.
        back: Whether butterflies are Gentleman–Sande ones.
    """
    maker = CodeletBuilder(arith)
    xs = [Lazy(arith.residue(maker.b, f"x{i}", m_in), m_in) for i in range(radix)]

    def scaled(wanted: bool) -> list[Lazy]:
        return [maker.times(x, 0) if wanted and i < radix // 2 else x for i, x in enumerate(xs)]

    xs, pair = scaled(scale and not back), maker.gentleman_sande if back else maker.cooley_tukey
    for i, j, t in heap(radix, back):
        xs[i], xs[j] = pair(xs[i], xs[j], t)
    xs = scaled(scale and back)
    if weighted:
        xs = [maker.times(x, radix + digit_reversal(i, radix)) for i, x in enumerate(xs)]
    return maker.done([maker.reduce(x, last) if last else x for x in xs])
