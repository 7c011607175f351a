"""A kind of kernel that momagen does not have: squares of polynomials modulo x^n - 1 or x^n + 1.

A square takes two transforms, where a product takes three. Everything that momagen needs to know of the kind is here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import gmpy2

from momagen.kinds.modular.derived.meaning import factor_of_products
from momagen.kinds.modular.kinds.products import PolynomialProductKind
from momagen.kinds.modular.spec import Spec
from momagen.kinds.registry import register
from momagen.params.words import Words, from_words
from momagen.program.notation import add_texts
from momagen.verify.defined import DefinedTrial

RUN = '''
[run_square]
args = """
z: WORDS, x: INPUT, c: INPUT if shared, forward_c: INPUT if not shared, forward_tables: INPUT, \
inverse_c: INPUT if not shared, inverse_tables: INPUT, factors: INPUT if factored, t: WORDS"""
text = \'\'\'
forward(z, x, t)
if factored:
    product(z, z, z, c if shared else forward_c, factors, vectors)
else:
    product(z, z, z, c if shared else forward_c, vectors)
inverse(z, z, t)
\'\'\'
'''


class SquareKind(PolynomialProductKind):
    """Squares of polynomials."""

    title = "Square polynomials modulo x^n - 1 or x^n + 1."
    vectors = ("x",)
    run = "run_square"
    computes = "Computes z = x·x"
    meaning = "c/meaning/polynomials.txt.j2"
    transform_count = 2
    own_command = replace(PolynomialProductKind.own_command, examples=("square --n 4096 --bits 64 --negacyclic",))

    def vectors_of_memory(self, request: Spec) -> int:
        """Return 0: the transform is stored in the result."""
        return 0

    def describe(self, request: Spec) -> str:
        """Return what the kernel computes, in words."""
        return super().describe(request).replace("product", "square")

    def noun(self, request: Spec) -> str:
        """Return what a kernel computes, without its modulus and ring."""
        return f"Square of a polynomial of {request.length} coefficients"

    def define(
        self, request: Spec, q: int, root: int, given: Sequence[Words], indices: Sequence[int]
    ) -> list[int]:  # fmt: skip
        """Return coefficients of the square, from the square of one large integer that holds all coefficients."""
        values, n = [int(each) for each in from_words(given[0])], len(given[0])
        width = 2 * q.bit_length() + n.bit_length() + 8
        packed = gmpy2.pack([gmpy2.mpz(value) for value in values], width)
        whole = [int(each) for each in gmpy2.unpack(packed * packed, width)]
        whole += [0] * (2 * n - len(whole))
        sign, factor = -1 if request.negacyclic else 1, factor_of_products(request, q)
        return [(whole[at] + sign * whole[n + at]) * factor % q for at in indices]

    def trial(self, runner, tally, seed, twin):  # type: ignore[no-untyped-def]
        """Return the function that returns the trial for a modulus and a root."""
        return lambda q, root: DefinedTrial(runner, q, root, tally, seed)


def register_square() -> SquareKind:
    """Make the kind known to momagen; return it."""
    add_texts(RUN)
    return register(SQUARE)


SQUARE = SquareKind("square")
register_square()
