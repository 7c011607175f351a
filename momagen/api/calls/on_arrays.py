"""Calls on JAX arrays, either executed at once or inside a function that JAX traces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from momagen.emit.jax.running.kernel import ArrayKernel
from momagen.emit.jax.running.tables import ArrayTables
from momagen.errors import MomagenError, build_error
from momagen.runtime.runner import Runner, RunnerPlan

from .array_words import formed, is_array, is_traced, words_of
from .operands import Reader
from .rows import RowsReader
from .words.callers import HostCaller, caller_of

SCALAR = "an integer on the host"


class ArraysCaller:
    """A caller of a kernel for JAX with one plan, which runs on JAX arrays by XLA, and on other operands by ``host``.

    Numbers in JAX arrays are not checked to be in the kernel's range.
    """

    def __init__(self, kernel: ArrayKernel, plan: ArrayTables, host: HostCaller) -> None:
        spec, rows = kernel.spec, kernel.spec.basis
        self.kernel, self._tables, self._host, self._name = kernel, plan.tables, host, kernel.name
        self._vectors, self._scalars = tuple(spec.ranges.vectors), tuple(spec.ranges.scalars)
        self._inner = (*[len(rows)] * bool(rows), *spec.axes)
        self._open = not spec.n and bool(rows)
        self._read = [(RowsReader(spec, each) if rows else Reader(spec, plan.modulus, each)).in_range
                      for each in self._scalars]  # fmt: skip
        self._row = spec.row

    def __call__(self, operands: Sequence[Any], out: Any) -> Any:
        """Return the result, in the form of the first vector.

        Args:
            operands: The scalars, then the vectors.
            out: None for JAX arrays, which cannot be changed; otherwise an array for the result.

        Raises:
            MomagenError: Only some vectors are JAX arrays, or they have another dtype or shape, or ``out`` was passed
                with them.
        """
        if not any(map(is_array, operands)):
            return self._host(operands, out)
        if out is not None:
            remedy = "use the array that the call returns"
            raise build_error("`out` cannot be used with JAX arrays, which are immutable", "out", remedy)
        return self.apply(self.kernel.names["traced" if is_traced(operands) else "compiled"], operands)

    def with_tables(self, tables: Any, operands: Sequence[Any]) -> Any:
        """Return the result for the tables of another kernel with the same build; JAX may trace the tables, too."""
        run = self.kernel.names["traced" if is_traced(operands) else "compiled"]
        return self.apply(lambda _, *words: run(tables, *words), operands)

    def apply(self, run: Callable[..., Any], operands: Sequence[Any]) -> Any:
        """Return the result of ``run``, a function on words, for operands as users pass them.

        Raises:
            MomagenError: The number, dtype or shape of the operands is wrong.
        """
        names, count = (*self._scalars, *self._vectors), self.kernel.names["WORDS"]
        if len(operands) != len(names):
            raise MomagenError(f"the {len(names)} operands {', '.join(names)}", len(operands), self._name)
        scalars = [self._scalar(at, value, count) for at, value in enumerate(operands[: len(self._scalars)])]
        vectors = operands[len(scalars) :]
        wanted = self._wanted(count)
        given = [words_of(name, value, count, self._fits, wanted)
                 for name, value in zip(self._vectors, vectors, strict=True)]  # fmt: skip
        for name, words in zip(self._vectors, given, strict=True):
            if words[0].shape != given[0][0].shape:
                wanted = f"the shape of {self._vectors[0]}, {given[0][0].shape}"
                raise MomagenError(wanted, words[0].shape, name)
        late = self.kernel.names["derived"](self._tables, *scalars) if "derived" in self.kernel.names else ()
        spec, shape = self.kernel.spec, given[0][0].shape
        if spec.degree > 1:  # the kernel transforms rows of remainders
            rows = *shape[: len(shape) - len(spec.axes)], spec.n, spec.columns
            given = [tuple(word.reshape(rows) for word in words) for words in given]
        result = run(self._tables, *scalars, *given, *late)
        if spec.degree > 1:
            result = tuple(word.reshape(shape) for word in result)
        return formed(result, vectors[0], shape)

    def _fits(self, shape: tuple[int, ...]) -> bool:
        """Return whether an array of residues may have this shape."""
        if self._open:
            return len(shape) >= 2 and shape[-2] == self._inner[0]
        return shape[len(shape) - len(self._inner) :] == self._inner and len(shape) >= len(self._inner)

    def _wanted(self, count: int) -> str:
        """Return a description of correct vectors."""
        inner = ", ".join(map(str, [*self._inner, *["length"] * (not self.kernel.spec.n)]))
        flat = f" or (…, {inner})" * (count == 1)
        return f"a uint32 JAX array of shape (…, {inner}, {count}){flat}, or a tuple of {count} of shape (…, {inner})"

    def _scalar(self, at: int, value: Any, count: int) -> tuple[Any, ...]:
        """Return the 32-bit words of a scalar, which is not a JAX array."""
        if is_array(value):
            raise MomagenError(SCALAR, "a JAX array", self._scalars[at])
        shape = self._inner[:1] if self.kernel.spec.basis else ()
        halves = np.ascontiguousarray(self._read[at](value)).view("<u4").reshape(prod(shape), -1)
        return tuple(np.ascontiguousarray(halves[:, place]).reshape(shape) for place in range(count))

    def function(self, *, donate: bool = False) -> Callable[..., Any]:
        """Return the kernel as a function that JAX compiles; see :meth:`momagen.Kernel.function`."""
        return _function(self, donate)


def arrays_caller(kernel: Runner, plan: RunnerPlan) -> ArraysCaller:
    """Return the caller of a kernel for JAX."""
    assert isinstance(kernel, ArrayKernel) and isinstance(plan, ArrayTables)
    return ArraysCaller(kernel, plan, caller_of(kernel, plan, int(kernel.names["WORDS"])))


def _function(caller: ArraysCaller, donate: bool) -> Callable[..., Any]:
    """Return the kernel as a function that JAX compiles, on the vectors that ``caller`` accepts.

    Args:
        caller: The caller.
        donate: Whether the result may reuse the memory of the operands.

    Raises:
        MomagenError: The kernel has scalars.
    """
    import jax

    kernel = caller.kernel
    if kernel.spec.ranges.scalars:
        problem = "function() is not available for kernels with scalar operands, because their tables depend on these"
        raise build_error(problem, kernel.name, "call the kernel itself")
    traced, options = kernel.names["traced"], kernel.names["OPTIONS"]
    names = tuple(range(len(kernel.spec.ranges.vectors))) if donate else ()

    def function(*operands: Any) -> Any:
        return caller.apply(traced, operands)

    function.__name__ = kernel.name
    made: Callable[..., Any] = jax.jit(function, donate_argnums=names, compiler_options=options or None)
    return made
