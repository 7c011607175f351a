"""Kernels for JAX that multiply by a constant matrix, and the functions that build them."""

from __future__ import annotations

from .kernels import BasisConversion, MatrixKernel, MatrixProduct, convert, matmul

__all__ = ["BasisConversion", "MatrixKernel", "MatrixProduct", "convert", "matmul"]
