"""One transform on several devices: the three-step decomposition (rule R5), with one exchange between the devices."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from momagen.api.calls.integers import check_rows, integer_array
from momagen.api.makers import blas, ntt
from momagen.arguments import checked_arguments, checked_methods
from momagen.emit.jax.numbers import number, words
from momagen.emit.jax.running.exchange import exchanged, gathered, on_mesh, placed, rising
from momagen.errors import MomagenError, among, quoted
from momagen.formula.transforms import digit_reversal
from momagen.kinds.modular.sizes import check_size
from momagen.params import check_order, chosen_modulus, chosen_root
from momagen.values.numbers import integer
from momagen.values.targets import target_name
from momagen.values.texts import flag, text

AXIS = "points"
"""The name of the axis of a mesh, if none is passed."""
Words = tuple[Any, ...]


@checked_methods
class ShardedTransform:
    """A transform of n = rows · columns points on several JAX devices; built by :func:`momagen.sharded_ntt`.

    It transforms the columns, multiplies by twiddles and transforms the rows. The operand is an array (rows, columns)
    of points in natural order, whose columns are distributed over the devices. The result is an array (rows, columns)
    of values in bit-reversed order, whose rows are distributed. An inverse transform maps the second form to the first.

    Attributes:
        n: The number of points.
        modulus: The modulus q.
        root: The root of unity; of order 2n if negacyclic.
        negacyclic: Whether the ring is Z_q[x]/(x^n + 1).
        inverse: Whether the transform is the inverse one.
        rows: The number of rows.
        columns: The number of columns.
        mesh: The mesh of devices.
        axis: The name of the axis of the mesh over which points are distributed.
        devices: The number of devices on this axis.
        target: The name of the target.
    """

    def __init__(
        self, n: int, modulus: int, root: int, mesh: Any, axis: str, negacyclic: bool, inverse: bool, target: str
    ) -> None:
        self.n, self.modulus, self.root, self.mesh, self.axis = n, modulus, root, mesh, axis
        self.negacyclic, self.inverse, self.target = negacyclic, inverse, target
        self.devices = int(mesh.shape[axis])
        levels = n.bit_length() - 1
        self.rows = 1 << levels // 2
        self.columns = n // self.rows
        if self.rows % self.devices or self.columns % self.devices or self.rows < 2:
            raise MomagenError(f"a number of devices that divides {self.rows}", self.devices, "mesh")

    @cached_property
    def column_kernel(self) -> Any:
        """The transform of ``rows`` points, for all columns that one device holds."""
        root = pow(self.root, self.columns, self.modulus)
        return ntt(self.rows, modulus=self.modulus, root=root, negacyclic=self.negacyclic, inverse=self.inverse,
                   columns=self.columns // self.devices, target=self.target)  # fmt: skip

    @cached_property
    def row_kernel(self) -> Any:
        """The cyclic transform of ``columns`` points."""
        root = pow(self.root, self.rows * (1 + self.negacyclic), self.modulus)
        return ntt(self.columns, modulus=self.modulus, root=root, inverse=self.inverse, target=self.target)

    @cached_property
    def product(self) -> Any:
        """The element-wise product x·y modulo q."""
        return blas("vmul", modulus=self.modulus, target=self.target)

    @cached_property
    def count(self) -> int:
        """The number of 32-bit words of a residue."""
        return int(self.product.compiled.names["WORDS"])

    def _transform_columns(self, x: Words) -> Words:
        """Return the transform of the columns that one device holds; a kernel of one column has no axis for it."""
        alone = self.columns == self.devices
        found: Words = self.column_kernel(tuple(word[:, 0] for word in x) if alone else x)
        return tuple(word[:, None] for word in found) if alone else found

    def _multiply(self, x: Words, y: Words) -> Words:
        """Return the element-wise product."""
        found: Words = self.product(x, y)
        return found

    @cached_property
    def bases(self) -> Words:
        """The base of the twiddles of each row: ψ^(1 + 2·rev(i)) or ω^rev(i), inverted for an inverse transform."""
        step = 1 + self.negacyclic
        turns = (self.negacyclic + step * digit_reversal(i, self.rows) for i in range(self.rows))
        exponents = ((-turn if self.inverse else turn) % (step * self.n) for turn in turns)
        return words([pow(self.root, each, self.modulus) for each in exponents], (self.rows,), self.count)

    @cached_property
    def starts(self) -> Words:
        """The first power of each row on each device, of shape (rows, devices)."""
        width, q = self.columns // self.devices, self.modulus
        bases = [sum(int(word[i]) << 32 * at for at, word in enumerate(self.bases)) for i in range(self.rows)]
        powers = [pow(base, width * device, q) for base in bases for device in range(self.devices)]
        return words(powers, (self.rows, self.devices), self.count)

    @cached_property
    def twiddles(self) -> Words:
        """The twiddles of all points, with columns distributed over the devices, on which they are computed."""
        one, width = words([1], (1,), self.count), self.columns // self.devices

        def made(bases: Words, starts: Words) -> Words:
            powers = rising(self._multiply, one, bases, width)
            return self._multiply(powers, tuple(np.ones((1, width), np.uint32) * word for word in starts))

        run = on_mesh(made, self.mesh, [(None,), (None, self.axis)], (None, self.axis), self._options)
        found: Words = run(self.bases, placed(self.mesh, self.axis, self.starts, 1))
        return found

    @cached_property
    def _options(self) -> dict[str, Any]:
        """The options that the kernels pass to the compiler of JAX."""
        found: dict[str, Any] = self.row_kernel.compiled.names["OPTIONS"]
        return found

    @cached_property
    def function(self) -> Any:
        """The transform of tuples of words, compiled for the mesh; its second operand is the twiddles."""
        dealt, rowwise = (None, self.axis), (self.axis, None)

        def forward(x: Words, twiddles: Words) -> Words:
            y = self._multiply(self._transform_columns(x), twiddles)
            found: Words = self.row_kernel(exchanged(y, self.axis, 0, 1))
            return found

        def back(x: Words, twiddles: Words) -> Words:
            y = exchanged(self.row_kernel(x), self.axis, 1, 0)
            return self._transform_columns(self._multiply(y, twiddles))

        given, out = (rowwise, dealt) if self.inverse else (dealt, rowwise)
        return on_mesh(back if self.inverse else forward, self.mesh, [given, dealt], out, self._options)

    def place(self, x: Any) -> Words:
        """Distribute x over the devices as a call requires it.

        Args:
            x: Integers of shape (rows, columns) or (n,); or a tuple of uint32 arrays of shape (rows, columns), one for
                each word of the residues, which are not checked to be below q.

        Returns:
            One uint32 array of JAX of shape (rows, columns) for each 32-bit word of a residue, the low word first.

        Raises:
            MomagenError: x has another shape, or a number is not a residue.
        """
        spread, shape = 0 if self.inverse else 1, (self.rows, self.columns)
        if isinstance(x, tuple):
            return placed(self.mesh, self.axis, self._checked(x), spread)
        expected = f"residues of shape {shape} or ({self.n},)"
        numbers = integer_array(x, expected, "x")
        if numbers.shape not in (shape, (self.n,)):
            raise MomagenError(expected, f"shape {numbers.shape}", "x")
        numbers = numbers.reshape(-1)
        check_rows(numbers[None], [self.modulus], "x")
        return placed(self.mesh, self.axis, words(numbers.tolist(), shape, self.count), spread)

    def _checked(self, x: object) -> Words:
        """Return ``x`` if it is a tuple of the words of all residues.

        Raises:
            MomagenError: It is something else, or its words have another number, dtype or shape.
        """
        shape, parts = (self.rows, self.columns), x if isinstance(x, tuple) else ()
        wrong = [word for word in parts if getattr(word, "shape", ()) != shape or word.dtype != np.uint32]
        if len(parts) != self.count or wrong:
            got = [f"{getattr(word, 'dtype', type(word).__name__)} {np.shape(word)}" for word in wrong]
            raise MomagenError(
                f"a tuple of {self.count} uint32 arrays of shape {shape}",
                f"{type(x).__name__} of {len(parts)}{': ' * bool(got)}{', '.join(got)}", "x",
            )  # fmt: skip
        return parts

    def integers(self, y: Words) -> list[int]:
        """Return the n integers in words that :meth:`place` or a call returned, row after row.

        Values are then in bit-reversed order, as those of :func:`momagen.ntt`, and points in natural order. If several
        processes share the mesh, all of them must call this method, and each receives all integers.

        Args:
            y: The words.
        """
        parts = (word.reshape(-1).tolist() for word in gathered(y))
        return [number(each) for each in zip(*parts, strict=True)]

    def __call__(self, x: Words) -> Words:
        """Return the transform of words that :meth:`place` or another call returned.

        Args:
            x: The words of the operand.

        Returns:
            One uint32 array of JAX of shape (rows, columns) for each 32-bit word of a residue, the low word first. Its
            rows are distributed over the devices, or, for an inverse transform, its columns.

        Raises:
            MomagenError: The words have another number, dtype or shape.
        """
        found: Words = self.function(self._checked(x), self.twiddles)
        return found


@checked_arguments
def sharded_ntt(
    n: int, *, mesh: Any = None, axis: str = AXIS, modulus_bits: int | None = None, modulus: int | str | None = None,
    root: int | str | None = None, negacyclic: bool = False, inverse: bool = False, target: str = "jax",
) -> ShardedTransform:  # fmt: skip
    """Build a transform of n points that are distributed over several JAX devices.

    Args:
        n: The number of points, a power of two from 4 on.
        mesh: A mesh of ``jax.sharding`` with an axis over whose devices points are distributed (default: all devices).
            Their number is a power of two of at most the square root of n.
        axis: The name of this axis.
        modulus_bits: The width of the modulus, as for :func:`momagen.ntt`.
        modulus: The modulus, as for :func:`momagen.ntt`.
        root: The root of unity, as for :func:`momagen.ntt`.
        negacyclic: Whether the ring is Z_q[x]/(x^n + 1).
        inverse: Whether the transform is the inverse one.
        target: A JAX target.

    Returns:
        The transform f. ``f.place(x)`` distributes n integers over the devices, and ``y = f(f.place(x))`` is a tuple of
        JAX arrays, one for each 32-bit word of a residue, the low word first. ``f.integers(y)`` converts the tuple to
        a list of n integers: values in bit-reversed order, or coefficients in natural order if ``inverse`` is true.

    Raises:
        MomagenError: The arguments are invalid as for :func:`momagen.ntt`, or there are too many devices for n points.
    """
    import jax

    n, negated, back = integer(n, "n"), flag(negacyclic, "negacyclic"), flag(inverse, "inverse")
    name = target_name(target)
    given = {"modulus": modulus, "modulus_bits": modulus_bits, "root": root}
    numbers = {each: None if value is None else integer(value, each) for each, value in given.items()}
    check_size(n)
    q = chosen_modulus(None, numbers["modulus_bits"], numbers["modulus"], n, negated, odd=True)
    check_order(n, q, negated, "n")
    own = chosen_root(numbers["root"], None, 2 * n if negated else n, q)
    return ShardedTransform(n, q, own, _mesh_of(mesh, text(axis, "axis"), jax.sharding.Mesh), axis, negated, back, name)


def _mesh_of(mesh: Any, axis: str, kind: type) -> Any:
    """Return the mesh, checked to have the axis; by default a mesh of all devices.

    Raises:
        MomagenError: It is not a mesh, or lacks the axis.
    """
    if mesh is None:
        import jax

        return kind(np.array(jax.devices()), (axis,))
    if not isinstance(mesh, kind):
        raise MomagenError("a mesh of jax.sharding", quoted(mesh), "mesh")
    if axis not in mesh.shape:  # type: ignore[attr-defined]
        raise among("one of the axes", map(str, mesh.shape), axis, "axis")  # type: ignore[attr-defined]
    return mesh
