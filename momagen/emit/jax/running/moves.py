"""Residues that move or change their sign, in arrays of JAX: at once, or inside functions that are traced."""

from __future__ import annotations

from typing import Any


def gathered(x: Any, places: Any, axis: int = -1) -> Any:
    """x with what stands at places[j] of an ``axis`` at j; places, an array of integers, are all within."""
    import jax.numpy as jnp

    at = (*[slice(None)] * (axis % x.ndim), jnp.asarray(places))
    return x.at[at].get(mode="promise_in_bounds", unique_indices=True)


def negated(x: Any, which: Any, moduli: Any) -> Any:
    """q - x where ``which`` says so and x is not 0, else x; moduli: q, of one shape with x or broadcast to it."""
    import jax.numpy as jnp

    return jnp.where(jnp.logical_and(which, x != 0), jnp.asarray(moduli, x.dtype) - x, x)
