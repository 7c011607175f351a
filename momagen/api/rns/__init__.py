"""Kernels in C and CUDA on the rows of an RNS basis, and the functions that build them."""

from __future__ import annotations

from .kernels import RowsConversion, RowsKernel, RowsRescale, rescale
from .key_switching import KeySwitch, keyswitch
from .mod_down import ModDown, moddown

__all__ = [
    "KeySwitch", "ModDown", "RowsConversion", "RowsKernel", "RowsRescale", "keyswitch", "moddown", "rescale"
]  # fmt: skip
