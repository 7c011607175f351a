"""Options of kernels whose values are a short list: one table of help texts, to which each command adds the values."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from momagen.kinds.modular.typed import listed as known_values


class Help(NamedTuple):
    """The help of an option: what it does, and what momagen does without it."""

    text: str
    default: str


ANY = "any"
"""The value of --input-factor that accepts all values of the words; only element-wise kernels have it."""
BY_TARGET = "set by the target"
TEXTS = {
    "radix": Help("largest radix of the butterflies in one pass", "chosen by width"),
    "algorithm": Help("order of the butterflies", "ring for --order bitrev, stockham for natural"),
    "quotients": Help("how products with twiddles are reduced", "chosen by target, width and size"),
    "reduction": Help("how products are reduced modulo q", "chosen by width"),
    "limbs": Help("limbs of residues during the computation", "chosen by target and width"),
    "levels": Help("most butterfly levels per pass over columns", "what registers and caches hold"),
    "interleave_blocks": Help(
        "number of blocks whose instructions the last pass interleaves", "chosen by target and width"
    ),
    "interleave_butterflies": Help(
        "interleave the instructions of two butterflies on reduced-radix limbs", "yes if they fit the registers"
    ),
    "constants": Help("where butterflies on reduced-radix limbs keep their constants", "registers, if they fit"),
    "chain": Help("most products in one chain of integer multiply-adds on reduced-radix limbs", BY_TARGET),
    "twiddles": Help("format of twiddles that differ from lane to lane", "chosen by size of the table"),
    "storage": Help("format of residues between passes over columns", "chosen by size"),
    "prefetch": Help(
        "prefetch the twiddles of the last pass during the pass before it", "chosen by size of the tables"
    ),
    "dense": Help("largest transform computed as one matrix product, on targets with matrix engines", BY_TARGET),
    "factors": Help(
        "sizes of the transforms computed as matrix products, powers of two from 2 to 1024 whose product is n; "
        "128x512 transforms columns of 128, then rows of 512",
        "chosen by --dense",
    ),
    "engine": Help("number format of matrix products", "the cheapest that the target has and that is exact"),
    "fused": Help(
        "split residues, multiply by the matrix and reduce in one kernel, on targets that process matrices in blocks",
        "no",
    ),
    "sums": Help("how the sums of a matrix product are reduced modulo q", "montgomery"),
    "interleave": Help("number of vectors whose instructions are interleaved", "chosen by target and width"),
    "multiply": Help("algorithm for whole products of multi-word numbers", "schoolbook"),
    "compare": Help("how multi-word numbers are compared", "borrow"),
    "carry": Help("comparison that computes the carry of an addition", BY_TARGET),
    "borrow": Help("how the borrow of a subtraction is computed", BY_TARGET),
    "product": Help("how products of two words are computed", BY_TARGET),
    "unroll": Help("number of copies of a loop's body", "set by the target, or left to the C compiler"),
    "threads": Help("use up to K threads per call", "1"),
    "bake": Help("compile the modulus in and exploit its form", "no"),
    "form": Help("residues as they are, or in Montgomery form x·R mod q", "plain"),
    "form_bits": Help(
        "exponent k of R = 2^k, at least the bits of the modulus", "the bits of the words that hold a residue"
    ),
    "cmp": Help("comparison of an element with the bound, for cmpadd and cmpsub", "nle, that is, greater"),
    "input_factor": Help("accept inputs below F·q (lazy range)", "1"),
    "output_factor": Help("allow outputs below F·q (lazy range)", "1"),
}
"""The help of each option, by its name in Python; on the command line "-" stands for "_"."""


NOTES: Mapping[str, Mapping[str, str]] = {
    "algorithm": {"ring": "split x^n ± 1 recursively into factors, in place"},
    "quotients": {
        "table": "Shoup's method with stored quotients",
        "computed": "Montgomery's method, or folding on reduced-radix limbs",
    },
    "reduction": {
        "approximate": "Shoup's method with a truncated quotient",
        "lazy": "Shoup's method on lazy ranges",
        "tight": "Shoup's method on reduced summands",
        "wide": "Shoup's method for a modulus that fills its words",
        "special": "folding at the power of two next to a baked-in modulus",
        "folded": "folding by a matrix engine",
    },
    "limbs": {
        "full": "full-radix limbs with carries",
        "reduced": "reduced-radix limbs with spare bits, integer or floating-point",
    },
    "twiddles": {"whole": "limbs with Shoup quotients", "packed": "words, unpacked at use"},
    "sums": {"folded": "the engine folds the upper parts of the sums"},
    "multiply": {"karatsuba": "down to two words", "karatsuba_words": "down to one word"},
    "product": {
        "halves": "from half words",
        "convolution": "from quarter words, by a convolution",
    },
    "borrow": {"top": "from the top bit"},
    "compare": {"borrow": "by the borrow of their difference", "less": "limb by limb, from the highest"},
    "input_factor": {ANY: "any value of the words"},
}
"""The meaning of values whose names do not tell it; shown where the command accepts them."""
FORMS = {"factors": "RxC…", "form_bits": "K", "threads": "K"}
"""Placeholders for values that are not a list."""


def listed(known: Sequence[str]) -> str:
    """Return values as help shows them."""
    return "{" + ",".join(known) + "}"


def add_choice(group: argparse._ActionsContainer, option: str, options: type, known: Sequence[str] = ()) -> None:
    """Add an option whose help lists its values.

    Args:
        group: Takes the option.
        option: Its name in Python.
        options: The TypedDict that says which values it has; they are checked later, for one kernel.
        known: Other values.
    """
    values = known or known_values(options)[option]
    notes = ", ".join(f"{value}: {NOTES[option][value]}" for value in values if value in NOTES.get(option, {}))
    text, default = TEXTS[option]
    if option == "input_factor" and ANY in values:
        default = f"{ANY} for reduce and cmpadd, else {default}"
    text = f"{text}{f'; {notes}' if notes else ''} (default: {default})"
    group.add_argument(f"--{option.replace('_', '-')}", metavar=listed(values) if values else FORMS[option], help=text)
