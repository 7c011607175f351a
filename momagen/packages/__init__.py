"""CMake projects that contain a library of kernels."""

from __future__ import annotations

from .package import Package, largest_size, render, whole

__all__ = ["Package", "largest_size", "render", "whole"]
