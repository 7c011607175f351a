"""Hybrid key switching (Han and Ki, CT-RSA 2020).

Digits of RNS limbs are raised to the auxiliary basis, and the sum of products is divided by its modulus.
"""

from __future__ import annotations

from math import prod
from typing import Any

from .kernels import Basis, RnsKernels, Turn
from .parameters import HeParameters


def raised(kernels: RnsKernels, parameters: HeParameters, d: Any, turn: Turn | None = None) -> Any:
    """Return the digits of d modulo all moduli, as values of shape (digits, limbs + auxiliary, N).

    A digit is the number around 0 that its limbs represent, or, if the parameters are approximate, a congruent number
    below ``digit`` times its modulus.

    Args:
        kernels: The kernels.
        parameters: The parameters.
        d: The values of a polynomial, of shape (limbs, N).
        turn: An automorphism x → x^g, for the digits of d(x^g). The inverse transform includes it, so that only the
            limbs that remain values (each limb in its own digit) are permuted.
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
    """Return the sum of digits times the pairs of a key, of shape (2, limbs + auxiliary, N).

    Args:
        kernels: The kernels.
        parameters: The parameters.
        digits: The digits, as :func:`raised` returns them.
        key: The key, of shape (dnum, 2, L + auxiliary, N).
    """
    import jax.numpy as jnp

    limbs = digits.shape[-2] - parameters.digit
    basis = parameters.moduli[:limbs] + parameters.auxiliary
    cut = jnp.concatenate([key[:, :, :limbs], key[:, :, parameters.limbs :]], axis=2)
    total = kernels.multiply(cut[0], digits[0], basis)
    for at in range(1, len(digits)):
        total = kernels.add(total, kernels.multiply(cut[at], digits[at], basis), basis)
    return total


def divided(kernels: RnsKernels, x: Any, basis: Basis, kept: int) -> Any:
    """Return x divided by the product of all moduli of ``basis`` except the first ``kept``, rounded to nearest.

    Args:
        kernels: The kernels.
        x: Values of polynomials modulo ``basis``.
        basis: The moduli.
        kept: The number of moduli that remain.
    """
    dropped, rest = basis[kept:], basis[:kept]
    below = kernels.convert(kernels.intt(x[..., kept:, :], dropped), dropped, rest)
    exact = kernels.subtract(x[..., :kept, :], kernels.ntt(below, rest), rest)
    whole = prod(dropped)
    return kernels.scale(exact, [pow(whole, -1, q) for q in rest], rest)


def switched(kernels: RnsKernels, parameters: HeParameters, d: Any, key: Any, turn: Turn | None = None) -> Any:
    """Return a pair (k_0, k_1) of shape (2, limbs, N) with k_0 + k_1·s = d·t + noise, for the ``key`` of t.

    Args:
        kernels: The kernels.
        parameters: The parameters.
        d: The values of a polynomial, of shape (limbs, N).
        key: The switching key of t.
        turn: An automorphism x → x^g, which replaces d by d(x^g).
    """
    limbs = d.shape[-2]
    total = accumulated(kernels, parameters, raised(kernels, parameters, d, turn), key)
    return divided(kernels, total, parameters.moduli[:limbs] + parameters.auxiliary, limbs)
