"""The automorphism a(x) → a(x^g), from values to values or from coefficients to coefficients, as a gather of residues.

Next to a transform, no residue needs to move: ``momagen.ntt(…, automorphism=g)`` has the automorphism in its tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from momagen.api.calls.array_words import is_array
from momagen.api.calls.integers import check_rows, integer_array
from momagen.api.calls.points import exponents_of
from momagen.arguments import checked_arguments, checked_methods
from momagen.emit.jax.running.moves import gathered, negated
from momagen.errors import MomagenError, among, build_error
from momagen.kinds.modular.making.automorphism import check_automorphism, undone
from momagen.kinds.modular.sizes import ORDERS, check_size
from momagen.values.moduli import listed_moduli
from momagen.values.numbers import integer
from momagen.values.texts import flag, text

Places = npt.NDArray[np.int64]


class ResidueMove(NamedTuple):
    """A signed permutation: result j is the residue at places[j], or q minus that residue if signs[j] is true."""

    places: Places
    signs: npt.NDArray[np.bool_]


@checked_methods
class Automorphism:
    """The automorphism a(x) → a(x^g) as one gather of residues; built by :func:`momagen.automorphism`.

    Attributes:
        n: The number of residues of a polynomial.
        g: The exponent, odd, from 1 to the order of the root.
        negacyclic: Whether the ring is Z_q[x]/(x^n + 1) instead of Z_q[x]/(x^n - 1).
        order: The order of the values; "" if the automorphism acts on coefficients.
        places: The index of the residue that becomes result j, a read-only int64 array of shape (n,).
        signs: Whether result j is negated, a read-only bool array of shape (n,). Only coefficients in the negacyclic
            ring change their signs.
        moduli: q for each row if residues have an axis of moduli before n, or (q,), or () if no sign changes.
    """

    def __init__(self, n: int, g: int, negacyclic: bool, order: str, moduli: tuple[int, ...], rows: bool) -> None:
        self.n, self.negacyclic, self.order, self.moduli, self._rows = n, negacyclic, order, moduli, rows
        self._order_of_root = 2 * n if negacyclic else n
        self.g = g % self._order_of_root
        self.places, self.signs = self._of_values() if order else self._of_coefficients()
        self.places.flags.writeable = self.signs.flags.writeable = False

    def _of_values(self) -> ResidueMove:
        """Return the move of values: the value of a(x^g) at ω^e is the value of a at ω^(g·e)."""
        exponents = exponents_of(self.n, self.order, self.negacyclic)
        stands = np.zeros(self._order_of_root, np.int64)
        stands[exponents] = np.arange(self.n)
        return ResidueMove(stands[exponents * self.g % self._order_of_root], np.zeros(self.n, np.bool_))

    def _of_coefficients(self) -> ResidueMove:
        """Return the move of coefficients.

        Coefficient j of a(x^g) is coefficient j/g of a, negated if j/g modulo 2n is at least n.
        """
        origins = np.arange(self.n) * undone(self.g, self._order_of_root) % self._order_of_root
        return ResidueMove(origins % self.n, origins >= self.n)

    def inverse(self) -> Automorphism:
        """Return the automorphism that maps a(x^g) to a(x)."""
        g = undone(self.g, self._order_of_root)
        return Automorphism(self.n, g, self.negacyclic, self.order, self.moduli, self._rows)

    def __call__(self, x: Any, *, axis: int = -1) -> Any:
        """Return the residues of a(x^g) for the residues of a; leading axes are batches.

        Args:
            x: An array of NumPy or JAX (also inside functions that JAX traces) of shape (…, n), or (…, moduli, n) with
                several moduli, of integers that hold q; or nested lists of integers. If the moduli are known and
                ``axis`` is the last one, the numbers in NumPy arrays and lists are checked to be below them.
            axis: The axis that has n residues, for example -2 if an axis of words follows it. Coefficients that change
                their signs require the last axis.

        Returns:
            An array of the same kind and shape, or lists for lists.

        Raises:
            MomagenError: The array is masked, has another shape or dtype, a number is out of range, or ``axis`` is not
                the last one for residues that change their signs.
        """
        if is_array(x):
            found = gathered(self._checked(x, axis), self.places, axis)
            return negated(found, self.signs, self._numbers(found.dtype)) if self.signs.any() else found
        whole = self._checked(integer_array(x, f"integers of shape (…, {self.n})", "x"), axis)
        if self.moduli and axis in (-1, whole.ndim - 1):
            check_rows(whole if self._rows else whole[..., None, :], self.moduli, "x")
        found = np.take(whole, self.places, axis)
        if self.signs.any():
            found = np.where(self.signs & (found != 0), self._numbers(found.dtype) - found, found)
        return found if isinstance(x, np.ndarray) else found.tolist()

    def _numbers(self, dtype: Any) -> Any:
        """Return the modulus, or a column of moduli, as an array of ``dtype``."""
        numbers = np.array(self.moduli, dtype=dtype)
        return numbers[:, None] if self._rows else numbers[0]

    def _checked(self, x: Any, axis: int) -> Any:
        """Return ``x`` if its kind, dtype and shape are correct.

        Raises:
            MomagenError: They are not.
        """
        if isinstance(x, tuple):
            raise MomagenError("an array of residues", "a tuple of words", "x")
        if x.dtype.kind not in "iuO":
            raise MomagenError("an array of integers", x.dtype, "x")
        if not -x.ndim <= axis < x.ndim or x.shape[axis] != self.n:
            raise MomagenError(f"{self.n} residues along axis {axis}", f"shape {x.shape}", "x")
        last = axis in (-1, x.ndim - 1)
        if self.signs.any() and not last:
            problem = f"`axis={axis}` is not the last axis, and this automorphism changes signs on the last axis only"
            raise build_error(problem, "axis", "move the residues to the last axis of x")
        if not (self.moduli and last):
            return x
        if self._rows and (x.ndim < 2 or x.shape[-2] != len(self.moduli)):
            expected = f"{len(self.moduli)} rows, one for each modulus, along the axis before the last"
            raise MomagenError(expected, f"shape {x.shape}", "x")
        if x.dtype != object and not (x.dtype.kind in "iu" and max(self.moduli) <= np.iinfo(x.dtype).max):
            raise MomagenError(f"a dtype that holds the modulus {max(self.moduli)}", x.dtype, "x")
        return x

    def __repr__(self) -> str:
        what = f"values in {self.order} order" if self.order else "coefficients"
        return f"<momagen automorphism x to x^{self.g} of x^{self.n} {'+' if self.negacyclic else '-'} 1, {what}>"


@checked_arguments
def automorphism(
    n: int, g: int | str, *, negacyclic: bool = False, order: str = "bitrev", coefficients: bool = False,
    modulus: int | str | None = None, moduli: Sequence[int | str] | None = None,
) -> Automorphism:  # fmt: skip
    """Build the automorphism a(x) → a(x^g) on residues, from values to values or from coefficients to coefficients.

    Args:
        n: The number of residues of a polynomial, a power of two.
        g: An odd integer, taken modulo 2n, or modulo n in the cyclic ring.
        negacyclic: Whether the ring is Z_q[x]/(x^n + 1) instead of Z_q[x]/(x^n - 1).
        order: The order of the values, as in :func:`momagen.ntt`: "bitrev" (the default) or "natural". The root does
            not matter.
        coefficients: Whether the residues are coefficients in natural order instead of values.
        modulus: The modulus of negacyclic coefficients, which change their signs.
        moduli: The moduli of negacyclic coefficients of shape (…, moduli, n), instead of one modulus.

    Returns:
        A callable that maps arrays of NumPy or JAX, or lists.

    Raises:
        MomagenError: g is even, n or the order is invalid, negacyclic coefficients have no modulus, or a modulus is
            passed for values.

    Examples:
        >>> import momagen as mg
        >>> move = mg.automorphism(4, 3, negacyclic=True, coefficients=True, modulus=17)
        >>> move([1, 2, 3, 4])  # 1 + 2x^3 + 3x^6 + 4x^9, and x^4 = -1
        [1, 4, 14, 2]
        >>> move.inverse()(move([1, 2, 3, 4]))
        [1, 2, 3, 4]
    """
    size, power = integer(n, "n"), integer(g, "automorphism")
    check_size(size)
    check_automorphism(power)
    if text(order, "order") not in ORDERS:
        raise among("one of the orders", ORDERS, order, "order")
    negated, moves_coefficients = flag(negacyclic, "negacyclic"), flag(coefficients, "coefficients")
    if modulus is not None and moduli is not None:
        raise build_error("`modulus` cannot be combined with `moduli`", "modulus", "use one of the two")
    found = () if moduli is None else tuple(listed_moduli(moduli, "moduli"))
    if modulus is not None:
        found = (integer(modulus, "modulus"),)
    for at, q in enumerate(found):
        if q < 2:
            raise MomagenError("a modulus of at least 2", q, "modulus" if moduli is None else f"moduli[{at}]")
    if found and not moves_coefficients:
        name = "modulus" if moduli is None else "moduli"
        problem = f"`{name}` does not apply to values of a transform, which an automorphism only permutes"
        raise build_error(problem, name, "omit it, or use `coefficients=True`")
    if moves_coefficients and negated and not found:
        problem = "a negacyclic automorphism negates some of the coefficients and needs their modulus"
        raise build_error(problem, "modulus", "specify `modulus` or `moduli`")
    return Automorphism(size, power, negated, "" if moves_coefficients else order, found, moduli is not None)
