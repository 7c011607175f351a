"""Calls on arrays of JAX: at once, or inside a function that JAX traces."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from momagen.build.runner import Runner, RunnerPlan
from momagen.emit.jax.runner import ArrayKernel, ArrayTables
from momagen.errors import MomagenError
from momagen.params.words import Words

from .call import Caller, PlainCaller
from .operands import NATIVE, Reader
from .rows import RowsCaller, RowsReader

SCALAR = "a number of the host"


def _leaves(operands: Sequence[Any]) -> list[Any]:
    """Operands, and words of those that are tuples."""
    return [leaf for each in operands for leaf in (each if isinstance(each, tuple) else (each,))]


def is_array(value: object) -> bool:
    """Whether ``value`` is an array of JAX, or stands for one while JAX traces."""
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(value[0] if isinstance(value, tuple) and value else value, jax.Array)


class ArraysCaller:
    """Calls a kernel for JAX with one plan: arrays of JAX by XLA, wherever they are; all else by ``host``.

    Numbers in arrays of JAX are not checked to be in the kernel's range.
    """

    def __init__(self, kernel: ArrayKernel, plan: ArrayTables, host: Caller | RowsCaller) -> None:
        spec, rows = kernel.spec, kernel.spec.basis
        self.kernel, self._tables, self._host, self._name = kernel, plan.tables, host, kernel.name
        self._vectors, self._scalars = tuple(spec.ranges.vectors), tuple(spec.ranges.scalars)
        self._inner = (*[len(rows)] * bool(rows), *[spec.n] * bool(spec.n), *[spec.columns] * (spec.columns > 1))
        self._open = not spec.n and bool(rows)
        self._read = [RowsReader(spec, each).read if rows else Reader(spec, plan.modulus, each).scalar
                      for each in self._scalars]  # fmt: skip
        self._row = spec.row

    def __call__(self, operands: Sequence[Any], out: Any) -> Any:
        """The result, in the form of the first vector.

        Raises:
            MomagenError: vectors of which some are of JAX and others not, of another dtype or shape; ``out`` beside
                them.
        """
        if not any(map(is_array, operands)):
            return self._host(operands, out)
        if out is not None:
            raise MomagenError("no out: arrays of JAX do not change", type(out).__name__, "out")
        inside = any(isinstance(leaf, sys.modules["jax"].core.Tracer) for leaf in _leaves(operands))
        return self.apply(self.kernel.names["traced" if inside else "compiled"], operands)

    def apply(self, run: Callable[..., Any], operands: Sequence[Any]) -> Any:
        """``run``, a function on words, on operands as users have them."""
        names, count = (*self._scalars, *self._vectors), self.kernel.names["WORDS"]
        if len(operands) != len(names):
            raise MomagenError(f"operands {', '.join(names)}", len(operands), self._name)
        scalars = [self._scalar(at, value, count) for at, value in enumerate(operands[: len(self._scalars)])]
        vectors = operands[len(scalars) :]
        given = [self._words(name, value, count) for name, value in zip(self._vectors, vectors, strict=True)]
        for name, words in zip(self._vectors, given, strict=True):
            if words[0].shape != given[0][0].shape:
                wanted = f"the shape of {self._vectors[0]}, {given[0][0].shape}"
                raise MomagenError(wanted, words[0].shape, name)
        late = self.kernel.names["derived"](self._tables, *scalars) if "derived" in self.kernel.names else ()
        result = run(self._tables, *scalars, *given, *late)
        return _formed(result, vectors[0], given[0][0].shape)

    def _words(self, name: str, value: Any, count: int) -> tuple[Any, ...]:
        """The words of an operand, the low one first."""
        if isinstance(value, tuple) and len(value) == count and all(map(is_array, value)):
            words: tuple[Any, ...] = value
        elif not is_array(value) or isinstance(value, tuple):
            raise MomagenError(self._wanted(count), type(value).__name__, name)
        elif self._fits(value.shape[:-1]) and value.shape[-1] == count:
            words = tuple(value[..., at] for at in range(count))
        else:
            words = (value,)
        if len(words) != count or any(w.dtype != np.uint32 or not self._fits(w.shape) for w in words):
            raise MomagenError(self._wanted(count), f"{words[0].dtype} {words[0].shape}", name)
        return words

    def _fits(self, shape: tuple[int, ...]) -> bool:
        """Whether an array of residues may have this shape."""
        if self._open:
            return len(shape) >= 2 and shape[-2] == self._inner[0]
        return shape[len(shape) - len(self._inner) :] == self._inner and len(shape) >= len(self._inner)

    def _wanted(self, count: int) -> str:
        inner = ", ".join(map(str, [*self._inner, *["length"] * (not self.kernel.spec.n)]))
        flat = f" or (…, {inner})" * (count == 1)
        return f"a uint32 array of JAX of shape (…, {inner}, {count}){flat}, or a tuple of {count} of (…, {inner})"

    def _scalar(self, at: int, value: Any, count: int) -> tuple[Any, ...]:
        if is_array(value):
            raise MomagenError(SCALAR, "an array of JAX", self._scalars[at])
        rows, place, _ = self._read[at](value)
        words: Words = np.frombuffer(place, NATIVE) if isinstance(place, bytes) else np.asarray(rows)
        shape = self._inner[:1] if self.kernel.spec.basis else ()
        halves = np.ascontiguousarray(words).view("<u4").reshape(prod(shape), -1)
        return tuple(np.ascontiguousarray(halves[:, place]).reshape(shape) for place in range(count))


def _formed(words: tuple[Any, ...], like: Any, shape: tuple[int, ...]) -> Any:
    """Words in the form of an operand."""
    if isinstance(like, tuple):
        return words
    if like.shape == shape:
        return words[0]
    return sys.modules["jax"].numpy.stack(words, axis=-1)


def arrays_caller(kernel: Runner, plan: RunnerPlan) -> ArraysCaller:
    """What calls a kernel for JAX."""
    assert isinstance(kernel, ArrayKernel) and isinstance(plan, ArrayTables)
    host = RowsCaller(kernel.spec, plan) if kernel.spec.basis else PlainCaller(kernel, plan)
    return ArraysCaller(kernel, plan, host)


def array_function(caller: ArraysCaller, donate: bool) -> Callable[..., Any]:
    """The kernel as a function that JAX compiles, of vectors as ``caller`` takes them; ``donate``: their memory."""
    import jax

    kernel = caller.kernel
    if kernel.spec.ranges.scalars:
        raise MomagenError("a kernel without scalars", kernel.name, "function")
    traced, options = kernel.names["traced"], kernel.names["OPTIONS"]
    names = tuple(range(len(kernel.spec.ranges.vectors))) if donate else ()

    def function(*operands: Any) -> Any:
        return caller.apply(traced, operands)

    function.__name__ = kernel.name
    made: Callable[..., Any] = jax.jit(function, donate_argnums=names, compiler_options=options or None)
    return made
