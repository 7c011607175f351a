"""Conversions of residues from one RNS basis to another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

from gmpy2 import invert, mpz

from momagen.kernels.residues.arith import WIDE, Arith
from momagen.kernels.rns.format import LONGEST
from momagen.kernels.rns.methods import MONTGOMERY, SHENOY_KUMARESAN, radix_of
from momagen.kinds.columns import Column
from momagen.kinds.limits import Limit, check
from momagen.kinds.matmul import ENGINE
from momagen.kinds.modular.typed import ConversionMethod
from momagen.kinds.parameter import Param, ParameterRole
from momagen.kinds.registry import register
from momagen.kinds.titles import TITLES
from momagen.languages import JAX
from momagen.lazy import on_call
from momagen.targets import Target
from momagen.values.texts import flag, text

from .basis import MODULI, TARGET, THREADS, PrimesOfWidth, SummedSpec
from .conversion_checks import check_conversion
from .interfaces.conversion import conversion_interface
from .interfaces.interface import RowsInterface
from .numbers import number_of, product_of
from .ranges import converted_range
from .rows import SOURCES, EntryPoints, RowsKind, RowsLowering, convert_by_sums, sum_products

if TYPE_CHECKING:
    from momagen.emit import Source
    from momagen.lower.lowered import Lowered

conversion_source: Callable[..., Source] = on_call("momagen.emit.jax.products", "conversion_source")
convert_by_terms: Callable[..., Lowered] = on_call("momagen.lower.rns.kernels", "convert_by_terms")
BY_SUMS = RowsLowering(convert_by_sums, sum_products, EntryPoints(
    "sums_words", "sums_room", "set_conversion_by_sums", "run_conversion_by_sums"
))  # fmt: skip
BY_TERMS = RowsLowering(convert_by_terms, sum_products, EntryPoints(
    "conversion_words", "conversion_room", "set_conversion", "run_conversion"
))  # fmt: skip


@dataclass(frozen=True)
class ConversionSpec(SummedSpec):
    """Residues modulo each of ``goals`` of numbers that are known by residues modulo each of ``moduli``.

    Q is the product of ``moduli``, without the redundant modulus of a method that has one.

    Attributes:
        method: "exact" and "corrected" convert numbers with -Q/2 < a < Q/2, "corrected" up to a margin at both ends.
            "shenoy-kumaresan" has a redundant modulus. "montgomery" is like "corrected", with a larger margin. "fast"
            converts 0 <= a < Q to a + u·Q with 0 <= u < len(moduli).
        scaled: Whether the result is not a but P·a/Q, rounded to the nearest integer (by "fast" up to len(moduli) below
            P·a/Q), where P is the product of ``goals``.
    """

    moduli: Annotated[tuple[int, ...], replace(
        MODULI, help="source moduli; or COUNT: the COUNT largest primes of the width --modulus-bits", group="Bases",
        doc="The source moduli, pairwise coprime; or the number of the largest primes of ``modulus_bits`` bits. They"
        ' must be odd for the methods "exact" and "montgomery", and for targets other than C and CUDA.',
    )]  # fmt: skip
    goals: Annotated[tuple[int, ...], Param(
        "target moduli; or COUNT: the next COUNT primes of this width, in descending order",
        doc='The target moduli, from 2 on in C and CUDA (odd for the method "montgomery"), and odd and pairwise coprime'
        " elsewhere; or a number of primes, which are the next ones below those of ``moduli``.",
        group="Bases", metavar="P,…|COUNT", name="to",
    )]  # fmt: skip
    target: Annotated[Target, replace(
        TARGET,
        help="target in C with 64-bit words, native, cuda, or a target with matrix engines such as jax",
        doc='A C target with 64-bit words, "native" for the best of them on this CPU, a CUDA target such as "cuda", or'
        " a JAX target with engines, as in :func:`matmul`. In C, moduli have at most 64 bits, and lengths up to 62"
        " bits can be mixed; with a 63-bit modulus, every source modulus must be at most twice every target modulus,"
        " and with a 64-bit modulus at most equal to it. In CUDA, moduli have at most 62 bits, and there are at most"
        ' 64 source moduli (32 for the method "exact").',
    )]  # fmt: skip
    method: Annotated[ConversionMethod, Param(
        "how residues are converted; exact: with mixed radices (Garner), corrected: with floating-point quotients,"
        " shenoy-kumaresan: with the last of --moduli as a redundant modulus, montgomery: with a quotient modulo a"
        " power of two, fast: without a quotient, so that the result may differ by a multiple of the product of"
        " --moduli",
        doc="The method, from the table above.", group="Bases", accepts=ConversionMethod | None,
    )] = "exact"  # fmt: skip
    engine: Annotated[str, ENGINE] = ""
    threads: Annotated[int, THREADS] = 0
    positive: Annotated[bool, Param(
        "interpret residues as numbers from 0 to Q - 1 instead of numbers around 0",
        doc='Whether the numbers are 0 ≤ a < Q instead of -Q/2 < a < Q/2. "fast" always uses 0 ≤ a < Q. ``positive``'
        ' and the methods other than "exact" and "fast" require moduli of at most 62 bits and a target in C; CUDA'
        ' supports "corrected" and ``positive``, too.',
        group="Bases",
    )] = False  # fmt: skip
    scaled: Annotated[bool, Param(
        "convert round(P·a/Q) instead of a, where P is the product of --to and Q the product of --moduli",
        doc="Whether the result is P·a/Q, rounded to the nearest integer, where P is the product of ``to`` and coprime"
        " to Q. If ``to`` is [t] for the plaintext modulus t, this is the last step of BFV's decryption."
        ' "corrected" may round to the other side if P·a modulo Q is within Q/2^40 of Q/2; the result of "fast" is'
        ' less than P·a/Q by at most L. ``scaled`` requires the method "exact", "corrected" or "fast", a target in C,'
        " and moduli of at most 62 bits.",
        group="Bases",
    )] = False  # fmt: skip

    @property
    def bits(self) -> int:
        """Of the longest modulus."""
        return max(q.bit_length() for q in (*self.moduli, *self.goals))

    @property
    def arith(self) -> Arith:
        """Products by constants have Shoup's quotients at every width, which tables of several moduli hold."""
        arith = Arith(self.bits, self.target.word)
        return replace(arith, scheme=WIDE) if arith.room == 1 else arith

    @property
    def auxiliary(self) -> int:
        """The auxiliary modulus of a method that has one; otherwise 0."""
        if self.method == MONTGOMERY:
            return 1 << radix_of(self.bits)
        return self.moduli[-1] if self.method == SHENOY_KUMARESAN else 0

    @property
    def base(self) -> tuple[int, ...]:
        """The moduli whose product is Q."""
        return self.moduli[:-1] if self.method == SHENOY_KUMARESAN else self.moduli

    @property
    def product(self) -> int:
        """Q."""
        return prod(self.base)

    @property
    def stem(self) -> str:
        """The name without its target."""
        way = f"_{self.method.replace('-', '_')}" * (not self.exact) + "_positive" * self.positive
        way += "_scaled" * self.scaled
        return f"convert{len(self.moduli)}to{len(self.goals)}_{self.bits}b{way}"


@dataclass(frozen=True)
class ConversionShorthand(PrimesOfWidth):
    """The parameters of a conversion that determine others."""

    exact: Annotated[bool, Param(
        "select --method fast",
        doc='The method if ``method`` is None: "exact" if true, "fast" if false.', group="Bases",
        role=ParameterRole.SHORTHAND, flag="--approximate",
    )] = True  # fmt: skip


SHORTHANDS = (
    Limit(lambda values: values["method"] != "fast" and not values["exact"], "method",
          '`method="{0[method]}"` cannot be combined with exact=False (--approximate)', "use one of the two"),
)  # fmt: skip
"""The methods that ``exact`` excludes."""


def method_of(method: object, exact: object) -> object:
    """Return the method; ``exact`` selects between "exact" and "fast" if ``method`` is None.

    Raises:
        MomagenError: ``exact`` is neither true nor false, or is false although the method is not "fast".
    """
    usual = exact is None or flag(exact, "exact")
    if method is None:
        return "exact" if usual else "fast"
    check({"method": text(method, "method"), "exact": usual}, SHORTHANDS)
    return method


class ConversionKind(RowsKind):
    """Conversions of residues from one RNS basis to another."""

    name = "convert"
    title = TITLES[name]
    request, shorthand = ConversionSpec, ConversionShorthand
    sample = MappingProxyType({"moduli": 3, "to": 4, "modulus_bits": 50})
    examples = ("convert --moduli 3 --to 4 --modulus-bits 50", "convert --moduli 13,17 --to 19,23")
    manual = """
    Build a kernel that converts residues from one RNS basis to another (base conversion, base extension).

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
    sources = MappingProxyType({**SOURCES, JAX: conversion_source})

    def from_shorthand(self, values: dict[str, object]) -> Mapping[str, object]:
        """Return the values with the method that ``exact`` selects."""
        return {**values, "method": method_of(values.get("method"), values.get("exact"))}

    def check(self, request: ConversionSpec) -> None:
        """Check the moduli, and that the target supports the method."""
        check_conversion(request)

    def describe(self, request: ConversionSpec) -> str:
        """Return what the kernel computes, in words."""
        more = ", non-negative numbers" * request.positive + ", scaled and rounded" * request.scaled
        return f"conversion from one RNS basis to another, method {request.method}{more}"

    def bases(self, request: ConversionSpec) -> Sequence[Sequence[int]]:
        """Return the bases that ``create`` takes."""
        return [request.moduli, request.goals]

    def lowering(self, request: ConversionSpec) -> RowsLowering:
        """Return how a kernel is lowered: products are summed before they are reduced, except for long moduli."""
        return BY_TERMS if request.bits > LONGEST else BY_SUMS

    def interface(self, request: ConversionSpec) -> RowsInterface:
        """Return the C interface."""
        return conversion_interface(request)

    def reversed(self, request: ConversionSpec) -> ConversionSpec | None:
        """Return the request for both bases reversed, in which a redundant modulus stays the last one."""
        if request.bits > LONGEST:
            return None
        moduli = *request.base[::-1], *request.moduli[len(request.base) :]
        return replace(request, moduli=moduli, goals=request.goals[::-1])

    def define(self, request: ConversionSpec, column: Sequence[mpz]) -> Column:
        """Return the residues of one number a, or of P·a/Q, which is rounded by the remainder of P·a modulo Q.

        The method "fast" converts a + u·Q, where u = ⌊Σ y_i/q_i⌋ for the residues y_i of a·(Q/q_i)^-1 modulo q_i.
        """
        moduli, whole, scale = request.moduli, product_of(request.moduli), self._scale(request)
        u, a = divmod(number_of([x * scale % q for x, q in zip(column, moduli, strict=True)], moduli), whole)
        is_fast, step = request.method == "fast", -1 if request.scaled else whole
        a -= whole * (not is_fast and not request.positive and 2 * a > whole)
        low, high = converted_range(request)
        result = (scale * (number_of(column, moduli) % whole) - a) // whole if request.scaled else a
        result += u * step * is_fast
        multiples = [(v - u) * step for v in range(len(moduli))] if is_fast else (0,)
        return Column([int(result % p) for p in request.goals], low <= a <= high, multiples)

    def edge_columns(self, request: ConversionSpec) -> Mapping[str, Sequence[int]]:
        """Return columns at the ends of the range of numbers; with scaling, these are remainders of P·a modulo Q."""
        low, high = converted_range(request)
        numbers = {"0": 0, "1": 1, "the least": low, "the largest": high, "the largest - 1": high - 1,
                   "Q/4": request.product // 4}  # fmt: skip
        return {name: self._column(request, number) for name, number in numbers.items()}

    def random_column(self, request: ConversionSpec, rng: Random) -> Sequence[int]:
        """Return the column of a random number in the range."""
        low, high = converted_range(request)
        return self._column(request, rng.randrange(low, high + 1))

    def _column(self, request: ConversionSpec, number: int) -> list[int]:
        """Return the column of a number; with scaling, of the number a for which P·a modulo Q is ``number``."""
        inverse = invert(self._scale(request), product_of(request.moduli))
        return [int(number * inverse % q) for q in request.moduli]

    def _scale(self, request: ConversionSpec) -> mpz:
        """Return P for scaled conversions and 1 for others."""
        return mpz(prod(request.goals) if request.scaled else 1)


ConversionSpec.kind = register(ConversionKind())
