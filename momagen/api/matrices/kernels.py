"""Products with constant matrices and conversions between bases of moduli, on engines of matrix products."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from momagen.api.calls.array_words import formed, is_array, is_traced, words_of
from momagen.api.calls.integers import check_rows, integer_array
from momagen.api.checks.arguments import flag, text, text_or
from momagen.api.moduli import bases_of
from momagen.api.numbers import count, integer
from momagen.api.request import TargetName, target_name
from momagen.api.rns.kernels import RowsConversion, kernel_of, rows_target
from momagen.arguments import checked_arguments, checked_methods
from momagen.emit.claim import state
from momagen.emit.jax.numbers import number, words
from momagen.emit.jax.products import CLAIM, conversion_module, matmul_module
from momagen.emit.jax.running.module import created, run_text
from momagen.errors import MomagenError, among, build_error
from momagen.files import path_of, save
from momagen.kernels.matrices.spec import ON_ROWS, ConversionSpec, MatmulSpec, check_conversion, check_matmul
from momagen.kernels.spec.threads import MOST
from momagen.kernels.spec.typed import ConversionMethod, ProductEngine, Sums
from momagen.lazy import on_call
from momagen.targets import load_target
from momagen.verify import Report
from momagen.verify.matrices import Rows, verify_product
from momagen.verify.rns.conversion import verify_conversion

if TYPE_CHECKING:
    from momagen.api.rns import RowsConversion


@checked_methods
class MatrixKernel:
    """A module for JAX whose tables depend on numbers that are known beforehand.

    Attributes:
        source: the module's text. header: "", as a module has none. name: its file name.
        rows, inner: the shape of its matrix.
    """

    def __init__(self, name: str, source: str, rows: int, inner: int, given: Sequence[object], target: str) -> None:
        self.name, self.source, self.header, self.rows, self.inner = name, source, "", rows, inner
        self._given, self._target = given, target

    @property
    def files(self) -> dict[str, str]:
        """The text by the name of its file."""
        return {f"{self.name}.py": self.source}

    def save(self, folder: str | Path) -> Path:
        """Write the module to `folder`, which is created if it is missing; return the folder.

        Raises:
            MomagenError: the folder cannot be written.
        """
        return save(path_of(folder, "save"), self.files)

    @cached_property
    def names(self) -> dict[str, Any]:
        """What the module defines."""
        return run_text(self.name, self.source, self._target)

    @cached_property
    def tables(self) -> dict[str, Any]:
        """What ``create`` gives: arrays on the device."""
        return created(self.names, "create", *self._given)

    def __call__(self, x: Any) -> Any:
        """The result for residues x of shape (…, inner, columns), in the form of x.

        Arrays of JAX have uint32 words, (…, inner, columns, words) or, where that is one, (…, inner, columns), or are
        tuples of words; also inside functions that JAX traces. Integers come in lists (inner, columns), and go so.

        Raises:
            MomagenError: another kind or shape.
        """
        if is_array(x):
            return self._apply(self.names["traced" if is_traced([x]) else "compiled"], x)
        return self._on_integers(x)

    def function(self, *, donate: bool = False) -> Callable[[Any], Any]:
        """The kernel as a compiled function of arrays of JAX; ``donate``: the result may take their memory."""
        import jax

        traced, options = self.names["traced"], self.names["OPTIONS"]
        given = (0,) if donate else ()
        made: Callable[[Any], Any] = jax.jit(
            lambda x: self._apply(traced, x), donate_argnums=given, compiler_options=options or None
        )
        return made

    def _apply(self, run: Callable[..., Any], x: Any) -> Any:
        found = self.names["WORDS"]
        wanted = f"uint32 words of JAX of shape (…, {self.inner}, columns, {found}), or a tuple of {found}"
        parts = words_of("x", x, found, lambda shape: len(shape) >= 2 and shape[-2] == self.inner, wanted)
        return formed(run(self.tables, parts), x, parts[0].shape)

    def _on_integers(self, x: Any) -> list[list[int]]:
        expected = f"{self.inner} rows of integers, all of the same length"
        array = integer_array(x, expected, "x")
        if array.ndim != 2 or len(array) != self.inner:
            raise MomagenError(expected, f"shape {array.shape}", "x")
        for at in range(self.inner):
            check_rows(array[at : at + 1], [self._top(at)], f"x[{at}]")
        shape = array.shape
        given = words(array.ravel().tolist(), shape, self.names["WORDS"])
        found = [np.asarray(word) for word in self.names["execute"](self.tables, given)]
        return [[number(word[i, j] for word in found) for j in range(shape[1])] for i in range(self.rows)]

    def _top(self, row: int) -> int:
        """What residues of a row are below."""
        raise NotImplementedError

    def verify(self, *, seed: int = 0) -> Report:
        """Compare with gmpy2. The module says "Verified against gmpy2" only after a verification that passed."""
        report = self._compared(count(seed, "seed"))
        self.source = state(self.source, CLAIM, report.ok)
        return report

    def _compared(self, seed: int) -> Report:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{self.name}: {self.rows} × {self.inner}>"


@checked_methods
class MatrixProduct(MatrixKernel):
    """A·X modulo q for a constant matrix A; made by :func:`momagen.matmul`."""

    def __init__(self, spec: MatmulSpec, matrix: Rows) -> None:
        super().__init__(spec.name, matmul_module(spec), spec.rows, spec.inner, (spec.modulus, matrix), spec.target)
        self.spec, self.matrix, self.modulus = spec, matrix, spec.modulus

    def _top(self, row: int) -> int:
        return self.modulus

    def _compared(self, seed: int) -> Report:
        return verify_product(self.name, self._on_integers, self.matrix, self.modulus, seed)


@checked_methods
class BasisConversion(MatrixKernel):
    """A conversion of residues from one RNS basis to another; built by :func:`momagen.convert`."""

    def __init__(self, spec: ConversionSpec) -> None:
        shape = len(spec.goals), len(spec.moduli)
        super().__init__(spec.name, conversion_module(spec), *shape, (spec.moduli, spec.goals), spec.target)
        self.spec, self.moduli, self.goals = spec, spec.moduli, spec.goals

    def _top(self, row: int) -> int:
        return self.moduli[row]

    def _compared(self, seed: int) -> Report:
        return verify_conversion(self.name, self._on_integers, self.spec, seed)


@checked_arguments
def matmul(
    matrix: Any, *, modulus: int | str, target: str = "jax", engine: ProductEngine | None = None,
    sums: Sums = "montgomery", sparse: bool = False,
) -> MatrixProduct:  # fmt: skip
    """The product of a constant matrix with matrices modulo q, by signed digits on the cheapest engine that is exact.

    Args:
        matrix: rows of integers, reduced modulo q. modulus: q, odd, of up to 1024 bits.
        target: one with engines: "jax", "jax_cpu", "jax_gpu", "jax_tpu". engine: the only one to take.
        sums: how sums of digits become residues: by Montgomery's or Barrett's reduction, or with what overflows folded
            in by the engine. sparse: the matrix holds the digits of its elements as they are, nearly half of it zeros
            (what CROSS compares with, Figure 7); else those of their multiples by powers of two modulo q.

    Raises:
        MomagenError: another matrix or modulus, a target without engines, or rows that no engine sums up exactly.
    """
    q, name, spread = integer(modulus, "modulus"), target_name(target), flag(sparse, "sparse")
    wanted = text_or("", engine, "engine")
    rows = _rows(matrix, max(q, 1))
    spec = MatmulSpec(len(rows), len(rows[0]), q.bit_length(), q, name, wanted, spread, text(sums, "sums"))
    return MatrixProduct(check_matmul(spec), rows)


def _rows(matrix: Any, q: int) -> list[list[int]]:
    """The rows of a matrix modulo q."""
    expected = "rows of integers, all of the same length"
    array = integer_array(matrix, expected, "matrix")
    if array.ndim != 2 or not array.size:
        raise MomagenError(expected, f"shape {array.shape}", "matrix")
    return [[int(value) % q for value in row] for row in array.tolist()]


@checked_arguments
def convert(
    moduli: Sequence[int] | int, *, to: Sequence[int] | int, modulus_bits: int | None = None, exact: bool = True,
    method: ConversionMethod | None = None, positive: bool = False, scaled: bool = False, target: TargetName = "c",
    engine: ProductEngine | None = None, threads: int | None = None,
) -> BasisConversion | RowsConversion:  # fmt: skip
    """Build a kernel that converts residues from one RNS basis to another.

    Args:
        moduli: the source moduli, which have no common factors. They are odd if the method is "exact" or "montgomery",
            or the target is neither in C nor in CUDA. A number stands for the largest primes of ``modulus_bits`` bits.
        to: the target moduli: any numbers from 2 on in C and CUDA, odd ones if the method is "montgomery"; odd numbers
            without common factors elsewhere. A number stands for the primes below those of ``moduli``.
        method: "exact" converts every number a (by mixed radices, Garner). "corrected" computes the multiple of Q, the
            product of ``moduli``, from rounded quotients; the result may be off by Q if a is within Q/2^40
            of ±Q/2, or, with ``positive``, if a > Q - Q/2^39. "shenoy-kumaresan" takes the last of ``moduli``, m, as
            redundant: with the product Q of the other L moduli, it converts |a| ≤ Q·(m - L)/2, or with ``positive``
            0 ≤ a ≤ Q·(m - L). "montgomery" computes the multiple of Q modulo 2^(b - 1), for moduli of at most b bits;
            the result may be off by Q if a is within len(moduli)·Q/2^b of ±Q/2, or, with ``positive``, if
            a > Q - 2·len(moduli)·Q/2^b. "fast" gives the residues of a + u·Q with 0 ≤ u < len(moduli), the same u for
            all of ``to``. Without a method, ``exact`` chooses between "exact" and "fast".
        positive: the numbers are those with 0 ≤ a < Q; otherwise those with -Q/2 < a < Q/2. The method "fast" always
            takes 0 ≤ a < Q. Methods other than "exact" and "fast", and ``positive``, need moduli of at most 62 bits and
            a target in C; "corrected" and ``positive`` are also available in CUDA.
        scaled: the result is P·a/Q, rounded to the nearest integer, where P is the product of ``to``; P and Q share no
            factor. With t for ``to``, that is the decryption of BFV. "corrected" may round to the other side if P·a
            modulo Q is within Q/2^40 of Q/2; the result of "fast" is at most len(moduli) below P·a/Q. Needs one of the
            methods "exact", "corrected" and "fast", a target in C, and moduli of at most 62 bits.
        target: a target in C with 64-bit words, "native" for the best of them on this CPU, a target in CUDA such as
            "cuda", or a target with engines, as in :func:`matmul`. In CUDA, moduli have at most 62 bits, and there are
            at most 64 source moduli, or 32 if the method is "exact". In C, moduli have at most 64 bits, and any lengths
            up to 62 bits can be mixed; if one has 63 bits, every source modulus must be at most twice every target
            modulus; with 64 bits, no larger than it.
        engine: as in :func:`matmul`. threads: the number of threads that do a call together, in C; `k.threads` sets
            another number.

    Raises:
        MomagenError: other moduli, or what :func:`matmul` refuses; an engine in C, or threads elsewhere.
    """
    spec = conversion_spec(
        moduli, to=to, modulus_bits=modulus_bits, exact=exact, method=method, positive=positive, scaled=scaled,
        target=target, engine=engine, threads=threads,
    )  # fmt: skip
    if load_target(spec.target).syntax not in ON_ROWS:
        return BasisConversion(spec)
    return kernel_of(spec, RowsConversion, on_call("momagen.api.rns.on_device", "CudaConversion"))


def conversion_spec(
    moduli: object, *, to: object, modulus_bits: object = None, exact: object = True, method: object = None,
    positive: object = False, scaled: object = False, target: TargetName = "c", engine: object = None,
    threads: object = None,
) -> ConversionSpec:  # fmt: skip
    """Return the checked request of :func:`convert`, of which numbers may also be texts."""
    way, name = _method(method, flag(exact, "exact")), rows_target(target)
    first, others = bases_of({"moduli": moduli, "to": to}, modulus_bits)
    number = 0 if threads is None else count(threads, "threads", 1, MOST)
    given = text_or("", engine, "engine"), number, flag(positive, "positive"), flag(scaled, "scaled")
    return check_conversion(ConversionSpec(first, others, name, way, *given))


def _method(method: object, exact: bool) -> str:
    """The method that was asked for; ``exact`` chooses between the outer two.

    Raises:
        MomagenError: another method, or a method other than "fast" with exact=False.
    """
    if method is None:
        return "exact" if exact else "fast"
    if method not in (names := get_args(ConversionMethod)):
        raise among("one of the methods", names, text(method, "method"), "method")
    if method != "fast" and not exact:
        problem = f'`method="{text(method, "method")}"` cannot be combined with `exact=False` (--approximate)'
        raise build_error(problem, "method", "use one of the two")
    return str(method)
