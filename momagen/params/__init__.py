"""Numbers around a modulus: expressions, primes, roots of unity, constants of reductions, and conversion to words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.lazy import on_demand

if TYPE_CHECKING:
    from momagen.params.choice import chosen_modulus, chosen_root
    from momagen.params.constants import Montgomery, barrett_mu, montgomery, shoup
    from momagen.params.expression import parse_integer
    from momagen.params.fields import PrimeField, known_fields
    from momagen.params.primes import check_modulus, default_prime, is_prime, prime_basis, prime_of
    from momagen.params.roots import check_order, check_root, primitive_root, root_of_generator
    from momagen.params.words import check_below, check_one, check_residues, from_words, to_words, words_per
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "momagen.params.choice": ("chosen_modulus", "chosen_root"),
            "momagen.params.constants": ("Montgomery", "barrett_mu", "montgomery", "shoup"),
            "momagen.params.expression": ("parse_integer",),
            "momagen.params.fields": ("PrimeField", "known_fields"),
            "momagen.params.primes": ("check_modulus", "default_prime", "is_prime", "prime_basis", "prime_of"),
            "momagen.params.roots": ("check_order", "check_root", "primitive_root", "root_of_generator"),
            "momagen.params.words": (
                "check_below", "check_one", "check_residues", "from_words", "to_words", "words_per"
            ),
        },
    )  # fmt: skip

__all__ = [
    "Montgomery",
    "PrimeField",
    "barrett_mu",
    "check_below",
    "check_modulus",
    "check_one",
    "check_order",
    "check_residues",
    "check_root",
    "chosen_modulus",
    "chosen_root",
    "default_prime",
    "from_words",
    "is_prime",
    "known_fields",
    "montgomery",
    "parse_integer",
    "prime_basis",
    "prime_of",
    "primitive_root",
    "root_of_generator",
    "shoup",
    "to_words",
    "words_per",
]
