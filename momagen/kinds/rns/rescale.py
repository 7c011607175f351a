"""Division by the last modulus of an RNS basis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Literal

from momagen.errors import MomagenError
from momagen.kernels.rns.format import LONGEST
from momagen.kinds.columns import Column
from momagen.kinds.limits import check
from momagen.kinds.modular.making.limits import THREADS_IN_C
from momagen.kinds.parameter import Param
from momagen.kinds.registry import register
from momagen.kinds.titles import TITLES
from momagen.lazy import on_call
from momagen.params.primes import MAX_MODULI
from momagen.targets import Target

from .basis import MODULI, TARGET, THREADS, RowsSpec
from .interfaces.interface import ROW_FOR_MODULUS, RowsInterface, any_below
from .moduli import check_basis
from .numbers import number_of, product_of, residues_of
from .rows import EntryPoints, RowsKind, RowsLowering

if TYPE_CHECKING:
    from gmpy2 import mpz

    from momagen.program.device import RowsProgram

device_division: Callable[..., RowsProgram] = on_call("momagen.lower.rns.device", "divide")
BY_SUMS = RowsLowering(
    on_call("momagen.lower.rns.kernels", "divide_by_sums"), device_division,
    EntryPoints("division_words", "division_room", "set_division", "run_division"),
)  # fmt: skip
BY_TERMS = RowsLowering(
    on_call("momagen.lower.rns.kernels", "rescale_by_terms"), device_division,
    EntryPoints("rescale_words", "rescale_room", "set_rescale", "run_rescale"),
)  # fmt: skip


@dataclass(frozen=True)
class RescaleSpec(RowsSpec):
    """The quotients a/d, rounded, modulo all ``moduli`` but the last one, d, of numbers a known by their residues."""

    moduli: Annotated[tuple[int, ...], replace(
        MODULI, group="Bases",
        help="moduli of the RNS basis, of which the last is the divisor; or COUNT: the COUNT largest primes of the"
        " width --modulus-bits",
        doc="The basis: odd, pairwise coprime numbers of at most 64 bits; or the number of the largest primes of"
        " ``modulus_bits`` bits. d is at most 8 times the smallest of the other moduli, and at most 4, 2 or 1 times if"
        " the longest modulus has 62, 63 or 64 bits.",
    )]  # fmt: skip
    target: Annotated[Target, replace(
        TARGET, doc=f"{TARGET.doc[:-1]}, for which moduli have at most 62 bits."
    )]  # fmt: skip
    rounding: Annotated[Literal["nearest", "floor"], Param(
        "how quotients are rounded; nearest: to the nearest integer, floor: down",
        doc='"nearest" computes ⌊(a + ⌊d/2⌋)/d⌋, the nearest integer; "floor" computes ⌊a/d⌋.', group="Bases",
    )] = "nearest"  # fmt: skip
    threads: Annotated[int, THREADS] = 0

    @property
    def goals(self) -> tuple[int, ...]:
        """The moduli of the result."""
        return self.moduli[:-1]

    def quotient(self, a: mpz) -> mpz:
        """Return the integer whose residues are the result for a number: the definition of the kernel."""
        d = self.moduli[-1]
        return (a + d // 2 * self.to_nearest) // d

    @property
    def sources(self) -> tuple[int, ...]:
        """The divisor."""
        return self.moduli[-1:]

    @property
    def stem(self) -> str:
        """The name without its target."""
        return f"rescale{len(self.moduli)}_{self.bits}b" + "_floor" * (not self.to_nearest)

    @property
    def to_nearest(self) -> bool:
        """Whether quotients are rounded to the nearest integer."""
        return self.rounding == "nearest"

    @property
    def constants(self) -> Mapping[str, int]:
        """The numbers of the request that functions in text read."""
        return {"to_nearest": int(self.to_nearest)}


def check_rescale(spec: RescaleSpec) -> None:
    """Check a request.

    Raises:
        MomagenError: fewer than two moduli, even ones, or ones that share a factor; threads that are not in C.
    """
    if len(spec.moduli) < 2:
        raise MomagenError("at least two moduli", len(spec.moduli), "moduli")
    check(spec, [THREADS_IN_C])
    check_basis(spec.moduli, "moduli", odd=spec.bits > LONGEST)


class RescaleKind(RowsKind):
    """Divisions by the last modulus of an RNS basis."""

    name = "rescale"
    title = TITLES[name]
    request = RescaleSpec
    sample = MappingProxyType({"moduli": 3, "modulus_bits": 50})
    examples = ("rescale --moduli 4 --modulus-bits 50 --target native",)
    manual = """
    Build a kernel that divides by the last modulus of an RNS basis and rounds (rescaling).

    For an integer a, given by its residues modulo all moduli, the result is the quotient a/d modulo all moduli but the
    last one, d, rounded to the nearest integer or down. a is from 0 to Q - 1, where Q is the product of all moduli; a
    negative a is represented by a + Q, and its quotient is then correct, too.

    Returns:
        The kernel. ``k(x)`` maps residues of shape (…, moduli, n) to residues of shape (…, moduli - 1, n).

    Raises:
        MomagenError: The moduli do not satisfy the conditions, or the target does not support the kernel or threads.

    Examples:
        >>> import momagen as mg
        >>> k = mg.rescale([193, 257, 97])
        >>> a = 1050
        >>> k([[a % 193], [a % 257], [a % 97]])  # 1050/97 = 10.8…
        [[11], [11]]
    """

    def check(self, request: RescaleSpec) -> None:
        """Check the moduli, and that the target has threads if they are requested."""
        check_rescale(request)

    def describe(self, request: RescaleSpec) -> str:
        """Return what the kernel computes, in words."""
        return "division by the last modulus of an RNS basis" + ", rounded down" * (not request.to_nearest)

    def lowering(self, request: RescaleSpec) -> RowsLowering:
        """Return how a kernel is lowered: products are summed before they are reduced, except for long moduli."""
        return BY_TERMS if request.bits > LONGEST else BY_SUMS

    def interface(self, request: RescaleSpec) -> RowsInterface:
        """Return the C interface."""
        rounds, half = ("to the nearest integer", "(a + floor(d/2))") if request.to_nearest else ("down", "a")
        return RowsInterface(
            purpose=f"Divides numbers by the last modulus of an RNS basis, and rounds {rounds}.",
            counts="`moduli` moduli q, two or more",
            bad=f"the number of moduli is not from 2 to {MAX_MODULI}, a modulus is out of range, or one shares a factor"
            " with the last one",
            served=any_below(request.bits),
            execute=f"Let d be the last modulus. Computes floor({half}/d) modulo every other q_i, for n"
            " numbers a. Row i of x holds the n residues modulo q_i, and row i of z receives the n residues of the"
            " results modulo q_i; z has no row for d. Rows are contiguous.",
            aliases=ROW_FOR_MODULUS, goals="moduli - 1", least=2, is_odd=request.bits > LONGEST,
        )  # fmt: skip

    def define(self, request: RescaleSpec, column: Sequence[mpz]) -> Column:
        """Return the residues of the quotient of one number."""
        number = number_of(column, request.moduli) % product_of(request.moduli)
        return Column([int(request.quotient(number) % q) for q in request.goals])

    def edge_columns(self, request: RescaleSpec) -> Mapping[str, Sequence[int]]:
        """Return the residues of numbers at which rounding changes."""
        whole, d = prod(request.moduli), request.moduli[-1]
        half = d // 2
        return residues_of({
            "0": 0, "⌊d/2⌋": half, "⌊d/2⌋ + 1": half + 1, "d - 1": d - 1, "d": d, "Q - 1": whole - 1,
            "Q - ⌊d/2⌋ - 1": whole - half - 1, "(Q - 1)/2": (whole - 1) // 2,
        }, request.moduli)  # fmt: skip


RescaleSpec.kind = register(RescaleKind())
