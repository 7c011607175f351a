"""The generated kernels that operators call, one of each kind for each basis, and a record of the calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from typing import Any, NamedTuple, cast

from momagen.api import Kernel, blas, ntt
from momagen.api.automorphisms import automorphism
from momagen.api.calls.on_arrays import ArraysCaller
from momagen.api.makers import convert
from momagen.emit.jax.running.moves import gathered
from momagen.emit.jax.running.tables import ArrayTables
from momagen.errors import MomagenError

Basis = tuple[int, ...]
Key = tuple[object, ...]


@cache
def places(degree: int, g: int) -> Any:
    """Return the index of the value of a that is the value of a(x^g) at each point, an int32 array of shape (N,)."""
    return automorphism(degree, g, negacyclic=True).places.astype("int32")


class Turn(NamedTuple):
    """An automorphism x → x^g as arrays, so that one compiled function serves every g.

    Attributes:
        places: The indices of a permutation: the value of a(x^g) at index j is that of a at places[j].
        tables: The tables of the inverse transform that includes the automorphism: from values of a to coefficients of
            a(x^g).
    """

    places: Any
    tables: Any


class RnsKernels:
    """Arithmetic on uint32 arrays of JAX of shape (…, moduli, N) by generated kernels, also inside ``jax.jit``.

    Coefficients are in natural order. Values are in bit-reversed order, at odd powers of the smallest primitive root.
    Residues are below their modulus.

    Attributes:
        degree: N, the degree of the ring.
        target: The name of the target.
        calls: The number of calls, in vectors of N residues or in conversions of N columns. The keys are "ntt", "intt",
            "multiply", "add", "permute" and ("convert", source limbs, target limbs, exact). Calls inside a function
            that ``jax.jit`` has already compiled are not counted.
    """

    def __init__(self, degree: int, target: str = "jax") -> None:
        self.degree, self.target = degree, target
        self.calls: Counter[object] = Counter()
        self._made: dict[Key, Any] = {}

    def ntt(self, x: Any, moduli: Basis) -> Any:
        """Return the values of polynomials."""
        return self._run("ntt", self._transform(moduli), x)

    def intt(self, x: Any, moduli: Basis, turn: Turn | None = None) -> Any:
        """Return the coefficients for values; with a ``turn`` for these moduli, the coefficients of a(x^g)."""
        kernel = self._inverse(moduli)
        if turn is None:
            return self._run("intt", kernel, x)
        caller = kernel.caller
        assert isinstance(caller, ArraysCaller)
        self.calls["intt"] += prod(x.shape[:-1])
        return caller.with_tables(turn.tables, (x,))

    def turn(self, g: int, moduli: Basis) -> Turn:
        """Return the automorphism x → x^g, g odd, for :meth:`intt` and :meth:`permute`."""

        def made() -> Turn:
            folded = self._inverse(moduli).with_automorphism(g)
            return Turn(places(self.degree, g), cast(ArrayTables, folded.tables).tables)

        found: Turn = self._found(("turn", moduli, g), made)
        return found

    def add(self, x: Any, y: Any, moduli: Basis) -> Any:
        """Return x + y."""
        return self._run("add", self._elementwise("vadd", moduli), x, y)

    def subtract(self, x: Any, y: Any, moduli: Basis) -> Any:
        """Return x - y."""
        return self._run("add", self._elementwise("vsub", moduli), x, y)

    def multiply(self, x: Any, y: Any, moduli: Basis) -> Any:
        """Return the element-wise product x·y; y may lack leading axes, or have shape (moduli, 1)."""
        import jax.numpy as jnp

        return self._run("multiply", self._elementwise("vmul", moduli), x, jnp.broadcast_to(y, x.shape))

    def scale(self, x: Any, numbers: Sequence[int], moduli: Basis) -> Any:
        """Return x times one number for each modulus, which is known beforehand and multiplied by Shoup products."""
        self.calls["multiply"] += prod(x.shape[:-1])
        return self._elementwise("scal", moduli)([a % q for a, q in zip(numbers, moduli, strict=True)], x)

    def convert(self, x: Any, moduli: Basis, to: Basis, exact: bool = True) -> Any:
        """Return residues modulo each of ``to``.

        The numbers are those around 0; if ``exact`` is false, they may be off by a multiple of the product of
        ``moduli``.
        """
        self.calls["convert", len(moduli), len(to), exact] += prod(x.shape[:-2])
        kernel = self._found(("convert", moduli, to, exact), lambda: self._conversion(moduli, to, exact))
        return kernel(x)

    def permute(self, x: Any, places: Any) -> Any:
        """Return x with its value at index places[j] at index j."""
        self.calls["permute"] += prod(x.shape[:-1])
        return gathered(x, places)

    def _run(self, name: str, kernel: Kernel, *operands: Any) -> Any:
        """Call a kernel and count the call."""
        self.calls[name] += prod(operands[0].shape[:-1])
        return kernel(*operands)

    def _transform(self, moduli: Basis) -> Kernel:
        """Return the transform for these moduli."""
        made: Kernel = self._found(
            ("ntt", moduli), lambda: ntt(self.degree, moduli=moduli, negacyclic=True, target=self.target)
        )
        return made

    def _inverse(self, moduli: Basis) -> Kernel:
        """Return the inverse transform for these moduli."""
        made: Kernel = self._found(("intt", moduli), lambda: self._transform(moduli).inverse())
        return made

    def _elementwise(self, kind: str, moduli: Basis) -> Kernel:
        """Return an element-wise kernel for these moduli."""
        made: Kernel = self._found((kind, moduli), lambda: blas(kind, moduli=moduli, target=self.target))
        return made

    def _conversion(self, moduli: Basis, to: Basis, exact: bool) -> Kernel:
        """Return the conversion between two bases."""
        return convert(moduli, to=to, exact=exact, target=self.target)

    def _found(self, key: Key, make: Callable[[], Any]) -> Any:
        """Return the kernel for ``key``, which is built on first use.

        Its tables are built outside any trace of JAX that is in progress.

        Raises:
            MomagenError: The basis is empty.
        """
        if key not in self._made:
            import jax

            if not key[1]:
                raise MomagenError("at least 1 modulus", "none", str(key[0]))
            with jax.ensure_compile_time_eval():
                self._made[key] = make()
                _ = self._made[key].tables
        return self._made[key]
