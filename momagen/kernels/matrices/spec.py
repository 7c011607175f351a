"""What a user asks for: products with a constant matrix, and conversions between bases of moduli."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import gcd, prod

from momagen.errors import MomagenError, build_error
from momagen.kernels.requests.names.stem import named_for
from momagen.kernels.residues.arith import WIDE, Arith
from momagen.kernels.rns.format import LONGEST
from momagen.kernels.rns.methods import AUXILIARY, EVERYWHERE, MONTGOMERY, SHENOY_KUMARESAN, radix_of
from momagen.kernels.rns.quotients import MOST_MODULI
from momagen.languages import COMPILED, CUDA
from momagen.params.primes import MAX_MODULI
from momagen.targets import Target

from .targets import check_sources, check_threads

ON_ROWS = (COMPILED, CUDA)
"""The languages of kernels on the rows of a basis, which sum products before they are reduced."""
LARGEST, LARGEST_MATRIX = 1 << 15, 1 << 24
"""Terms of a row at most, and elements of a matrix."""


@dataclass(frozen=True)
class MatmulSpec:
    """Z = A·X modulo q: A of (rows, inner) is known when tables are made, X of (…, inner, columns) comes with a call.

    Attributes:
        bits: q is odd and below 2^bits. modulus: that it is verified with. engine: that is asked for; "": the cheapest.
        sparse: the matrix holds the digits of each element at every distance, nearly half of them zeros, not those of
            its multiples modulo q. sums: how sums of digits become residues: "montgomery", "barrett" or "folded".
    """

    rows: int
    inner: int
    bits: int
    modulus: int
    target: Target
    engine: str = ""
    sparse: bool = False
    sums: str = "montgomery"

    @property
    def arith(self) -> Arith:
        return Arith(self.bits, self.target.word)

    @property
    def name(self) -> str:
        """The module's file name."""
        ways = "_sparse" * self.sparse + f"_{self.sums}" * (self.sums != "montgomery")
        return named_for(f"matmul{self.rows}x{self.inner}_{self.bits}b{ways}", self.target)

    def command(self) -> str:
        """Return a command line that makes the same module. The module holds no matrix, so the command draws one."""
        words = ["momagen", "matmul", "--modulus", hex(self.modulus)]
        words += ["--rows", str(self.rows), "--inner", str(self.inner)]
        words += ["--sums", self.sums] * (self.sums != "montgomery") + ["--sparse"] * self.sparse
        return shlex.join([*words, *_engine_and_target(self)])


@dataclass(frozen=True)
class ConversionSpec:
    """Residues modulo each of ``goals`` of numbers that are known by residues modulo each of ``moduli``.

    Q is the product of ``moduli``, without the redundant modulus of a method that has one.

    Attributes:
        moduli: the source moduli. goals: the target moduli.
        target: the target of the request.
        method: "exact" and "corrected" convert numbers with -Q/2 < a < Q/2, "corrected" up to a margin at both ends.
            "shenoy-kumaresan" has a redundant modulus. "montgomery" is like "corrected", with a larger margin. "fast"
            converts 0 <= a < Q to a + u·Q with 0 <= u < len(moduli).
        engine: the engine for products on arrays; "": the cheapest.
        threads: the number of threads that a call uses at first; 0: the caller alone.
        positive: whether numbers of the methods other than "fast" are those with 0 <= a < Q.
        scaled: whether the result is not a but P·a/Q, rounded to the nearest integer (by "fast" up to len(moduli) below
            P·a/Q), where P is the product of ``goals``.
    """

    moduli: tuple[int, ...]
    goals: tuple[int, ...]
    target: Target
    method: str = "exact"
    engine: str = ""
    threads: int = 0
    positive: bool = False
    scaled: bool = False

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
    def exact(self) -> bool:
        """Whether the number itself is computed, by mixed radices."""
        return self.method == "exact"

    @property
    def corrected(self) -> bool:
        """Whether the multiple of Q is computed from rounded quotients."""
        return self.method == "corrected"

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

    @property
    def name(self) -> str:
        """The base name of its files."""
        return named_for(self.stem, self.target)

    def command(self) -> str:
        """Return the command line that makes this kernel."""
        words = ["momagen", "convert", *listed("moduli", self.moduli), *listed("to", self.goals)]
        words += ["--method", self.method] * (not self.exact) + ["--positive"] * self.positive
        words += ["--scaled"] * self.scaled
        words += ["--threads", str(self.threads)] * (self.threads > 0)
        return shlex.join([*words, *_engine_and_target(self)])


def _engine_and_target(spec: MatmulSpec | ConversionSpec) -> list[str]:
    return [*["--engine", spec.engine] * bool(spec.engine), "--target", str(spec.target)]


def listed(option: str, moduli: Sequence[int]) -> list[str]:
    """Return the arguments that list `moduli`; a comma after a single one says that it is no count."""
    return [f"--{option}", ",".join(map(hex, moduli)) + "," * (len(moduli) == 1)]


def check_matmul(spec: MatmulSpec) -> MatmulSpec:
    """``spec``, unless there is no such kernel.

    Raises:
        MomagenError: sizes out of range, an even modulus or one that is too long, a target without engines.
    """
    check_matrix(spec.rows, spec.inner)
    _check_modulus(spec.modulus, "modulus")
    _check_engines(spec.target)
    return spec


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


def check_conversion(spec: ConversionSpec) -> ConversionSpec:
    """Return ``spec``.

    Raises:
        MomagenError: there is no such kernel: no moduli, moduli that share a factor, even moduli of an exact conversion
            or of one on arrays, a method that the target lacks, or a target that has no conversions.
    """
    syntax = spec.target.syntax
    on_rows, compiled = syntax in ON_ROWS, syntax == COMPILED
    summed = on_rows and spec.bits <= LONGEST
    odd = not summed or spec.method == MONTGOMERY
    check_basis(spec.moduli, "moduli", odd=odd or spec.exact)
    if summed:
        check_moduli(spec.goals, "to", odd)
    else:
        check_basis(spec.goals, "to")
    special = spec.method not in EVERYWHERE
    if (special or spec.positive) and not summed:
        asked = f'`method="{spec.method}"`' if special else "`positive=True`"
        problem = f"{asked} is not available for a modulus of {spec.bits} bits on {spec.target}"
        remedy = f"use a target in C or CUDA and moduli of at most {LONGEST} bits"
        raise build_error(problem, "method" if special else "positive", remedy)
    if spec.method in AUXILIARY:
        _check_auxiliary(spec, compiled)
    if spec.scaled:
        _check_scaled(spec, compiled and summed)
    if spec.corrected and len(spec.moduli) > MOST_MODULI:
        raise MomagenError(f"at most {MOST_MODULI} moduli with method corrected", len(spec.moduli), "moduli")
    if spec.positive and spec.method == "fast":
        problem = '`positive=True` cannot be combined with `method="fast"`, whose numbers are never negative'
        raise build_error(problem, "positive", "omit `positive`")
    if on_rows and spec.engine:
        problem = f"`engine` does not apply to targets in C or CUDA such as {spec.target}"
        raise build_error(problem, "engine", 'omit `engine`, or use `target="jax"`')
    check_threads(spec.target, spec.threads)
    if not on_rows:
        _check_engines(spec.target)
    check_sources(spec.target, spec.method, len(spec.moduli), "moduli")
    return spec


def _check_scaled(spec: ConversionSpec, served: bool) -> None:
    """Reject scaling of positive numbers, on targets without it, and to moduli that share a factor with Q."""
    if not served:
        problem = f"`scaled=True` is not available for a modulus of {spec.bits} bits on {spec.target}"
        raise build_error(problem, "scaled", f"use a target in C and moduli of at most {LONGEST} bits")
    if spec.method in AUXILIARY:
        problem = f'`scaled=True` cannot be combined with `method="{spec.method}"`'
        raise build_error(problem, "scaled", "use the method exact, corrected or fast")
    if spec.positive:
        raise build_error("`scaled=True` cannot be combined with `positive=True`", "scaled", "use one of the two")
    for p in spec.goals:
        if gcd(p, spec.product) > 1:
            raise MomagenError("target moduli that are coprime to the source moduli", p, "to")


def _check_auxiliary(spec: ConversionSpec, compiled: bool) -> None:
    """Reject other targets than those in C, and an auxiliary modulus that does not exceed the number of the others."""
    if not compiled:
        problem = f'`method="{spec.method}"` is not available on {spec.target}'
        raise build_error(problem, "method", "use a target in C")
    if len(spec.base) < 1:
        raise MomagenError("at least two moduli, of which the last is redundant", len(spec.moduli), "moduli")
    if spec.auxiliary <= len(spec.base):  # 2^(bits - 1) exceeds the number of all odd moduli
        expected = f"a redundant modulus above {len(spec.base)}, the number of the other moduli"
        raise MomagenError(expected, spec.auxiliary, f"moduli[{len(spec.base)}]")


def check_basis(moduli: Sequence[int], name: str, odd: bool = True) -> None:
    """Reject moduli that share factors, even moduli if they must be ``odd``, and what :func:`check_moduli` rejects."""
    check_moduli(moduli, name, odd)
    _check_coprime(moduli, name)


def check_moduli(moduli: Sequence[int], name: str, odd: bool) -> None:
    """Reject too many moduli or none, moduli below 2, and even moduli if they must be ``odd``."""
    check = _check_modulus if odd else _check_any_modulus
    _check_number(moduli, name)
    for at, q in enumerate(moduli):
        check(q, f"{name}[{at}]")


def _check_number(moduli: Sequence[int], name: str) -> None:
    if not 1 <= len(moduli) <= MAX_MODULI:
        raise MomagenError(f"1 to {MAX_MODULI} moduli", len(moduli), name)


def _check_any_modulus(q: int, where: str) -> None:
    if q < 2:
        raise MomagenError("a number of at least 2", q, where)


def _check_modulus(q: int, where: str) -> None:
    if q < 3 or q % 2 == 0:
        raise MomagenError("an odd number of at least 3", q, where)


def _check_coprime(moduli: Sequence[int], name: str) -> None:
    for one, other in combinations(moduli, 2):
        if gcd(one, other) > 1:
            raise MomagenError("pairwise coprime moduli", f"{one} and {other}", name)


def _check_engines(target: Target) -> None:
    if not target.engine:
        raise MomagenError("a target with matrix engines, such as jax", target, "target")
