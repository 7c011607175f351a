"""Conversions between JAX arrays and the words of residues."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from momagen.errors import MomagenError


def is_array(value: object) -> bool:
    """Return whether ``value`` is a JAX array, a tracer that represents one, or a tuple of such."""
    jax = sys.modules.get("jax")
    parts = value if isinstance(value, tuple) else (value,)
    return jax is not None and any(isinstance(each, jax.Array) for each in parts)


def is_traced(operands: Sequence[Any]) -> bool:
    """Return whether an operand, or one of its words, is a tracer of JAX."""
    leaves = [leaf for each in operands for leaf in (each if isinstance(each, tuple) else (each,))]
    return any(isinstance(leaf, sys.modules["jax"].core.Tracer) for leaf in leaves)


def words_of(
    name: str, value: Any, count: int, fits: Callable[[tuple[int, ...]], bool], wanted: str
) -> tuple[Any, ...]:
    """Return the words of the operand ``name``, the low word first.

    Args:
        name: The name of the operand.
        value: The operand.
        count: The number of words of a residue.
        fits: A function that returns whether an array of residues may have a shape.
        wanted: The description of the expected operand.

    Raises:
        MomagenError: The operand has another kind, dtype or shape.
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
    """Return words in the form of the operand ``like``, whose residues have this shape."""
    if isinstance(like, tuple):
        return words
    if like.shape == shape:
        return words[0]
    return sys.modules["jax"].numpy.stack(words, axis=-1)
