"""Which races there are, and who is in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from momagen.papers.cross.race import own
from momagen.papers.cross.race.cross_sums import CONVERSIONS, PRODUCTS
from momagen.papers.cross.race.cross_transforms import TRANSFORMS
from momagen.papers.cross.race.entries import OURS, Makers
from momagen.papers.cross.race.problems import LIMBS, JaxProblem, conversion, matrix_product, transform

from .costs import engines, factors, sharded
from .sections import SIZED

SHORT, WIDE = 28, (60, 124)
"""Bits of moduli."""
ENTRANTS: dict[str, Makers] = {
    "ntt": {OURS: own.transform_jax, "c": own.transform_c, **TRANSFORMS},
    "wide": {OURS: own.transform_jax, "c": own.transform_c},
    "matmul": {OURS: own.product_jax, **PRODUCTS},
    "bconv": {OURS: own.conversion_jax, "jax, exact": own.exact_jax, **CONVERSIONS},
}
"""By section: one function for each contestant."""

COSTS = {"factors": factors.makers, "engine": engines.makers, "sharded": sharded.makers}


def entrants(section: str, problem: JaxProblem) -> Makers:
    """Who is in a race of a section."""
    return COSTS[section](problem) if section in COSTS else ENTRANTS[section]


def problems(section: str, sizes: Sequence[int], batch: int) -> Iterator[JaxProblem]:
    """Of a section: those of its own sizes where none are given."""
    for log in sizes or SIZED[section]:
        if section in ("ntt", "factors"):
            yield transform(SHORT, log, batch)
        elif section == "engine":
            yield engines.squares(log)
        elif section == "sharded":
            yield sharded.spread_out(log)
        elif section == "wide":
            yield from (transform(bits, log, batch) for bits in WIDE)
        elif section == "matmul":
            yield matrix_product(log)
        else:
            yield from (conversion(log, *limbs) for limbs in LIMBS)
