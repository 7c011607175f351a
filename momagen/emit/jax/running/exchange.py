"""What a transform on several devices does besides its kernels: one exchange of all with all, and powers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

Words = tuple[Any, ...]


def placed(mesh: Any, axis: str, first: Words, spread: int) -> Words:
    """Words of an array on the devices of a mesh, ``spread`` being the axis of the array that is dealt out."""
    import jax

    where = jax.sharding.NamedSharding(mesh, _spec(axis if at == spread else None for at in range(first[0].ndim)))
    return tuple(jax.device_put(word, where) for word in first)


def gathered(words: Words) -> Words:
    """Return the words of a whole array as arrays of NumPy, on every process that has a part of them."""
    from jax.experimental.multihost_utils import process_allgather

    gather: Any = process_allgather
    return tuple(gather(word, tiled=True) for word in words)


def _spec(axes: Iterable[str | None]) -> Any:
    """The mesh's axis at each axis of an array."""
    from jax.sharding import PartitionSpec

    made: Any = PartitionSpec
    return made(*axes)


def exchanged(words: Words, axis: str, split: int, joined: int) -> Words:
    """Every device's part of axis ``split`` for every device, put together along axis ``joined``: one all-to-all."""
    from jax import lax

    exchange: Any = lax.all_to_all
    return tuple(exchange(word, axis, split, joined, tiled=True) for word in words)


def rising(multiply: Callable[[Words, Words], Words], one: Words, bases: Words, count: int) -> Words:
    """base^0 … base^(count - 1) along a last axis, for bases of any shape; count is a power of two."""
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
    """``function`` of each device's parts, compiled; specs: the mesh's axis or None, for each axis of an operand."""
    import jax

    given = tuple(map(_spec, specs))
    mapped = jax.shard_map(function, mesh=mesh, in_specs=given, out_specs=_spec(out))
    made: Callable[..., Any] = jax.jit(mapped, compiler_options=options or None)
    return made
