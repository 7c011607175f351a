"""The methods of a conversion between RNS bases.

They differ in how they compute the multiple u·Q in Σ y_i·Q/q_i = a + u·Q. "exact" computes the number a itself, by its
digits in mixed radices. "corrected" rounds Σ y_i/q_i. "shenoy-kumaresan" and "montgomery" compute u modulo an auxiliary
modulus m, by a sum Σ y_i/q_i like the sums modulo the target moduli. "fast" leaves u·Q in the result.
"""

from __future__ import annotations

from typing import Final, Literal

SHENOY_KUMARESAN: Final = "shenoy-kumaresan"
"""The auxiliary modulus is the last source modulus, which is redundant: Q is the product of the others."""
MONTGOMERY: Final = "montgomery"
"""The auxiliary modulus is a power of two. The sum of products is m·a + u·Q. Subtracting u·Q leaves a multiple of m,
as in Montgomery's reduction."""
AUXILIARY: tuple[Literal["shenoy-kumaresan", "montgomery"], ...] = (SHENOY_KUMARESAN, MONTGOMERY)
"""The methods with an auxiliary modulus."""
EVERYWHERE = ("exact", "fast")
"""The methods that every target supports for every length of moduli."""


def radix_of(bits: int) -> int:
    """Return the exponent of the power of two m for moduli below 2^bits: m has as many bits as the longest modulus."""
    return bits - 1


def has_extra_factor(method: str, positive: bool) -> bool:
    """Return whether a sum has one product more than there are source moduli, a multiple of Q."""
    return method in ("corrected", MONTGOMERY) or (method == "exact" and not positive)
