"""The constants of transforms on reduced-radix limbs: plan constants derived from q, and the entries of tables."""

from __future__ import annotations

from momagen.kernels.residues.arith import Arith
from momagen.kernels.residues.on_the_fly_quotient import digits, left_out
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.lower.setup.derived import Held
from momagen.lower.setup.entries import Entry, TransformConstants

FRACTION = 53
"""The number of bits of the quotient of a floating-point constant by q."""


def constants(a: ReducedRadix, words: Arith) -> TransformConstants:
    """Return the constants of a transform on reduced-radix limbs.

    With floating-point limbs, the integer limbs of q have the name n.

    Args:
        a: The representation of residues.
        words: The arithmetic on words with which the plan is computed.
    """

    def column(number: str, digits: int, name: str = "", end: int = 0) -> Held:
        """Return a number in limbs, which are doubles if ``name`` is the name of a constant and the limbs are."""
        return Held(number, digits, a.word, end, a.unit(name, 0) if name and a.real else None)

    kept = {"mu": column("over", 1, "mu", a.cut + a.word), "qn": column("opposite", 1, "qn")}
    first = {"n" if a.real else "q": column("modulus", a.words)}
    if a.real:
        over = Held("over", 1, FRACTION, FRACTION, a.unit("u", 0))
        entry = Entry((column("", a.words, "v"), *[over] * a.over_q), a.words, int(not a.over_q))
        return TransformConstants(words, entry, entry, a.word, {**first, **kept, "q": column("modulus", a.words, "q")})
    shared = Entry((column("", a.words),), a.words)
    apart = shared if a.folds else Entry((column("", a.words), column("over", a.words, end=a.held)))
    if a.packed:
        apart = Entry((Held("", words.words, words.word),))
        kept["nu"] = column("over", digits(a), end=a.held + a.word * left_out(a))
    if a.half:
        kept["bias"] = Held("modulus", a.words, a.word, minus=a.half)
    return TransformConstants(words, shared, apart, a.word, {**first, **kept})
