"""Arrays of JAX as words of residues, and back."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from momagen.errors import MomagenError


def is_array(value: object) -> bool:
    """Whether ``value`` is an array of JAX, or stands for one while JAX traces; or a tuple of such."""
    jax = sys.modules.get("jax")
    parts = value if isinstance(value, tuple) else (value,)
    return jax is not None and any(isinstance(each, jax.Array) for each in parts)


def is_traced(operands: Sequence[Any]) -> bool:
    """Whether an operand, or a word of one, stands for an array while JAX traces."""
    leaves = [leaf for each in operands for leaf in (each if isinstance(each, tuple) else (each,))]
    return any(isinstance(leaf, sys.modules["jax"].core.Tracer) for leaf in leaves)


def words_of(
    name: str, value: Any, count: int, fits: Callable[[tuple[int, ...]], bool], wanted: str
) -> tuple[Any, ...]:
    """The words of the operand ``name``, the low one first.

    Args:
        fits: whether an array of residues may have a shape. wanted: what is, for people.

    Raises:
        MomagenError: another kind, dtype or shape.
    """
    if isinstance(value, tuple) and len(value) == count and all(map(is_array, value)):
        words: tuple[Any, ...] = value
    elif not is_array(value) or isinstance(value, tuple):
        raise MomagenError(wanted, type(value).__name__, name)
    elif fits(value.shape[:-1]) and value.shape[-1] == count:
        words = tuple(value[..., at] for at in range(count))
    else:
        words = (value,)
    wrong = [w for w in words if w.dtype != np.uint32 or not fits(w.shape) or w.shape != words[0].shape]
    if len(words) != count or wrong:
        odd = (wrong or words)[0]
        raise MomagenError(wanted, f"{odd.dtype} {odd.shape}", name)
    return words


def formed(words: tuple[Any, ...], like: Any, shape: tuple[int, ...]) -> Any:
    """Words in the form of an operand whose residues had this shape."""
    if isinstance(like, tuple):
        return words
    if like.shape == shape:
        return words[0]
    return sys.modules["jax"].numpy.stack(words, axis=-1)
