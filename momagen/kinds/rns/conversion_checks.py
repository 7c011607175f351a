"""Checks of requests for conversions from one RNS basis to another."""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from momagen.errors import MomagenError, build_error
from momagen.kernels.rns.format import LONGEST
from momagen.kernels.rns.methods import AUXILIARY, EVERYWHERE, MONTGOMERY
from momagen.kernels.rns.quotients import MOST_MODULI
from momagen.kinds.matmul import check_engines
from momagen.languages import COMPILED, CUDA

from .moduli import check_basis, check_moduli
from .targets import check_sources, check_threads

if TYPE_CHECKING:
    from .conversion import ConversionSpec

ON_ROWS = (COMPILED, CUDA)
"""The languages of kernels on the rows of a basis, which sum products before they are reduced."""


def check_conversion(spec: ConversionSpec) -> None:
    """Check a request.

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
        check_engines(spec.target)
    check_sources(spec.target, spec.method, len(spec.moduli), "moduli")


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
