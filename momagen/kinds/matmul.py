"""Products of a constant matrix with matrices of residues, on the matrix engines of JAX targets."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, get_args

from momagen.errors import MomagenError, build_error
from momagen.files import text_of
from momagen.kernels.residues.arith import Arith
from momagen.kinds.modular.typed import ProductEngine, Sums
from momagen.lazy import on_call
from momagen.tables import checked, parse_json
from momagen.targets import Target

from .columns import Column, ColumnsKind
from .limits import Limit, check
from .parameter import FILE, Param, ParameterRole
from .registry import register
from .request import DeclaredRequest
from .rns.moduli import check_modulus
from .titles import TITLES

if TYPE_CHECKING:
    from gmpy2 import mpz

    from momagen.api.kernel import Kernel
    from momagen.bench import Result
    from momagen.emit import Source
    from momagen.emit.claim import Claim
    from momagen.runtime.runner import Runner

matmul_source: Callable[[MatmulSpec], Source] = on_call("momagen.emit.jax.products", "matmul_source")

Matrix = tuple[tuple[int, ...], ...]
matrix_rows: Callable[[object], Matrix] = on_call("momagen.api.calls.integers", "matrix_rows")
numbers_claim: Callable[[], Claim] = on_call("momagen.emit.claim", "numbers_claim")
run_matrix: Callable[[Source], Runner] = on_call("momagen.emit.jax.running.matrix", "run_matrix")
matrix_caller: Callable[..., Any] = on_call("momagen.api.matrices.caller", "MatrixCaller")
BARRETT = "barrett"
LARGEST, LARGEST_MATRIX = 1 << 15, 1 << 24
"""The largest number of terms of a row, and of elements of a matrix."""
RANDOM = 64
"""The number of rows and of columns of a random matrix."""
ENGINE = Param(
    "number format of matrix products",
    doc='The matrix engine of a JAX target: "int8", "int32", "words", "bfloat16", "float32" or "float64" (default: the'
    " cheapest engine of the target whose sums are exact).",
    group="Output", role=ParameterRole.CODE, default="the cheapest exact one", choices=get_args(ProductEngine),
    accepts=ProductEngine | None,
)  # fmt: skip


SHAPES = (
    Limit(lambda values: any(values.get(name) is not None for name in ("rows", "inner")),
          "matrix", "`rows` and `inner` cannot be combined with `matrix`", "use one of the two"),
)  # fmt: skip
"""The arguments that a matrix determines."""
WITHOUT_ENGINES = Limit(lambda request: not request.target.engine, "target", "{0.target}",
                        expected="a target with matrix engines, such as jax")  # fmt: skip
"""The targets without matrix engines."""
LIMITS = (
    WITHOUT_ENGINES,
    Limit(lambda request: request.sparse and request.sums == BARRETT, "sums",
          f'`sums="{BARRETT}"` cannot be combined with `sparse`', 'use `sums="montgomery"` or `sums="folded"`'),
)  # fmt: skip
"""What products of matrices lack."""


@dataclass(frozen=True)
class MatmulSpec(DeclaredRequest):
    """Z = A·X modulo q, where A is known when tables are made, and X of shape (…, inner, columns) is an operand.

    Attributes:
        rows: The number of rows of A.
        inner: The number of columns of A.
        matrix: The rows of A; empty if only the module is of interest, which holds no matrix.
    """

    modulus: Annotated[int, Param(
        "odd modulus: decimal, 0x… or an expression such as 2^31-1",
        doc="The modulus q, odd, of up to 1024 bits.", group="Matrix", metavar="Q", hexadecimal=True, accepts=int | str,
    )]  # fmt: skip
    target: Annotated[Target, Param(
        "target with matrix engines",
        doc='A target with engines: "jax", "jax_cpu", "jax_gpu" or "jax_tpu".',
        group="Output", metavar="NAME", role=ParameterRole.MACHINE, default="jax", always=True,
    )]  # fmt: skip
    rows: Annotated[int, Param(
        "number of rows of a random matrix", group="Matrix", metavar="M", default=str(RANDOM), least=1, always=True,
        is_argument=False,
    )] = RANDOM  # fmt: skip
    inner: Annotated[int, Param(
        "number of columns of a random matrix", group="Matrix", metavar="N", default=str(RANDOM), least=1, always=True,
        is_argument=False,
    )] = RANDOM  # fmt: skip
    sums: Annotated[Sums, Param(
        "how sums of digits become residues: by Montgomery or Barrett reduction, or folded by the engine",
        doc='How sums of digits become residues: "montgomery" or "barrett" reduction, or "folded" by the engine.',
        group="Matrix", role=ParameterRole.CODE,
    )] = "montgomery"  # fmt: skip
    sparse: Annotated[bool, Param(
        "store the digits of each element in a banded matrix, nearly half of whose entries are 0, instead of the digits"
        " of its multiples modulo q; the CROSS paper compares with this variant (Figure 7)",
        doc="Whether the digits of the elements are stored unchanged at every distance, in 2·d - 1 rows for d digits,"
        " nearly half of them zeros (CROSS, Figure 7), instead of in d rows that hold the digits of the elements times"
        " powers of two, modulo q.",
        group="Matrix", role=ParameterRole.CODE,
    )] = False  # fmt: skip
    engine: Annotated[str, ENGINE] = ""
    matrix: Matrix = field(default=(), repr=False)

    @property
    def bits(self) -> int:
        """The width of the modulus."""
        return self.modulus.bit_length()

    @property
    def moduli(self) -> tuple[int, ...]:
        """The modulus alone."""
        return (self.modulus,)

    @property
    def arith(self) -> Arith:
        """The words of a residue."""
        return Arith(self.bits, self.target.word)

    @property
    def widths(self) -> str:
        """The widths of a residue's container and of the modulus, in words."""
        return f"{self.arith.held}-bit container, {self.bits}-bit modulus"

    @property
    def stem(self) -> str:
        """The name of the module without the target."""
        ways = "_sparse" * self.sparse + f"_{self.sums}" * (self.sums != "montgomery")
        return f"matmul{self.rows}x{self.inner}_{self.bits}b{ways}"


def read_rows(path: str) -> object:
    """Return the rows of a matrix in a JSON file.

    Raises:
        MomagenError: The file cannot be read, or is no JSON.
    """
    expected = "a JSON file with rows of integers"
    return parse_json(text_of(path, expected), expected, path)


@dataclass(frozen=True)
class MatrixFile:
    """The parameter that gives the matrix."""

    matrix: Annotated[Any, Param(
        "JSON file with the rows of the matrix",
        doc="The rows of the matrix, integers of any size, which are reduced modulo q.",
        group="Matrix", metavar=FILE, role=ParameterRole.SHORTHAND, default="a random matrix",
        by_position=True, read=read_rows,
    )] = None  # fmt: skip


def check_matmul(spec: MatmulSpec) -> None:
    """Check a request.

    Raises:
        MomagenError: sizes out of range, an even modulus or one that is too long, a target without engines.
    """
    check_matrix(spec.rows, spec.inner)
    check_modulus(spec.modulus, "modulus")
    check(spec, LIMITS)


def check_matrix(rows: int, inner: int) -> None:
    """Refuse a matrix that is too large.

    Raises:
        MomagenError: sizes out of range.
    """
    for name, size in (("rows", rows), ("inner", inner)):
        if not 1 <= size <= LARGEST:
            raise MomagenError(f"from 1 to {LARGEST}", size, name)
    if rows * inner > LARGEST_MATRIX:
        raise MomagenError(f"at most {LARGEST_MATRIX} elements", f"{rows} × {inner}", "rows")




def drawn(spec: MatmulSpec) -> Matrix:
    """Return a random matrix, which depends only on its size and the modulus."""
    rng = random.Random(0)
    return tuple(tuple(rng.randrange(spec.modulus) for _ in range(spec.inner)) for _ in range(spec.rows))


def _matrix(texts: Sequence[str], spec: MatmulSpec, where: str) -> Matrix:
    """Return the rows of a matrix that a manifest holds.

    Raises:
        MomagenError: They are not numbers, or the matrix has another size.
    """
    try:
        matrix = tuple(tuple(int(text, 16) for text in row.split()) for row in texts)
    except ValueError as error:
        raise MomagenError("a matrix in hexadecimal", str(error), where) from None
    if {len(row) for row in matrix} != {spec.inner} or len(matrix) != spec.rows:
        raise MomagenError(f"{spec.rows} rows of {spec.inner} elements", "other rows", where)
    return matrix


class MatmulKind(ColumnsKind):
    """Products of a constant matrix with matrices of residues."""

    name = "matmul"
    title = TITLES[name]
    request, shorthand = MatmulSpec, MatrixFile
    sample = MappingProxyType({"modulus": "2^30-35", "rows": 64, "inner": 64})
    examples = ("matmul --modulus 2^31-1 --rows 64 --inner 128",)
    manual = """
    Build the product of a constant matrix with matrices modulo q, on a matrix engine of a JAX target.

    Residues are split into signed digits, whose products the engine sums exactly.

    Returns:
        The kernel. ``k(x)`` maps residues of shape (…, inner, columns) to products of shape (…, rows, columns), where
        (rows, inner) is the shape of ``matrix``. x is a JAX array of uint32 words, or a list of ``inner`` rows of
        integers.

    Raises:
        MomagenError: The matrix or the modulus is invalid, the target has no engines, or no engine can sum the rows
            exactly.
    """

    def check(self, request: MatmulSpec) -> None:
        """Check the sizes and the modulus, and that the target has matrix engines."""
        check_matmul(request)

    def resolve(self, values: Mapping[str, object]) -> MatmulSpec:
        """Return the checked request for a matrix, or for a random one of the size that ``rows`` and ``inner`` give."""
        if "matrix" not in values:
            random: MatmulSpec = super().resolve(values)
            return replace(random, matrix=drawn(random))
        check(values, SHAPES)
        rows = matrix_rows(values["matrix"])
        found: MatmulSpec = super().resolve({**values, "rows": len(rows), "inner": len(rows[0])})
        return replace(found, matrix=tuple(tuple(each % found.modulus for each in row) for row in rows))

    def describe(self, request: MatmulSpec) -> str:
        """Return what the kernel computes, in words."""
        return f"product of a constant {request.rows} × {request.inner} matrix with matrices modulo q"

    def served(self, request: MatmulSpec) -> str:
        """Return the moduli that one module serves, in words."""
        return f"odd moduli below 2^{request.bits}"

    def facts(self, request: MatmulSpec) -> Mapping[str, str]:
        """Return the rows of a kernel's reports that follow the description, by heading."""
        return {"width": request.widths, "modulus": hex(request.modulus)}

    def to_manifest(self, request: MatmulSpec) -> Mapping[str, object]:
        """Return a request as JSON values, with the elements of the matrix in hexadecimal."""
        return {**super().to_manifest(request), "matrix": [" ".join(map(hex, row)) for row in request.matrix]}

    def from_manifest(self, values: object, where: str) -> MatmulSpec:
        """Return the checked request that a manifest holds."""
        rows = values.get("matrix") if isinstance(values, dict) else None
        told = {"matrix": rows} if isinstance(values, dict) else values
        texts = checked(told, {"matrix": "a list of texts"}, f"{where}, spec")["matrix"]
        assert isinstance(values, dict)
        found: MatmulSpec = super().from_manifest({key: values[key] for key in values if key != "matrix"}, where)
        return replace(found, matrix=_matrix(texts, found, f"{where}, spec, matrix"))

    def generate(self, request: MatmulSpec) -> Source:
        """Return the generated source."""
        return matmul_source(request)

    def claim(self, request: MatmulSpec) -> Claim:
        """Return what generated files say about their verification."""
        return numbers_claim()

    def runner(self, syntax: str) -> Callable[[Source], Runner] | None:
        """Return the function that makes a module callable."""
        return run_matrix

    def plan(self, kernel: Kernel) -> Any:
        """Return the tables of the matrix."""
        compiled: Any = kernel.compiled
        spec = kernel.spec
        return compiled.plan(spec.rows, [spec.modulus] * spec.inner, spec.modulus, spec.matrix)

    def caller(self, kernel: Kernel) -> Callable[..., Any]:
        """Return the function that checks the operand and calls the module."""
        return matrix_caller(kernel.spec, kernel.tables)  # type: ignore[no-any-return]

    def goals(self, request: MatmulSpec) -> tuple[int, ...]:
        """Return the modulus for every row of the result."""
        return request.moduli * request.rows

    def tops(self, request: MatmulSpec) -> Sequence[Sequence[int]]:
        """Return the modulus for every row of the operand."""
        return [request.moduli * request.inner]

    def define(self, request: MatmulSpec, column: Sequence[mpz]) -> Column:
        """Return the product of the matrix and one column."""
        rows = (sum(a * x for a, x in zip(row, column, strict=True)) for row in request.matrix)
        return Column([int(each % request.modulus) for each in rows])

    def edge_columns(self, request: MatmulSpec) -> Mapping[str, Sequence[int]]:
        """Return columns with the largest sums and with zeros."""
        q, inner = request.modulus, request.inner
        return {"all q - 1": [q - 1] * inner, "all 0": [0] * inner, "all q // 2": [q // 2] * inner,
                "q - 1 and 0 alternating": [(q - 1) * (at % 2 == 0) for at in range(inner)]}  # fmt: skip

    def bench(self, kernel: Kernel, *, repetitions: int, seconds: float) -> Result:
        """Refuse to time the module, as for other kernels in JAX.

        Raises:
            MomagenError: Always.
        """
        raise build_error(f"bench() times compiled kernels, and this kernel is for {kernel.target.name}", kernel.name)


MatmulSpec.kind = register(MatmulKind())
