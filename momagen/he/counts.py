"""The number of kernel calls of each operator, by formulas.

:attr:`momagen.he.kernels.RnsKernels.calls` records the same numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from momagen.errors import MomagenError, among

from .parameters import HeParameters

Counts = Counter[object]
"""The type of counts of vectors of N residues by kernel.

Conversions of N columns have the key ("convert", source limbs, target limbs, exact).
"""


def switching(p: HeParameters, limbs: int) -> Counts:
    """Return the counts of key switching of one polynomial."""
    wide, parts = limbs + p.digit, p.parts(limbs)
    found: Counts = Counter({"intt": limbs, "multiply": 2 * wide * len(parts), "add": 2 * wide * (len(parts) - 1)})
    for low, high in parts:
        others = wide - (high - low)
        found.update({"ntt": others, ("convert", high - low, others, not p.approximate): 1})
    return found + divided(limbs, p.digit)


def divided(kept: int, dropped: int) -> Counts:
    """Return the counts of dividing two polynomials by the moduli that they lose."""
    found: Counts = Counter({"intt": 2 * dropped, ("convert", dropped, kept, True): 2})
    found.update(ntt=2 * kept, add=2 * kept, multiply=2 * kept)
    return found


def _added(p: HeParameters, limbs: int) -> Counts:
    """Return the counts of an addition or a subtraction."""
    return Counter({"add": 2 * limbs})


def _plain(p: HeParameters, limbs: int) -> Counts:
    """Return the counts of a product with a plaintext."""
    return Counter({"multiply": 2 * limbs})


def _multiplied(p: HeParameters, limbs: int) -> Counts:
    """Return the counts of a product with relinearisation."""
    return Counter({"multiply": 4 * limbs, "add": 3 * limbs}) + switching(p, limbs)


def _rotated(p: HeParameters, limbs: int) -> Counts:
    """Return the counts of a rotation.

    Each limb of both polynomials is permuted once. The inverse transform of c_1, which includes the rotation, is one of
    the transforms of key switching.
    """
    return Counter({"permute": 2 * limbs, "add": limbs}) + switching(p, limbs)


def _once(p: HeParameters, limbs: int) -> Counts:
    """Return the counts of rescaling by one modulus."""
    return divided(limbs - 1, 1)


def _twice(p: HeParameters, limbs: int) -> Counts:
    """Return the counts of rescaling by two moduli."""
    return divided(limbs - 2, 2)


OPERATORS: dict[str, tuple[Callable[[HeParameters, int], Counts], int]] = {
    "add": (_added, 1), "subtract": (_added, 1), "plain": (_plain, 1),
    "multiply": (_multiplied, 1), "rescale": (_once, 2), "rescale two": (_twice, 3), "rotate": (_rotated, 1),
}  # fmt: skip
"""The function that counts each operator, and the smallest number of limbs that it accepts."""


def counts(operator: str, parameters: HeParameters, limbs: int | None = None) -> Counts:
    """Return the kernel calls of one operator.

    Args:
        operator: "add", "subtract", "plain", "multiply", "rescale", "rescale two" or "rotate".
        parameters: The parameters.
        limbs: The number of RNS limbs of the ciphertexts (default: all).

    Raises:
        MomagenError: The operator is unknown, or the number of limbs is out of range.
    """
    if operator not in OPERATORS:
        raise among("one of the operators", OPERATORS, operator, "operator")
    formula, fewest = OPERATORS[operator]
    given = parameters.limbs if limbs is None else limbs
    if not fewest <= given <= parameters.limbs:
        raise MomagenError(f"from {fewest} to {parameters.limbs} limbs", given, operator)
    return formula(parameters, given)


def summed(found: Counts) -> dict[str, int]:
    """Return counts by kernel; a conversion counts as the product of its source and target limbs."""
    total: Counter[str] = Counter()
    for key, calls in found.items():
        if isinstance(key, tuple):
            name, low, high, exact = key
            total[name if exact else f"{name} approximately"] += low * high * calls
        else:
            total[str(key)] += calls
    return dict(total)
