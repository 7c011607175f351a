"""The gathering and the negation of residues in JAX arrays, outside or inside traced functions."""

from __future__ import annotations

from typing import Any


def gathered(x: Any, places: Any, axis: int = -1) -> Any:
    """Return the array whose element j along ``axis`` is element places[j] of x.

    Args:
        x: The array.
        places: An array of integers, all of which are valid indices.
        axis: The axis.
    """
    import jax.numpy as jnp

    at = (*[slice(None)] * (axis % x.ndim), jnp.asarray(places))
    return x.at[at].get(mode="promise_in_bounds", unique_indices=True)


def negated(x: Any, which: Any, moduli: Any) -> Any:
    """Return q - x for the elements of x that ``which`` selects and that are not 0, and x for the other ones.

    Args:
        x: The residues.
        which: An array of Booleans.
        moduli: The moduli q, of the shape of x or broadcast to it.
    """
    import jax.numpy as jnp

    return jnp.where(jnp.logical_and(which, x != 0), jnp.asarray(moduli, x.dtype) - x, x)
