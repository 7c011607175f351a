"""The operations of an RNS context by their definitions, on Python integers, with which a library is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from gmpy2 import invert

from .methods import Methods

Row = list[int]
Rows = list[Row]


@dataclass(frozen=True)
class ContextDefinition:
    """A context of small degree, whose polynomials are lists of rows of integers.

    Attributes:
        n: The number of coefficients.
        q: The moduli.
        p: The auxiliary moduli.
        digits: The number of digits.
        roots: A root of order 2n for each modulus of q and then of p.
        methods: How ModUp converts digits, and how ModDown divides sums by P.
    """

    n: int
    q: Sequence[int]
    p: Sequence[int]
    digits: int
    roots: Sequence[int]
    methods: Methods

    def list_moduli(self, level: int, extended: bool) -> list[int]:
        """Return the moduli of the rows of a polynomial."""
        return [*self.q[:level], *self.p] if extended else [*self.q[:level]]

    def split_digits(self, level: int) -> list[range]:
        """Return the indices of the moduli of each digit at a level."""
        size = -(-len(self.q) // self.digits)
        return [range(low, min(low + size, level)) for low in range(0, level, size)]

    @cached_property
    def reversed_bits(self) -> list[int]:
        """The numbers below n with their log2(n) bits reversed."""
        bits = self.n.bit_length() - 1
        return [int(f"{j:0{bits}b}"[::-1], 2) for j in range(self.n)]

    def ntt(self, x: Row, q: int) -> Row:
        """Return the values at root^(2·brv(j) + 1)."""
        root, values = self._find_root(q), []
        for place in self.reversed_bits:
            at, value = pow(root, 2 * place + 1, q), 0
            for coefficient in reversed(x):
                value = (value * at + coefficient) % q
            values.append(value)
        return values

    def intt(self, x: Row, q: int) -> Row:
        """Return the coefficients of the polynomial with the given values."""
        root, scale = int(invert(self._find_root(q), q)), int(invert(self.n, q))
        points = [pow(root, 2 * place + 1, q) for place in self.reversed_bits]
        sums = (sum(value * pow(at, i, q) for value, at in zip(x, points, strict=True)) for i in range(self.n))
        return [scale * each % q for each in sums]

    def apply_automorphism(self, x: Row, g: int, q: int) -> Row:
        """Return the coefficients of x(X^g)."""
        z = [0] * self.n
        for i, a in enumerate(x):
            turns, place = divmod(i * g, self.n)
            z[place] = (-a if turns % 2 else a) % q
        return z

    def convert(self, x: Rows, source: Sequence[int], goals: Sequence[int], method: str) -> Rows:
        """Return residues modulo ``goals`` of the numbers with the residues ``x``; see the methods of a conversion."""
        whole = prod(source)
        factors = [whole // q for q in source]
        inverses = [int(invert(factor, q)) for factor, q in zip(factors, source, strict=True)]
        found = []
        for column in zip(*x, strict=True):
            terms = [a * b % q * f for a, b, q, f in zip(column, inverses, source, factors, strict=True)]
            number = sum(terms)
            if method != "fast":
                number = (number + whole // 2) % whole - whole // 2
            found.append(number)
        return [[number % p for number in found] for p in goals]

    def rescale(self, x: Rows, level: int) -> Rows:
        """Return x, given by values, divided by the last modulus and rounded."""
        return self._divide(x, self.q[:level], level - 1, "exact")

    def divide_by_p(self, x: Rows, level: int) -> Rows:
        """Return the extended polynomial x, given by values, divided by P."""
        return self._divide(x, self.list_moduli(level, True), level, self.methods.mod_down)

    def _divide(self, x: Rows, moduli: Sequence[int], kept: int, method: str) -> Rows:
        """Return x, given by values, divided by the product of all moduli except the first ``kept``."""
        divisors = moduli[kept:]
        rest = [self.intt(row, p) for row, p in zip(x[kept:], divisors, strict=True)]
        lifted = self.convert(rest, divisors, moduli[:kept], method)
        result = []
        for row, r, q in zip(x, lifted, moduli[:kept], strict=False):
            inverse = int(invert(prod(divisors), q))
            result.append([(a - b) * inverse % q for a, b in zip(row, self.ntt(r, q), strict=True)])
        return result

    def decompose(self, x: Rows, level: int) -> list[Rows]:
        """Return the digits of x, extended polynomials given by values."""
        moduli, digits = self.list_moduli(level, True), []
        coefficients = [self.intt(row, q) for row, q in zip(x, moduli, strict=False)]
        for part in self.split_digits(level):
            source = [moduli[i] for i in part]
            lifted = self.convert([coefficients[i] for i in part], source, moduli, self.methods.mod_up)
            digits.append([x[i] if i in part else self.ntt(lifted[i], q) for i, q in enumerate(moduli)])
        return digits

    def keyswitch(self, digits: list[Rows], key: list[list[Rows]], level: int) -> list[Rows]:
        """Return the two sums of products of digits and keys, divided by P; ``key`` has pairs of whole polynomials."""
        moduli, places = self.list_moduli(level, True), [*range(level), *range(len(self.q), len(self.q) + len(self.p))]

        def sum_row(o: int, i: int) -> Row:
            pairs = [(digit[i], pair[o][places[i]]) for digit, pair in zip(digits, key, strict=False)]
            return [sum(d[c] * k[c] for d, k in pairs) % moduli[i] for c in range(self.n)]

        return [self.divide_by_p([sum_row(o, i) for i in range(len(moduli))], level) for o in range(2)]

    def permute(self, x: Rows, g: int) -> Rows:
        """Return the values of x(X^g) for the values of x: the value at r is that of x at r^g."""
        at = {2 * place + 1: j for j, place in enumerate(self.reversed_bits)}
        order = [at[(2 * place + 1) * g % (2 * self.n)] for place in self.reversed_bits]
        return [[row[j] for j in order] for row in x]

    def _find_root(self, q: int) -> int:
        """Return the root of the modulus q."""
        return self.roots[[*self.q, *self.p].index(q)]
