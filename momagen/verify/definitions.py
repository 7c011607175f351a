"""The definitions of kernels modulo q: correct outputs at some indices, computed with gmpy2 from the operands."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.kinds.modular.derived.meaning import factor_of_products
from momagen.kinds.modular.spec import Spec
from momagen.params.words import Words, from_words

from .effort import PRODUCT_WORDS
from .extension import ExtensionDefinition
from .oracle import Definition, blas, product, product_at, remainder_products

WHOLE = 1 << 25
"""The approximate number of word products up to which every output of a transform is computed by definition."""


def evaluates_quickly(spec: Spec) -> bool:
    """Return whether all values of a transform can be computed in little time."""
    return spec.results * spec.n * spec.arith.words <= WHOLE


def multiplies_quickly(spec: Spec) -> bool:
    """Return whether all coefficients of a product, or all elements, can be computed in little time."""
    return spec.length * spec.arith.words <= PRODUCT_WORDS


def transform_outputs(spec: Spec, q: int, root: int, given: Sequence[Words], indices: Sequence[int]) -> list[int]:
    """Return values of a polynomial, or coefficients of the polynomial with these values."""
    return Definition(spec, q, root).outputs(given[0], indices)


def extension_outputs(spec: Spec, q: int, root: int, given: Sequence[Words], indices: Sequence[int]) -> list[int]:
    """Return values on a larger coset."""
    return ExtensionDefinition(spec, q, root).outputs(given[0], indices)


def remainder_outputs(spec: Spec, q: int, root: int, given: Sequence[Words], indices: Sequence[int]) -> list[int]:
    """Return coefficients of products modulo the factors x^d - z."""
    return remainder_products(spec, q, root, given[0], given[1], indices)


def product_outputs(spec: Spec, q: int, root: int, given: Sequence[Words], indices: Sequence[int]) -> list[int]:
    """Return coefficients of the product of two polynomials."""
    x, y = given
    if multiplies_quickly(spec):
        all_of_it = product(x, y, q, spec.negacyclic)
        found = [all_of_it[index] for index in indices]
    else:
        found = product_at(x, y, indices, q, spec.negacyclic)
    return [value * factor_of_products(spec, q) % q for value in found]


def element_outputs(spec: Spec, q: int, root: int, given: Sequence[Words], indices: Sequence[int]) -> list[int]:
    """Return elements of the result of an element-wise kernel, whose scalars come before the vectors."""
    first, places = len(spec.ranges.scalars), list(indices)
    scalars = [from_words(number)[0] for number in given[:first]]
    return blas(spec, scalars, [vector[places] for vector in given[first:]], q)


def sum_outputs(spec: Spec, q: int, root: int, given: Sequence[Words], indices: Sequence[int]) -> list[int]:
    """Return the sum of all terms at index 0, and zeros elsewhere."""
    total = sum(element_outputs(spec, q, root, given, range(len(given[-1])))) % q
    return [total if index == 0 else 0 for index in indices]
