"""The operations of a transform on several devices besides its kernels: one all-to-all exchange, and powers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

Words = tuple[Any, ...]
"""The words of numbers, one array for each word."""


def placed(mesh: Any, axis: str, first: Words, spread: int) -> Words:
    """Return the words of an array on the devices of a mesh.

    Args:
        mesh: The mesh.
        axis: The axis of the mesh.
        first: The words, as arrays of one shape.
        spread: The axis of the array that is distributed along the axis of the mesh.
    """
    import jax

    where = jax.sharding.NamedSharding(mesh, _spec(axis if at == spread else None for at in range(first[0].ndim)))
    return tuple(jax.device_put(word, where) for word in first)


def gathered(words: Words) -> Words:
    """Return the words of a distributed array as NumPy arrays, on every process that has a part of them."""
    from jax.experimental.multihost_utils import process_allgather

    gather: Any = process_allgather
    return tuple(gather(word, tiled=True) for word in words)


def _spec(axes: Iterable[str | None]) -> Any:
    """Return the partition that assigns to each axis of an array an axis of the mesh or None."""
    from jax.sharding import PartitionSpec

    made: Any = PartitionSpec
    return made(*axes)


def exchanged(words: Words, axis: str, split: int, joined: int) -> Words:
    """Return the words after one all-to-all exchange, inside a mapped function.

    Every device sends each device one part of axis ``split``, and concatenates the parts that it receives
    along axis ``joined``.

    Args:
        words: The words.
        axis: The axis of the mesh.
        split: The axis of the array that is divided into parts.
        joined: The axis of the array along which parts are concatenated.
    """
    from jax import lax

    exchange: Any = lax.all_to_all
    return tuple(exchange(word, axis, split, joined, tiled=True) for word in words)


def rising(multiply: Callable[[Words, Words], Words], one: Words, bases: Words, count: int) -> Words:
    """Return the powers base^0 … base^(count - 1) of each base, along a new last axis.

    Args:
        multiply: The function that multiplies residues.
        one: The words of the number 1.
        bases: The words of the bases, in arrays of any shape.
        count: The number of powers, a power of two.
    """
    import jax.numpy as jnp

    powers, step = tuple(jnp.broadcast_to(word, (*bases[0].shape, 1)) for word in one), bases
    while powers[0].shape[-1] < count:
        others = multiply(powers, tuple(jnp.broadcast_to(word[..., None], powers[0].shape) for word in step))
        powers = tuple(jnp.concatenate([*pair], -1) for pair in zip(powers, others, strict=True))
        step = multiply(step, step)
    return powers


def on_mesh(
    function: Callable[..., Any], mesh: Any, specs: Any, out: Any, options: dict[str, Any]
) -> Callable[..., Any]:
    """Return a compiled function that applies ``function`` to the parts of arrays on each device.

    Args:
        function: The function of the parts.
        mesh: The mesh.
        specs: For each operand, the axis of the mesh or None for each axis of the array.
        out: The same for the result.
        options: The options for the compiler.
    """
    import jax

    given = tuple(map(_spec, specs))
    mapped = jax.shard_map(function, mesh=mesh, in_specs=given, out_specs=_spec(out))
    made: Callable[..., Any] = jax.jit(mapped, compiler_options=options or None)
    return made
