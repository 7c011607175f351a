"""The generated kernels that operators call, one of each kind for each basis, and a record of what was called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from momagen.api import Kernel, blas, ntt
from momagen.api.matrices import BasisConversion, convert
from momagen.errors import MomagenError

Basis = tuple[int, ...]
Key = tuple[object, ...]


class RnsKernels:
    """Arithmetic on arrays of JAX of shape (…, moduli, N), uint32, by generated kernels, also inside ``jax.jit``.

    Coefficients stand in natural order, values of polynomials in bit-reversed order, at odd powers of the smallest
    primitive root. Residues are below their modulus.

    Attributes:
        calls: how often what was called, in vectors of N residues, or in conversions of N columns for those: keys are
            "ntt", "intt", "multiply", "add", "permute" and ("convert", limbs from, limbs to, exact). What ``jax.jit``
            has compiled is called no more, and not counted.
    """

    def __init__(self, degree: int, target: str = "jax") -> None:
        self.degree, self.target = degree, target
        self.calls: Counter[object] = Counter()
        self._made: dict[Key, Any] = {}

    def ntt(self, x: Any, moduli: Basis) -> Any:
        """Values of polynomials."""
        return self._run("ntt", self._transform(moduli), x)

    def intt(self, x: Any, moduli: Basis) -> Any:
        """Coefficients from values."""
        return self._run("intt", self._found(("intt", moduli), lambda: self._transform(moduli).inverse()), x)

    def add(self, x: Any, y: Any, moduli: Basis) -> Any:
        """x + y."""
        return self._run("add", self._elementwise("vadd", moduli), x, y)

    def subtract(self, x: Any, y: Any, moduli: Basis) -> Any:
        """x - y."""
        return self._run("add", self._elementwise("vsub", moduli), x, y)

    def multiply(self, x: Any, y: Any, moduli: Basis) -> Any:
        """x·y, element by element; y may lack leading axes, or be one of numbers for moduli, (moduli, 1)."""
        import jax.numpy as jnp

        return self._run("multiply", self._elementwise("vmul", moduli), x, jnp.broadcast_to(y, x.shape))

    def scale(self, x: Any, numbers: Sequence[int], moduli: Basis) -> Any:
        """x times a number for each modulus."""
        import jax.numpy as jnp
        import numpy as np

        reduced = np.array([a % q for a, q in zip(numbers, moduli, strict=True)], dtype=np.uint32)
        return self.multiply(x, jnp.asarray(reduced)[:, None], moduli)

    def convert(self, x: Any, moduli: Basis, to: Basis, exact: bool = True) -> Any:
        """Residues modulo each of ``to``: of numbers around 0, or up to a multiple of their modulus."""
        self.calls["convert", len(moduli), len(to), exact] += prod(x.shape[:-2])
        kernel = self._found(("convert", moduli, to, exact), lambda: self._conversion(moduli, to, exact))
        return kernel(x)

    def permute(self, x: Any, places: Any) -> Any:
        """x with its value at places[j] at j."""
        import jax.numpy as jnp

        self.calls["permute"] += prod(x.shape[:-1])
        return jnp.take(x, jnp.asarray(places), axis=-1)

    def points(self, moduli: Basis) -> Any:
        """The exponent of the root at every place, the same for all moduli."""
        return self._transform(moduli).order

    def _run(self, name: str, kernel: Kernel, *operands: Any) -> Any:
        self.calls[name] += prod(operands[0].shape[:-1])
        return kernel(*operands)

    def _transform(self, moduli: Basis) -> Kernel:
        made: Kernel = self._found(
            ("ntt", moduli), lambda: ntt(self.degree, moduli=moduli, negacyclic=True, target=self.target)
        )
        return made

    def _elementwise(self, kind: str, moduli: Basis) -> Kernel:
        made: Kernel = self._found((kind, moduli), lambda: blas(kind, moduli=moduli, target=self.target))
        return made

    def _conversion(self, moduli: Basis, to: Basis, exact: bool) -> BasisConversion:
        return convert(moduli, to=to, exact=exact, target=self.target)

    def _found(self, key: Key, make: Callable[[], Any]) -> Any:
        """What was made before; else made now, with tables that do not belong to a trace that is under way."""
        if key not in self._made:
            import jax

            if not key[1]:
                raise MomagenError("at least 1 modulus", "none", str(key[0]))
            with jax.ensure_compile_time_eval():
                self._made[key] = make()
                _ = self._made[key].tables
        return self._made[key]
