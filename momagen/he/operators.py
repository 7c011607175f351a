"""Operators on ciphertexts as arrays of JAX, (2, limbs, N) of values: eager, or inside ``jax.jit``.

A ciphertext (c_0, c_1) hides c_0 + c_1·s modulo the product of its first ``limbs`` moduli.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from .kernels import RnsKernels
from .parameters import HeParameters
from .switching import divided, switched


def added(kernels: RnsKernels, parameters: HeParameters, x: Any, y: Any) -> Any:
    """The sum of two ciphertexts."""
    return kernels.add(x, y, parameters.moduli[: x.shape[-2]])


def multiplied_plain(kernels: RnsKernels, parameters: HeParameters, x: Any, plain: Any) -> Any:
    """A ciphertext times a plaintext, (limbs, N)."""
    return kernels.multiply(x, plain, parameters.moduli[: x.shape[-2]])


def tensor(kernels: RnsKernels, parameters: HeParameters, x: Any, y: Any) -> Any:
    """(d_0, d_1, d_2) with d_0 + d_1·s + d_2·s² = (x_0 + x_1·s)·(y_0 + y_1·s); 4 products, 1 sum."""
    import jax.numpy as jnp

    moduli = parameters.moduli[: x.shape[-2]]
    ends = kernels.multiply(x, y, moduli)
    crossed = kernels.multiply(x, y[::-1], moduli)
    return jnp.stack([ends[0], kernels.add(crossed[0], crossed[1], moduli), ends[1]])


def multiplied(kernels: RnsKernels, parameters: HeParameters, x: Any, y: Any, key: Any) -> Any:
    """The product of two ciphertexts, back on two polynomials by the ``key`` of s²."""
    d = tensor(kernels, parameters, x, y)
    return kernels.add(d[:2], switched(kernels, parameters, d[2], key), parameters.moduli[: x.shape[-2]])


def rescaled(kernels: RnsKernels, parameters: HeParameters, x: Any, dropped: int = 1) -> Any:
    """The ciphertext divided by the product of its last ``dropped`` moduli, rounded to nearest, which it loses."""
    return divided(kernels, x, parameters.moduli[: x.shape[-2]], x.shape[-2] - dropped)


def rotated(kernels: RnsKernels, parameters: HeParameters, x: Any, places: Any, key: Any) -> Any:
    """The ciphertext of what x hides with x^g for x, ``places`` those of g, by the ``key`` of s(x^g)."""
    import jax.numpy as jnp

    moved = kernels.permute(x, places)
    fresh = switched(kernels, parameters, moved[1], key)
    first = kernels.add(moved[0], fresh[0], parameters.moduli[: x.shape[-2]])
    return jnp.stack([first, fresh[1]])


def galois(degree: int, steps: int) -> int:
    """g = 5^steps modulo 2N: x to x^g moves slot k + steps to slot k."""
    return pow(5, steps % (degree // 2), 2 * degree)


@cache
def _places(order: tuple[int, ...], g: int) -> Any:
    found = np.empty(2 * len(order), dtype=np.int32)
    exponents = np.array(order, dtype=np.int64)
    found[exponents] = np.arange(len(order))
    return found[exponents * g % len(found)]


def places(kernels: RnsKernels, parameters: HeParameters, g: int) -> Any:
    """Where the value of a polynomial's a(x^g) at each point stands among the values of a: at ψ^e it is a(ψ^(e·g))."""
    return _places(tuple(int(e) for e in kernels.points(parameters.moduli)), g)
