"""Operators on ciphertexts as JAX arrays of values, of shape (2, limbs, N): executed at once or inside ``jax.jit``.

A ciphertext (c_0, c_1) encrypts c_0 + c_1·s modulo the product of its first ``limbs`` moduli.
"""

from __future__ import annotations

from typing import Any

from .kernels import RnsKernels, Turn
from .parameters import HeParameters
from .switching import divided, switched


def added(kernels: RnsKernels, parameters: HeParameters, x: Any, y: Any) -> Any:
    """Return the sum of two ciphertexts."""
    return kernels.add(x, y, parameters.moduli[: x.shape[-2]])


def subtracted(kernels: RnsKernels, parameters: HeParameters, x: Any, y: Any) -> Any:
    """Return the difference of two ciphertexts."""
    return kernels.subtract(x, y, parameters.moduli[: x.shape[-2]])


def multiplied_plain(kernels: RnsKernels, parameters: HeParameters, x: Any, plain: Any) -> Any:
    """Return a ciphertext times a plaintext of shape (limbs, N)."""
    return kernels.multiply(x, plain, parameters.moduli[: x.shape[-2]])


def tensor(kernels: RnsKernels, parameters: HeParameters, x: Any, y: Any) -> Any:
    """Return (d_0, d_1, d_2) with d_0 + d_1·s + d_2·s² = (x_0 + x_1·s)·(y_0 + y_1·s); 4 products and 1 sum."""
    import jax.numpy as jnp

    moduli = parameters.moduli[: x.shape[-2]]
    ends = kernels.multiply(x, y, moduli)
    crossed = kernels.multiply(x, y[::-1], moduli)
    return jnp.stack([ends[0], kernels.add(crossed[0], crossed[1], moduli), ends[1]])


def multiplied(kernels: RnsKernels, parameters: HeParameters, x: Any, y: Any, key: Any) -> Any:
    """Return the product of two ciphertexts, relinearised to two polynomials by the ``key`` of s²."""
    d = tensor(kernels, parameters, x, y)
    return kernels.add(d[:2], switched(kernels, parameters, d[2], key), parameters.moduli[: x.shape[-2]])


def rescaled(kernels: RnsKernels, parameters: HeParameters, x: Any, dropped: int = 1) -> Any:
    """Return the ciphertext divided by the product of its last ``dropped`` moduli, which it loses, and rounded."""
    return divided(kernels, x, parameters.moduli[: x.shape[-2]], x.shape[-2] - dropped)


def rotated(kernels: RnsKernels, parameters: HeParameters, x: Any, turn: Turn, key: Any) -> Any:
    """Return the ciphertext of a(x^g) for that of a(x).

    Args:
        kernels: The kernels.
        parameters: The parameters.
        x: The ciphertext.
        turn: The automorphism x → x^g for the moduli of x.
        key: The switching key of s(x^g).
    """
    import jax.numpy as jnp

    fresh = switched(kernels, parameters, x[1], key, turn)
    first = kernels.add(kernels.permute(x[0], turn.places), fresh[0], parameters.moduli[: x.shape[-2]])
    return jnp.stack([first, fresh[1]])


def galois(degree: int, steps: int) -> int:
    """Return g = 5^steps modulo 2N, for which x → x^g moves slot k + steps to slot k."""
    return pow(5, steps % (degree // 2), 2 * degree)
