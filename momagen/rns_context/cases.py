"""Every operation of a context on given polynomials, with its result by definition."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from momagen.params.primes import prime_basis

from .definition import ContextDefinition, Row, Rows

Draw = Callable[[Sequence[int]], Rows]
"""The type of a function that returns random rows of residues, one for each of the given moduli."""
RowOf = Callable[[int, int], Row]
"""The type of a function that returns the row of a result, for its index and its modulus."""
MOST = 4
"""The largest number of moduli of each length in a trial."""


class ContextTrial(NamedTuple):
    """The parameters of one context.

    Attributes:
        q: The moduli.
        p: The auxiliary moduli.
        digits: The number of digits.
    """

    q: Sequence[int]
    p: Sequence[int]
    digits: int


class ContextCase(NamedTuple):
    """One call and its result.

    Attributes:
        operation: The name of the function.
        level: The level of its operands.
        extended: Whether the operands are extended.
        operands: The polynomials, as lists of rows; ``scale`` and ``axpy`` have the row of scalars first.
        expected: The result, one polynomial after another.
        g: The exponent of an automorphism.
        key: The key, as pairs of extended polynomials.
        digits: The digits of a polynomial.
        polynomials: The number of polynomials of the result.
    """

    operation: str
    level: int
    extended: bool
    operands: Sequence[Rows]
    expected: Rows
    g: int = 0
    key: Sequence[Sequence[Rows]] = ()
    digits: Sequence[Rows] = ()
    polynomials: int = 1


def build_trials(lengths: Sequence[int], n: int) -> Iterator[ContextTrial]:
    """Yield contexts with moduli of one length, and with two lengths, the first and the special ones longer."""
    found = {length: prime_basis(MOST, length, n) for length in lengths}
    for moduli in found.values():
        yield ContextTrial(moduli[:-1], moduli[-1:], len(moduli[:-1]))
        yield ContextTrial(moduli[:-2], moduli[-2:], 1)
    for short, long in pairwise(lengths):
        yield ContextTrial([found[long][0], *found[short][:3]], found[long][1:3], 2)


def build_cases(definition: ContextDefinition, level: int, draw: Draw) -> Iterator[ContextCase]:
    """Yield all operations at one level, on polynomials from ``draw``."""
    for extended in (False, True):
        yield from _build_row_cases(definition, level, extended, draw)
    x, extended_x = draw(definition.list_moduli(level, False)), draw(definition.list_moduli(level, True))
    whole = definition.list_moduli(len(definition.q), True)
    key = [[draw(whole), draw(whole)] for _ in definition.split_digits(len(definition.q))]
    digits, g = definition.decompose(x, level), choose_exponent(definition.n)
    turned = [definition.permute(digit, g) for digit in digits]
    if level > 1:
        yield ContextCase("rescale", level, False, [x], definition.rescale(x, level))
    yield ContextCase("mod_down", level, True, [extended_x], definition.divide_by_p(extended_x, level))
    yield ContextCase(
        "decompose", level, True, [x], [row for digit in digits for row in digit], polynomials=len(digits)
    )
    yield ContextCase("keyswitch", level, False, [x], _switch(definition, digits, key, level), key=key, polynomials=2)
    yield ContextCase(
        "keyswitch_digits",
        level,
        False,
        [x],
        _switch(definition, turned, key, level),
        g=g,
        key=key,
        digits=digits,
        polynomials=2,
    )


def choose_exponent(n: int) -> int:
    """Return the exponent of the automorphisms: 5, or 1 for n = 2."""
    return 5 % (2 * n)


def _switch(definition: ContextDefinition, digits: list[Rows], key: list[list[Rows]], level: int) -> Rows:
    """Return the rows of the result of a key switch."""
    return [row for rows in definition.keyswitch(digits, key, level) for row in rows]


def _build_row_cases(definition: ContextDefinition, level: int, extended: bool, draw: Draw) -> Iterator[ContextCase]:
    """Yield the operations that work row by row."""
    moduli, g = definition.list_moduli(level, extended), choose_exponent(definition.n)
    x, y = draw(moduli), draw(moduli)
    scalars = [row[0] for row in y]

    def build_case(operation: str, operands: Sequence[Rows], row: RowOf, exponent: int = 0) -> ContextCase:
        expected = [row(i, q) for i, q in enumerate(moduli)]
        return ContextCase(operation, level, extended, operands, expected, g=exponent)

    def apply_to_elements(compute: Callable[[int, int], int]) -> RowOf:
        return lambda i, q: [compute(a, b) % q for a, b in zip(x[i], y[i], strict=True)]

    yield build_case("ntt", [x], lambda i, q: definition.ntt(x[i], q))
    yield build_case("intt", [x], lambda i, q: definition.intt(x[i], q))
    yield build_case("add", [x, y], apply_to_elements(lambda a, b: a + b))
    yield build_case("sub", [x, y], apply_to_elements(lambda a, b: a - b))
    yield build_case("neg", [x], apply_to_elements(lambda a, b: -a))
    yield build_case("mul", [x, y], apply_to_elements(lambda a, b: a * b))
    yield build_case("scale", [[scalars], x], lambda i, q: [scalars[i] * a % q for a in x[i]])
    yield build_case(
        "axpy", [[scalars], x, y], lambda i, q: [(scalars[i] * a + b) % q for a, b in zip(x[i], y[i], strict=True)]
    )
    yield build_case("dot", [x, y, y, x], apply_to_elements(lambda a, b: 2 * a * b))
    yield build_case("automorphism", [x], lambda i, q: definition.permute([x[i]], g)[0], g)
    yield build_case("automorphism_coefficients", [x], lambda i, q: definition.apply_automorphism(x[i], g, q), g)
