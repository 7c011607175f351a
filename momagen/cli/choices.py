"""The options of kernels that choose among a few values: what each decides, in one table, all values listed."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from momagen.kernels.spec.typed import listed as known_values

TEXTS = {
    "radix": "largest radix of a pass over the data (default: by the width)",
    "algorithm": "data flow (default: ring for --order bitrev, stockham for natural)",
    "quotients": "twiddles with precomputed quotients (table: Shoup) or without (computed: Montgomery, or folded on "
    "reduced-radix digits) (default: by target, width and size)",
    "reduction": "how products are reduced (default: by the width)",
    "limbs": "limb representation: full-radix words with carries, or slack: reduced-radix digits with spare bits, "
    "integers or floating point as the target has them (default: by target and width)",
    "levels": "butterfly levels of one pass over columns, at most: between two stores to memory on reduced-radix "
    "digits, in registers where a residue is one limb (default: what caches and registers hold)",
    "interleave_blocks": "blocks that the last pass takes together (default: by target and width)",
    "interleave_butterflies": "interleave two butterflies on reduced-radix digits",
    "constants": "where butterflies on reduced-radix digits keep their constants",
    "chain": "products in one chain of multiply-adds, at most",
    "twiddles": "per-lane twiddles whole, with their quotients, or packed into words (default: by the table's length)",
    "storage": "storage between passes over columns: digits or words (default: by the length)",
    "prefetch": "prefetch the twiddles of the last pass during the pass before it (default: by the table's length)",
    "dense": "transforms by matrices of this many points at most, with twiddles between them, on targets with engines",
    "factors": "transforms by matrices of exactly so many points, powers of two from 2 to 1024 whose product is n: "
    "128x512 acts on columns of 128 first, then on rows of 512, and the inverse goes back",
    "engine": "what multiplies matrices (default: the cheapest of the target whose sums are exact)",
    "fused": "digits, products by a matrix and residues in one kernel, whose blocks stay in the memory of vectors, on "
    "targets with blocks (default: no)",
    "sums": "how sums of digits become residues: by Montgomery's or Barrett's reduction, or with what overflows folded "
    "in by the engine (default: montgomery)",
    "interleave": "how many vectors' products are interleaved, instruction by instruction (default: by target, width)",
    "multiply": "product of two-word numbers (default: schoolbook)",
    "compare": "conditional subtraction by the borrow or by comparison: MoMA's (24) and (26) (default: borrow)",
    "carry": "how a carry is found: an unsigned comparison, or a signed one (default: by the target)",
    "borrow": "how a borrow is found: a comparison, or the top bit (default: by the target)",
    "product": "products of whole words, of half words, or by a convolution of quarters (default: by the target)",
    "unroll": "copies of a loop's body (default: by the target, or as the C compiler likes)",
    "threads": "calls are done by up to so many threads: each does some of the vectors, or, from 2^18 points of one "
    "modulus on, a part of every transform; in C NAME_threads(plan, K) sets another number (default: the caller alone)",
    "bake": "yes: serve this modulus only, and reduce by its form where that saves operations (default: no)",
    "form": "operands and result as they are, or in Montgomery form, x·R mod q (default: plain)",
    "form_bits": "k of R = 2^k: from the bits of the modulus to the bits of its words (default: the bits of its words)",
    "cmp": "comparison of cmpadd and cmpsub (default: nle)",
    "input_factor": "F: input vectors hold any value below F·q (default: 1)",
    "output_factor": "F: output vectors may hold any value below F·q (default: 1)",
}  # fmt: skip
"""What each option decides, by its name in Python; on the command line "-" stands for "_"."""


NOTES: Mapping[str, Mapping[str, str]] = {
    "reduction": {
        "approximate": "Shoup with a truncated quotient",
        "lazy": "Shoup, lazily reduced", "tight": "Shoup, fully reduced",
        "special": "what lies above a power of two next to a baked modulus is folded in",
    },
    "multiply": {"karatsuba": "down to two words", "karatsuba_words": "down to words"},
    "input_factor": {"any": "all that the words hold, the default of reduce"},
}  # fmt: skip
"""What values mean that do not say it; shown where the command takes them."""
FORMS = {"factors": "RxC…", "form_bits": "K", "threads": "K"}
"""How values are written that no list has."""


def listed(known: Sequence[str]) -> str:
    """Values as help shows them."""
    return "{" + ",".join(known) + "}"


def add_choice(group: argparse._ActionsContainer, option: str, options: type, known: Sequence[str] = ()) -> None:
    """The option, its values listed: those of ``options``, or ``known`` ones; checked later, for one kernel."""
    values = known or known_values(options)[option]
    notes = [f"{value}: {NOTES[option][value]}" for value in values if value in NOTES.get(option, {})]
    text = "; ".join([TEXTS[option], *notes])
    group.add_argument(f"--{option.replace('_', '-')}", metavar=listed(values) if values else FORMS[option], help=text)
