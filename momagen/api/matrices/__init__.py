"""Kernels of constant matrices, and what users call for them."""

from __future__ import annotations

from .kernels import BasisConversion, MatrixKernel, MatrixProduct, convert, matmul

__all__ = ["BasisConversion", "MatrixKernel", "MatrixProduct", "convert", "matmul"]
