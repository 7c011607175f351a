"""Several vectors in turns, statement by statement: while the results of one are awaited, the others have work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from momagen.errors import MomagenError
from momagen.kernels.elementwise.products import MULTIPLYING
from momagen.kernels.spec.spec import Spec
from momagen.lower.elementwise.products import DigitLoop
from momagen.lower.phases import MANY
from momagen.targets import load_target

TURNS: Mapping[str, tuple[Sequence[tuple[int, int]], Sequence[tuple[int, int]]]] = {
    "doubles": (((4, 4), (6, 2)), ((1, 8), (3, 4), (5, 3), (9, 2))),
    "digits": ((), ((1, 1), (2, 8), (3, 6), (5, 4))),
    "words": (((2, 4),), ((1, 8), (2, 4), (6, 2))),
    "split": ((), ((1, 2),)),
}
"""With few registers and with many: digits or words up to which so many vectors go in turns; beyond them one.
"split" are words whose quotients digits make: so few operations that memory soon sets the pace."""


def turns_of(spec: Spec, digits: DigitLoop | None, lanes: int, *, split: bool) -> int:
    """How many vectors of ``lanes`` residues go together; ``split``: constants on words have quotients by digits.

    Raises:
        MomagenError: several are asked for where there are no vectors, or their factors go by memory.
    """
    target = load_target(spec.target)
    able = spec.kind in MULTIPLYING and lanes > 1 and not (digits and digits.long)
    if not able:
        if int(asked := spec.options.get("interleave", "1")) > 1:
            raise MomagenError("a product of vectors whose digits are in registers", asked, "interleave")
        return 1
    if "interleave" in spec.options:
        return int(spec.options["interleave"])
    words = "split" if split and spec.kind != "vmul" else "words"
    known = TURNS[words if digits is None else "doubles" if digits.inner.real else "digits"]
    size = digits.inner.constants["n"] if digits else spec.arith.words
    return next((turns for most, turns in known[target.registers >= MANY] if size <= most), 1)
