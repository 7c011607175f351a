"""Hybrid key switching (Han, Ki: CT-RSA 2020): digits of limbs, raised to the auxiliary basis and divided back."""

from __future__ import annotations

from math import prod
from typing import Any

from .kernels import Basis, RnsKernels, Turn
from .parameters import HeParameters


def raised(kernels: RnsKernels, parameters: HeParameters, d: Any, turn: Turn | None = None) -> Any:
    """(digits, limbs + auxiliary, N): each digit of d, (limbs, N), modulo all moduli, values; with a ``turn`` those of
    d(x^g).

    The turn is folded into the inverse transform, so that only what stays values moves: each limb of d, in the digit
    that it belongs to.

    A digit is the number around 0 that its limbs say, or where parameters are approximate, a number congruent to it
    and below ``digit`` times its modulus.
    """
    import jax.numpy as jnp

    limbs = d.shape[-2]
    moduli = parameters.moduli[:limbs]
    coefficients = kernels.intt(d, moduli, turn)
    own = d if turn is None else kernels.permute(d, turn.places)
    rows = []
    for low, high in parameters.parts(limbs):
        others = moduli[:low] + moduli[high:] + parameters.auxiliary
        exact = not parameters.approximate
        lifted = kernels.convert(coefficients[low:high], moduli[low:high], others, exact)
        values = kernels.ntt(lifted, others)
        rows.append(jnp.concatenate([values[:low], own[low:high], values[low:]]))
    return jnp.stack(rows)


def accumulated(kernels: RnsKernels, parameters: HeParameters, digits: Any, key: Any) -> Any:
    """(2, limbs + auxiliary, N): the sum of digits times the pairs of a key, (dnum, 2, L + auxiliary, N)."""
    import jax.numpy as jnp

    limbs = digits.shape[-2] - parameters.digit
    basis = parameters.moduli[:limbs] + parameters.auxiliary
    cut = jnp.concatenate([key[:, :, :limbs], key[:, :, parameters.limbs :]], axis=2)
    total = kernels.multiply(cut[0], digits[0], basis)
    for at in range(1, len(digits)):
        total = kernels.add(total, kernels.multiply(cut[at], digits[at], basis), basis)
    return total


def divided(kernels: RnsKernels, x: Any, basis: Basis, kept: int) -> Any:
    """x, values modulo ``basis``, divided by the product of all moduli but the first ``kept``, rounded to nearest."""
    dropped, rest = basis[kept:], basis[:kept]
    below = kernels.convert(kernels.intt(x[..., kept:, :], dropped), dropped, rest)
    exact = kernels.subtract(x[..., :kept, :], kernels.ntt(below, rest), rest)
    whole = prod(dropped)
    return kernels.scale(exact, [pow(whole, -1, q) for q in rest], rest)


def switched(kernels: RnsKernels, parameters: HeParameters, d: Any, key: Any, turn: Turn | None = None) -> Any:
    """A pair (k_0, k_1), (2, limbs, N), with k_0 + k_1·s = d·t + noise, for the ``key`` of t; with a ``turn`` d(x^g)
    for d."""
    limbs = d.shape[-2]
    total = accumulated(kernels, parameters, raised(kernels, parameters, d, turn), key)
    return divided(kernels, total, parameters.moduli[:limbs] + parameters.auxiliary, limbs)
