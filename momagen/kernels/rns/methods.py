"""The methods of a conversion between RNS bases.

They differ in how they compute the multiple u·Q in Σ y_i·Q/q_i = a + u·Q. "exact" computes the number a itself, by its
digits in mixed radices. "corrected" rounds Σ y_i/q_i. "shenoy-kumaresan" computes u modulo an auxiliary modulus m, by a
sum Σ y_i/q_i like the sums modulo the target moduli. "fast" leaves u·Q in the result.
"""

from __future__ import annotations

from typing import Final, Literal

SHENOY_KUMARESAN: Final = "shenoy-kumaresan"
"""The auxiliary modulus is the last source modulus, which is redundant: Q is the product of the others."""
AUXILIARY: tuple[Literal["shenoy-kumaresan"], ...] = (SHENOY_KUMARESAN,)
"""The methods with an auxiliary modulus."""
EVERYWHERE = ("exact", "fast")
"""The methods for every target and every length of moduli."""
