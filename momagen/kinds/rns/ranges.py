"""The numbers that a conversion between RNS bases converts without an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from momagen.kernels.rns.methods import MONTGOMERY, SHENOY_KUMARESAN
from momagen.kernels.rns.quotients import MARGIN

if TYPE_CHECKING:
    from .conversion import ConversionSpec


def converted_range(spec: ConversionSpec) -> tuple[int, int]:
    """Return the smallest and the largest number whose conversion is correct.

    Outside of the range, but within ±Q/2 (or from 0 to Q - 1), the result may be off by Q. The method "fast" is correct
    up to a multiple of Q.
    """
    length = LENGTHS[spec.method](spec)
    return (0, length) if spec.positive or spec.method == "fast" else (-(length // 2), length // 2)


def _without_margin(spec: ConversionSpec) -> int:
    return spec.product - 1


def _with_margin(spec: ConversionSpec) -> int:
    return spec.product - 1 - (spec.product >> MARGIN - 1)


def _with_redundant_modulus(spec: ConversionSpec) -> int:
    """Return the length of a range whose quotients u are m successive integers, as y_i/q_i < 1 for all moduli."""
    return spec.product * (spec.auxiliary - len(spec.base))


def _divided_by_power_of_two(spec: ConversionSpec) -> int:
    """Return the length of a range whose multiples m·a are those of :func:`_with_redundant_modulus`."""
    return _with_redundant_modulus(spec) // spec.auxiliary


LENGTHS: dict[str, Callable[[ConversionSpec], int]] = {
    "exact": _without_margin, "fast": _without_margin, "corrected": _with_margin,
    SHENOY_KUMARESAN: _with_redundant_modulus, MONTGOMERY: _divided_by_power_of_two,
}  # fmt: skip
"""By method, the difference between the largest and the smallest number."""
