"""Products with constant matrices and conversions between RNS bases, on the matrix engines of JAX targets."""

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
from momagen.api.request import TargetName, requested_target
from momagen.api.rns.kernels import RowsConversion, kernel_of, rows_target
from momagen.arguments import checked_arguments, checked_methods
from momagen.emit.claim import state
from momagen.emit.jax.numbers import number, words
from momagen.emit.jax.products import CLAIM, conversion_module, matmul_module
from momagen.emit.jax.running.module import created, run_text
from momagen.errors import MomagenError, among, build_error
from momagen.files import path_of, save
from momagen.kernels.matrices.spec import ON_ROWS, ConversionSpec, MatmulSpec, check_conversion, check_matmul
from momagen.kernels.requests.threads import MOST
from momagen.kernels.requests.typed import ConversionMethod, ProductEngine, Sums
from momagen.lazy import on_call
from momagen.runtime.native import NATIVE
from momagen.targets import Target
from momagen.verify import Report
from momagen.verify.matrices import Rows, verify_product
from momagen.verify.rns.conversion import verify_conversion

if TYPE_CHECKING:
    from momagen.api.rns import RowsConversion


@checked_methods
class MatrixKernel:
    """A JAX module that multiplies by a matrix that is known beforehand.

    Attributes:
        source: The text of the module.
        header: "", because a module has no header.
        name: The name of the module's file, without its ending.
        rows: The number of rows of the matrix.
        inner: The number of columns of the matrix.
    """

    def __init__(self, name: str, source: str, rows: int, inner: int, given: Sequence[object], target: Target) -> None:
        self.name, self.source, self.header, self.rows, self.inner = name, source, "", rows, inner
        self._given, self._target = given, target

    @property
    def files(self) -> dict[str, str]:
        """The text of the module, by the name of its file."""
        return {f"{self.name}.py": self.source}

    def save(self, folder: str | Path) -> Path:
        """Write the module to a folder.

        Args:
            folder: The folder, which is created if it is missing.

        Returns:
            The folder.

        Raises:
            MomagenError: The folder cannot be written.
        """
        return save(path_of(folder, "save"), self.files)

    @cached_property
    def names(self) -> dict[str, Any]:
        """The names that the module defines, with their values."""
        return run_text(self.name, self.source, self._target)

    @cached_property
    def tables(self) -> dict[str, Any]:
        """The arrays on the device that the module's ``create`` returns."""
        return created(self.names, "create", *self._given)

    def __call__(self, x: Any) -> Any:
        """Return the product for residues x of shape (…, inner, columns), in the form of x.

        Args:
            x: A JAX array of uint32 words of shape (…, inner, columns, words), or (…, inner, columns) if a residue is
                one word, or a tuple of arrays, one for each word, also inside functions that JAX traces; or lists of
                integers of shape (inner, columns).

        Returns:
            Residues of shape (…, rows, columns), in the form of x.

        Raises:
            MomagenError: x has another kind or shape, or an integer is out of range.
        """
        if is_array(x):
            return self._apply(self.names["traced" if is_traced([x]) else "compiled"], x)
        return self._on_integers(x)

    def function(self, *, donate: bool = False) -> Callable[[Any], Any]:
        """Return the kernel as a compiled function of JAX arrays.

        Args:
            donate: Whether the result may reuse the memory of the operand, which is then invalid.
        """
        import jax

        traced, options = self.names["traced"], self.names["OPTIONS"]
        given = (0,) if donate else ()
        made: Callable[[Any], Any] = jax.jit(
            lambda x: self._apply(traced, x), donate_argnums=given, compiler_options=options or None
        )
        return made

    def _apply(self, run: Callable[..., Any], x: Any) -> Any:
        """Return the result of ``run``, a function on words, for a JAX array or a tuple of words."""
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
        """Return the number that the residues of a row are below."""
        raise NotImplementedError

    def verify(self, *, seed: int = 0) -> Report:
        """Compare the kernel's results with those of gmpy2.

        The module says "Verified against gmpy2" only after a verification has passed.

        Args:
            seed: The seed of the random values.

        Returns:
            The report, which is true if all values are correct.
        """
        report = self._compared(count(seed, "seed"))
        self.source = state(self.source, CLAIM, report.ok)
        return report

    def _compared(self, seed: int) -> Report:
        """Return the report of a comparison with the definition."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{self.name}: {self.rows} × {self.inner}>"


@checked_methods
class MatrixProduct(MatrixKernel):
    """The product A·X modulo q with a constant matrix A; built by :func:`momagen.matmul`.

    Attributes:
        spec: The checked request.
        matrix: The rows of A, reduced modulo q.
        modulus: The modulus q.
    """

    def __init__(self, spec: MatmulSpec, matrix: Rows) -> None:
        super().__init__(spec.name, matmul_module(spec), spec.rows, spec.inner, (spec.modulus, matrix), spec.target)
        self.spec, self.matrix, self.modulus = spec, matrix, spec.modulus

    def _top(self, row: int) -> int:
        return self.modulus

    def _compared(self, seed: int) -> Report:
        return verify_product(self.name, self._on_integers, self.matrix, self.modulus, seed)


@checked_methods
class BasisConversion(MatrixKernel):
    """A conversion of residues from one RNS basis to another for JAX; built by :func:`momagen.convert`.

    Attributes:
        spec: The checked request.
        moduli: The source moduli.
        goals: The target moduli.
    """

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
    """Build the product of a constant matrix with matrices modulo q, on a matrix engine of a JAX target.

    Residues are split into signed digits, whose products the engine sums exactly.

    Args:
        matrix: The rows of the matrix, integers of any size, which are reduced modulo q.
        modulus: The modulus q, odd, of up to 1024 bits.
        target: A target with engines: "jax", "jax_cpu", "jax_gpu" or "jax_tpu".
        engine: The engine to use: "int8", "int32", "words", "bfloat16", "float32" or "float64" (default: the cheapest
            engine of the target whose sums are exact).
        sums: How sums of digits become residues: "montgomery" or "barrett" reduction, or "folded" by the engine.
        sparse: Whether the digits of the elements are stored unchanged at every distance, in 2·d - 1 rows for d digits,
            nearly half of them zeros (CROSS, Figure 7), instead of in d rows that hold the digits of the elements times
            powers of two, modulo q.

    Returns:
        The kernel. ``k(x)`` maps residues of shape (…, inner, columns) to products of shape (…, rows, columns), where
        (rows, inner) is the shape of ``matrix``. x is a JAX array of uint32 words, or a list of ``inner`` rows of
        integers.

    Raises:
        MomagenError: The matrix or the modulus is invalid, the target has no engines, or no engine can sum the rows
            exactly.
    """
    q, machine, spread = integer(modulus, "modulus"), _engine_target(target), flag(sparse, "sparse")
    wanted = text_or("", engine, "engine")
    rows = _rows(matrix, max(q, 1))
    spec = MatmulSpec(len(rows), len(rows[0]), q.bit_length(), q, machine, wanted, spread, text(sums, "sums"))
    return MatrixProduct(check_matmul(spec), rows)


def _engine_target(target: TargetName) -> Target:
    """Return the target that a user names, which must not be "native".

    Raises:
        MomagenError: There is no such target, or it is a target in C or a proxy build.
    """
    if target == NATIVE:
        raise MomagenError("a target with matrix engines, such as jax", "native, which is a target in C", "target")
    return requested_target(target)


def _rows(matrix: Any, q: int) -> list[list[int]]:
    """Return the rows of a matrix, reduced modulo q."""
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
    """Build a kernel that converts residues from one RNS basis to another (base conversion, base extension).

    The kernel maps the residues of an integer a, -Q/2 < a < Q/2 (0 ≤ a < Q with ``positive``), to the residues of the
    number in the second column, where Q is the product of the source moduli:

    | method | result | condition or error |
    |---|---|---|
    | "exact" | a | none; uses mixed radices (Garner) |
    | "corrected" | a | may be off by Q if a is within Q/2^40 of ±Q/2 (``positive``: if a > Q - Q/2^39) |
    | "shenoy-kumaresan" | a | the last source modulus m is redundant, see below |
    | "montgomery" | a | may be off by Q if a is within L·Q/2^b of ±Q/2 (``positive``: if a > Q - 2·L·Q/2^b) |
    | "fast" | a + u·Q | 0 ≤ u < L, with the same u for all target moduli |

    L is the number of source moduli. For "montgomery", b is the number of bits of the longest source or target modulus,
    and the multiple of Q is computed modulo 2^(b - 1). For "shenoy-kumaresan", Q is the product and L the number of the
    other source moduli, and a may be any number with |a| ≤ Q·(m - L)/2, or 0 ≤ a ≤ Q·(m - L) with ``positive``.

    Args:
        moduli: The source moduli, pairwise coprime; or the number of the largest primes of ``modulus_bits`` bits. They
            must be odd for the methods "exact" and "montgomery", and for targets other than C and CUDA.
        to: The target moduli, from 2 on in C and CUDA (odd for the method "montgomery"), and odd and pairwise coprime
            elsewhere; or a number of primes, which are the next ones below those of ``moduli``.
        modulus_bits: The width in bits of the primes, if a number of them was passed.
        exact: The method if ``method`` is None: "exact" if true, "fast" if false.
        method: The method, from the table above.
        positive: Whether the numbers are 0 ≤ a < Q instead of -Q/2 < a < Q/2. "fast" always uses 0 ≤ a < Q.
            ``positive`` and the methods other than "exact" and "fast" require moduli of at most 62 bits and a target in
            C; CUDA supports "corrected" and ``positive``, too.
        scaled: Whether the result is P·a/Q, rounded to the nearest integer, where P is the product of ``to`` and
            coprime to Q. If ``to`` is [t] for the plaintext modulus t, this is the last step of BFV's decryption.
            "corrected" may round to the other side if P·a modulo Q is within Q/2^40 of Q/2; the result of "fast" is
            less than P·a/Q by at most L. ``scaled`` requires the method "exact", "corrected" or "fast", a target in C,
            and moduli of at most 62 bits.
        target: A C target with 64-bit words, "native" for the best of them on this CPU, a CUDA target such as "cuda",
            or a JAX target with engines, as in :func:`matmul`. In C, moduli have at most 64 bits, and lengths up to 62
            bits can be mixed; with a 63-bit modulus, every source modulus must be at most twice every target modulus,
            and with a 64-bit modulus at most equal to it. In CUDA, moduli have at most 62 bits, and there are at most
            64 source moduli (32 for the method "exact").
        engine: The matrix engine of a JAX target, as in :func:`matmul`.
        threads: The number of threads that compute one call, in C; ``k.threads`` sets another number.

    Returns:
        The kernel. ``k(x)`` maps residues of shape (…, moduli, n) to residues of shape (…, target moduli, n).

    Raises:
        MomagenError: The moduli do not satisfy the conditions, or the target does not support the method, the engine or
            threads.

    Examples:
        >>> import momagen as mg
        >>> k = mg.convert([13, 17], to=[19, 23])
        >>> k([[100 % 13], [100 % 17]])  # 100 modulo 19 and 23
        [[5], [8]]
        >>> k([[-1 % 13], [-1 % 17]])
        [[18], [22]]
    """
    spec = conversion_spec(
        moduli, to=to, modulus_bits=modulus_bits, exact=exact, method=method, positive=positive, scaled=scaled,
        target=target, engine=engine, threads=threads,
    )  # fmt: skip
    if spec.target.syntax not in ON_ROWS:
        return BasisConversion(spec)
    return kernel_of(spec, RowsConversion, on_call("momagen.api.rns.on_device", "CudaConversion"))


def conversion_spec(
    moduli: object, *, to: object, modulus_bits: object = None, exact: object = True, method: object = None,
    positive: object = False, scaled: object = False, target: TargetName = "c", engine: object = None,
    threads: object = None,
) -> ConversionSpec:  # fmt: skip
    """Return the checked request of :func:`convert`; numbers may also be texts."""
    way, machine = _method(method, flag(exact, "exact")), rows_target(target)
    first, others = bases_of({"moduli": moduli, "to": to}, modulus_bits)
    number = 0 if threads is None else count(threads, "threads", 1, MOST)
    given = text_or("", engine, "engine"), number, flag(positive, "positive"), flag(scaled, "scaled")
    return check_conversion(ConversionSpec(first, others, machine, way, *given))


def _method(method: object, exact: bool) -> str:
    """Return the method; ``exact`` selects between "exact" and "fast" if ``method`` is None.

    Raises:
        MomagenError: The method is unknown, or is not "fast" although ``exact`` is false.
    """
    if method is None:
        return "exact" if exact else "fast"
    if method not in (names := get_args(ConversionMethod)):
        raise among("one of the methods", names, text(method, "method"), "method")
    if method != "fast" and not exact:
        problem = f'`method="{text(method, "method")}"` cannot be combined with `exact=False` (--approximate)'
        raise build_error(problem, "method", "use one of the two")
    return str(method)
