"""The request for ModDown: division of numbers by the product of the last moduli of an RNS basis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import gcd, prod
from types import MappingProxyType
from typing import Annotated

from gmpy2 import invert, mpz

from momagen.errors import MomagenError
from momagen.kernels.rns.format import LONGEST
from momagen.kernels.rns.quotients import MARGIN, MOST_MODULI
from momagen.kinds.columns import Column
from momagen.kinds.limits import check
from momagen.kinds.modular.typed import DivisionMethod
from momagen.kinds.parameter import Param
from momagen.kinds.registry import register
from momagen.kinds.titles import TITLES
from momagen.targets import Target

from .basis import MODULI, TARGET, THREADS, SummedSpec
from .interfaces.interface import RowsInterface
from .interfaces.moddown import moddown_interface
from .moduli import check_basis
from .numbers import number_of, product_of, residues_of
from .rows import EntryPoints, RowsKind, RowsLowering, convert_by_sums, sum_products
from .targets import LIMITS, limit_of_sources

LOWERING = RowsLowering(convert_by_sums, sum_products, EntryPoints(
    "moddown_words", "sums_room", "set_moddown", "run_moddown"
))  # fmt: skip


@dataclass(frozen=True)
class ModDownSpec(SummedSpec):
    """The numbers (s·a - δ)/P modulo all ``moduli`` but the last ``drop``, whose product is P.

    δ is a multiple of t with δ ≡ s·a modulo P: δ = t·r, where r is a representative of s·a/t modulo P. The method
    decides which: "exact" and "corrected" take |r| < P/2, so that for t = 1 the result is s·a/P rounded to the nearest
    integer; "fast" takes 0 <= r < drop·P.
    """

    moduli: Annotated[tuple[int, ...], replace(
        MODULI,
        doc="The RNS basis: numbers from 2 to 2^62, or the number of the largest primes of ``modulus_bits`` bits. The"
        " last ``drop`` moduli are coprime to each other and to all other moduli; they are odd if the method is"
        ' "exact".',
    )]  # fmt: skip
    target: Annotated[Target, replace(
        TARGET,
        doc=f'{TARGET.doc[:-1]}, for which ``drop`` is at most 64, or 32 if the method is "exact".',
    )]  # fmt: skip
    drop: Annotated[int, Param(
        "divide by the product of the last K moduli",
        doc="The number of moduli by whose product the kernel divides.",
        group="Bases", metavar="K", least=1, always=True,
    )] = 1  # fmt: skip
    method: Annotated[DivisionMethod, Param(
        "how quotients are rounded; exact: to the nearest integer, corrected: the same, except that quotients within"
        " 2^-40 of a half may round either way, fast: too low by at most the K of --drop",
        doc='"exact" uses |r| < P/2, so that s·a/P is rounded to the nearest integer if t is 1. "corrected" computes'
        " the same from rounded quotients; if s·a/t modulo P is within P/2^40 of ±P/2, it may use r ± P."
        ' "fast" uses 0 ≤ r < drop·P, so that results are too small by at most ``drop`` if t is 1.',
        group="Bases",
    )] = "corrected"  # fmt: skip
    scale: Annotated[int, Param(
        "multiply by S before the division; in BFV, S is the plaintext modulus",
        doc="s, from 1 to 2^62 - 1. In BFV it is the plaintext modulus, so that a product is scaled and rounded;"
        " otherwise it is 1.",
        group="Bases", metavar="S",
    )] = 1  # fmt: skip
    plaintext_modulus: Annotated[int, Param(
        "plaintext modulus T of BGV; the result is congruent to a/P modulo T for the divisor P",
        doc="t. In BGV it is the plaintext modulus, so that the result is a·P^-1 modulo t; otherwise it is 1.",
        group="Bases", metavar="T",
    )] = 1  # fmt: skip
    threads: Annotated[int, THREADS] = 0

    divides = True
    scaled = False

    @property
    def goals(self) -> tuple[int, ...]:
        """The moduli of the result."""
        return self.moduli[: -self.drop]

    @property
    def sources(self) -> tuple[int, ...]:
        """The divisors."""
        return self.moduli[-self.drop :]

    @property
    def divisor(self) -> int:
        """P."""
        return prod(self.sources)

    @property
    def positive(self) -> bool:
        """Whether r is not negative."""
        return self.method == "fast"

    @property
    def stem(self) -> str:
        """The name without its target."""
        method = f"_{self.method}" * (self.method != "corrected")
        return f"moddown{len(self.moduli)}to{len(self.goals)}_{self.bits}b{method}"


def check_moddown(spec: ModDownSpec) -> None:
    """Check a request.

    Raises:
        MomagenError: there is no such kernel: moduli that share factors or are too long, even divisors of the method
            "exact", another number of divisors, a scale or a plaintext modulus out of range, a target of another
            language, or threads in CUDA.
    """
    if not 1 <= spec.drop < len(spec.moduli):
        raise MomagenError(f"from 1 to {len(spec.moduli) - 1} of the {len(spec.moduli)} moduli", spec.drop, "drop")
    check_basis(spec.moduli, "moduli", odd=False)
    check_basis(spec.sources, "divisors", odd=spec.exact)
    check(spec, (*LIMITS, limit_of_sources("drop")))
    if spec.corrected and spec.drop > MOST_MODULI:
        raise MomagenError(f"at most {MOST_MODULI} divisors with method corrected", spec.drop, "drop")
    if not 1 <= spec.scale < 1 << LONGEST:
        raise MomagenError(f"a number from 1 to 2^{LONGEST} - 1", spec.scale, "scale")
    t = spec.plaintext_modulus
    if not 1 <= t < 1 << LONGEST or gcd(t, spec.divisor) > 1:
        expected = f"a number from 1 to 2^{LONGEST} - 1 that shares no factor with the divisors"
        raise MomagenError(expected, t, "plaintext_modulus")


class ModDownKind(RowsKind):
    """Divisions by the product of the last moduli of an RNS basis."""

    name = "moddown"
    title = TITLES[name]
    request = ModDownSpec
    sample = MappingProxyType({"moduli": 5, "drop": 2, "modulus_bits": 50})
    examples = ("moddown --moduli 6 --drop 2 --modulus-bits 50",)
    manual = """
    Build a kernel that divides by the product P of the last ``drop`` moduli: the ModDown of key switching.

    The result is (s·a - t·r)/P modulo all other moduli, where r is congruent to s·a/t modulo P. The rows of a are
    residues of coefficients, not of values.

    Returns:
        The kernel. ``k(x)`` maps residues of shape (…, moduli, n) to residues of shape (…, moduli - drop, n).

    Raises:
        MomagenError: The moduli or a number are out of range, t shares a factor with P, or the target does not support
            the kernel or threads.

    Examples:
        >>> import momagen as mg
        >>> k = mg.moddown([193, 257, 97, 101], drop=2)
        >>> a = 7 * 97 * 101 + 1
        >>> k([[a % q] for q in k.moduli])
        [[7], [7]]
    """

    def check(self, request: ModDownSpec) -> None:
        """Check the moduli and the factors."""
        check_moddown(request)

    def describe(self, request: ModDownSpec) -> str:
        """Return what the kernel computes, in words."""
        return f"division by the product of the last moduli of an RNS basis, method {request.method}"

    def numbers(self, request: ModDownSpec) -> Mapping[str, int]:
        """Return the number of divisors, and the factors s and t."""
        return {"drop": request.drop, "s": request.scale, "t": request.plaintext_modulus}

    def device_arrays(self, request: ModDownSpec) -> Sequence[Sequence[int]]:
        """Return the moduli, and s and t as arrays of one word."""
        return [request.moduli, [request.scale], [request.plaintext_modulus]]

    def lowering(self, request: ModDownSpec) -> RowsLowering:
        """Return how a kernel is lowered."""
        return LOWERING

    def interface(self, request: ModDownSpec) -> RowsInterface:
        """Return the C interface."""
        return moddown_interface(request)

    def reversed(self, request: ModDownSpec) -> None:
        """Return None, because the last moduli of a basis satisfy more conditions than the others."""
        return

    def define(self, request: ModDownSpec, column: Sequence[mpz]) -> Column:
        """Return the residues of (s·a - t·r)/P for one number a; the method "fast" does not reduce r modulo P."""
        s, t, divisor = request.scale, request.plaintext_modulus, product_of(request.sources)
        dropped = zip(column[-request.drop :], request.sources, strict=True)
        u, r = divmod(number_of([x * s * invert(t, p) % p for x, p in dropped], request.sources), divisor)
        is_fast = request.method == "fast"
        r += divisor * (u if is_fast else -(2 * r > divisor))
        quotient = (number_of(column, request.moduli) % product_of(request.moduli) * s - t * r) // divisor
        is_guaranteed = not request.corrected or divisor - 2 * abs(r) > divisor >> MARGIN - 1
        multiples = [(u - v) * t for v in range(request.drop)] if is_fast else (0,)
        return Column([int(quotient % q) for q in request.goals], is_guaranteed, multiples)

    def edge_columns(self, request: ModDownSpec) -> Mapping[str, Sequence[int]]:
        """Return the residues of numbers at which rounding changes: those for which s·a/t modulo P is next to P/2."""
        whole, divisor, s = prod(request.moduli), request.divisor, request.scale
        half, unit = divisor // 2, request.plaintext_modulus * (pow(s, -1, divisor) if gcd(s, divisor) == 1 else 1)
        return residues_of({
            "0": 0, "1": 1, "P": divisor, "P - 1": divisor - 1, "s·a/t = ⌊P/2⌋": half * unit % divisor,
            "s·a/t = ⌊P/2⌋ + 1": (half + 1) * unit % divisor, "Q·P - 1": whole - 1, "⌊Q·P/2⌋": whole // 2,
        }, request.moduli)  # fmt: skip


ModDownSpec.kind = register(ModDownKind())
