"""CMake projects around a library of kernels."""

from __future__ import annotations

from .package import Package, render, whole

__all__ = ["Package", "render", "whole"]
