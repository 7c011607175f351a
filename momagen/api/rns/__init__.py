"""Kernels in C on the rows of a basis, and what users call for them."""

from __future__ import annotations

from .kernels import RowsConversion, RowsKernel, RowsRescale, rescale

__all__ = ["RowsConversion", "RowsKernel", "RowsRescale", "rescale"]
