"""The definition of low-degree extensions: Lagrange interpolation of the operand at points of the coset.

For the polynomial p of degree below n with p(ω^i) = x_i, p(z) = (z^n - 1)/n · Σ x_i ω^i/(z - ω^i) for every z that is
none of the ω^i.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import gmpy2

from momagen.kinds.modular.spec import Spec
from momagen.params.words import Words, from_words
from momagen.verify.oracle import bit_reversed


class ExtensionDefinition:
    """The extension that ``spec`` requests, modulo the prime ``q``; ``root`` is the root of unity of all points."""

    def __init__(self, spec: Spec, q: int, root: int) -> None:
        self.spec, self.q, self.root = spec, q, root

    @cached_property
    def _given(self) -> list[int]:
        """The points of the operand, in its order."""
        n, w = self.spec.n, gmpy2.powmod(self.root, self.spec.blowup, self.q)
        order = bit_reversed(n).tolist() if self.spec.input_order == "bitrev" else range(n)
        return [int(gmpy2.powmod(w, i, self.q)) for i in order]

    def points(self, rows: Sequence[int]) -> list[int]:
        """Return the points of the result at these rows."""
        if self.spec.order == "bitrev":
            rows = bit_reversed(self.spec.n * self.spec.blowup)[[*rows]].tolist()
        return [int(self.spec.coset * gmpy2.powmod(self.root, row, self.q) % self.q) for row in rows]

    def outputs(self, x: Words, indices: Sequence[int]) -> list[int]:
        """Return the correct results at ``indices`` for the operand ``x``.

        The element in row i and column j has the index i·columns + j.
        """
        m = self.spec.columns
        columns = {j: from_words(x[j::m]) for j in {at % m for at in indices}}
        points = self.points([at // m for at in indices])
        return [self._value(columns[at % m], z) for at, z in zip(indices, points, strict=True)]

    def _value(self, values: Sequence[int], z: int) -> int:
        """Return the value at z of the polynomial with the given values."""
        q, given = self.q, self._given
        if z in given:
            return int(values[given.index(z)]) % q
        terms = (v * w * gmpy2.invert(z - w, q) % q for v, w in zip(values, given, strict=True) if v)
        return int((gmpy2.powmod(z, len(given), q) - 1) * gmpy2.invert(len(given), q) * sum(terms) % q)
