"""Checks of requests for conversions from one RNS basis to another."""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from momagen.errors import MomagenError
from momagen.kernels.rns.format import LONGEST
from momagen.kernels.rns.methods import AUXILIARY, EVERYWHERE, MONTGOMERY
from momagen.kernels.rns.quotients import MOST_MODULI
from momagen.kinds.limits import Limit, check
from momagen.kinds.matmul import WITHOUT_ENGINES
from momagen.kinds.modular.making.limits import THREADS_IN_C
from momagen.languages import COMPILED, CUDA

from .moduli import check_basis, check_moduli
from .targets import limit_of_sources

if TYPE_CHECKING:
    from .conversion import ConversionSpec

ON_ROWS = (COMPILED, CUDA)
"""The languages of kernels on the rows of a basis, which sum products before they are reduced."""


def _of_sums(spec: ConversionSpec) -> tuple[str, ...]:
    """Return the argument that asks for sums of products which are reduced last, and its value; () for none."""
    if spec.method not in EVERYWHERE:
        return "method", f'"{spec.method}"'
    return ("positive", "True") if spec.positive else ()


def _is_summed(spec: ConversionSpec) -> bool:
    """Return whether a kernel sums products before it reduces them."""
    return spec.target.syntax in ON_ROWS and spec.bits <= LONGEST


LIMITS = (
    Limit(lambda spec: not _is_summed(spec) and _of_sums(spec), "{1[0]}",
          "`{1[0]}={1[1]}` is not available for a modulus of {0.bits} bits on {0.target}",
          f"use a target in C or CUDA and moduli of at most {LONGEST} bits"),
    Limit(lambda spec: spec.method in AUXILIARY and spec.target.syntax != COMPILED,
          "method", '`method="{0.method}"` is not available on {0.target}', "use a target in C"),
    Limit(lambda spec: spec.scaled and not (spec.target.syntax == COMPILED and _is_summed(spec)), "scaled",
          "`scaled=True` is not available for a modulus of {0.bits} bits on {0.target}",
          f"use a target in C and moduli of at most {LONGEST} bits"),
    Limit(lambda spec: spec.scaled and spec.method in AUXILIARY, "scaled",
          '`scaled=True` cannot be combined with `method="{0.method}"`', "use the method exact, corrected or fast"),
    Limit(lambda spec: spec.scaled and spec.positive,
          "scaled", "`scaled=True` cannot be combined with `positive=True`", "use one of the two"),
    Limit(lambda spec: spec.positive and spec.method == "fast", "positive",
          '`positive=True` cannot be combined with `method="fast"`, whose numbers are never negative',
          "omit `positive`"),
    Limit(lambda spec: spec.target.syntax in ON_ROWS and spec.engine, "engine",
          "`engine` does not apply to targets in C or CUDA such as {0.target}",
          'omit `engine`, or use `target="jax"`'),
    THREADS_IN_C,
    Limit(lambda spec: spec.target.syntax not in ON_ROWS and WITHOUT_ENGINES.applies(spec),
          WITHOUT_ENGINES.where, WITHOUT_ENGINES.problem, expected=WITHOUT_ENGINES.expected),
    limit_of_sources("moduli"),
)  # fmt: skip
"""What conversions lack."""


def check_conversion(spec: ConversionSpec) -> None:
    """Check a request.

    Raises:
        MomagenError: The moduli are invalid, or there is no such kernel for the target.
    """
    odd = not _is_summed(spec) or spec.method == MONTGOMERY
    check_basis(spec.moduli, "moduli", odd=odd or spec.exact)
    if _is_summed(spec):
        check_moduli(spec.goals, "to", odd)
    else:
        check_basis(spec.goals, "to")
    check(spec, LIMITS)
    if spec.method in AUXILIARY:
        _check_auxiliary(spec)
    if spec.scaled:
        _check_coprime(spec)
    if spec.corrected and len(spec.moduli) > MOST_MODULI:
        raise MomagenError(f"at most {MOST_MODULI} moduli with method corrected", len(spec.moduli), "moduli")


def _check_coprime(spec: ConversionSpec) -> None:
    """Check that no target modulus shares a factor with Q."""
    for p in spec.goals:
        if gcd(p, spec.product) > 1:
            raise MomagenError("target moduli that are coprime to the source moduli", p, "to")


def _check_auxiliary(spec: ConversionSpec) -> None:
    """Check that the auxiliary modulus exceeds the number of the others."""
    if len(spec.base) < 1:
        raise MomagenError("at least two moduli, of which the last is redundant", len(spec.moduli), "moduli")
    if spec.auxiliary <= len(spec.base):  # 2^(bits - 1) exceeds the number of all odd moduli
        expected = f"a redundant modulus above {len(spec.base)}, the number of the other moduli"
        raise MomagenError(expected, spec.auxiliary, f"moduli[{len(spec.base)}]")
