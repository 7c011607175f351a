"""The options of kernels that choose among a few values: what each decides, in one table, all values listed."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence

from momagen.kernels.compare import COMPARES, DEFAULT
from momagen.kernels.kinds import CHOICES, KINDS
from momagen.kernels.options import options

TEXTS = {
    "radix": "largest radix of a pass over the data (default: by the width)",
    "algorithm": "data flow (default: ring for --order bitrev, stockham for natural)",
    "quotients": "twiddles with precomputed quotients (table: Shoup) or without (computed: Montgomery, or folded on "
    "reduced-radix digits) (default: by target, width and size)",
    "reduction": "how products are reduced: Shoup with a truncated quotient (about), lazily (lazy) or fully (tight), "
    "Montgomery, or Barrett (vmul) (default: by the width)",
    "digits": "limb representation: full-radix words with carries, or slack: reduced-radix digits with spare bits, "
    "integers or floating point as the target has them (default: by target and width)",
    "levels": "butterfly levels of one pass over reduced-radix digits, at most",
    "group": "blocks that the last pass over reduced-radix digits takes together",
    "paired": "interleave two butterflies on reduced-radix digits",
    "constants": "where butterflies on reduced-radix digits keep their constants",
    "chain": "products in one chain of multiply-adds, at most",
    "twiddles": "per-lane twiddles whole, with their quotients, or packed into words (default: by the table's length)",
    "storage": "storage between passes over columns: digits or words (default: by the length)",
    "interleave": "how many vectors' products are interleaved, instruction by instruction (default: by target, width)",
    "multiply": "product of two-word numbers (default: schoolbook)",
    "compare": "conditional subtraction by the borrow or by comparison: MoMA's (24) and (26) (default: borrow)",
    "carry": "how a carry is found: an unsigned comparison, or a signed one (default: by the target)",
    "borrow": "how a borrow is found: a comparison, or the top bit (default: by the target)",
    "product": "products of whole words, or of half words (default: by the target)",
    "unroll": "copies of a loop's body (default: by the target, or as the C compiler likes)",
    "bake": "yes: the build serves this modulus only, whose words are constants in it (default: no)",
    "cmp": f"comparison of cmpadd and cmpsub (default: {DEFAULT})",
    "input_factor": "F: input vectors hold any value below F·q; any: what the words hold (default: 1, of reduce any)",
    "output_factor": "F: output vectors may hold any value below F·q (default: 1)",
}  # fmt: skip
"""What each option decides, by its name in Python; on the command line "-" stands for "_"."""


def values(option: str, kinds: Iterable[str] = KINDS) -> tuple[str, ...]:
    """All that an option may be for some kernel of these kinds, in the table's order."""
    known = CHOICES.get(option, {})
    found = dict.fromkeys(value for kind in kinds for value in known.get(kind, ()))
    return tuple(found) or options()[option] or tuple(COMPARES)


def listed(known: Sequence[str]) -> str:
    """Values as help shows them."""
    return "{" + ",".join(known) + "}"


def add_choice(
    group: argparse._ActionsContainer, option: str, kinds: Iterable[str] = KINDS, known: Sequence[str] = ()
) -> None:
    """The option, its values listed: those for ``kinds``, or ``known`` ones; checked later, for one kernel."""
    shown = listed(known or values(option, kinds))
    group.add_argument(f"--{option.replace('_', '-')}", metavar=shown, help=TEXTS[option])
