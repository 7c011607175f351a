"""A package in the place of Intel HEXL: HEXL's C++ interface around a library of kernels."""

from __future__ import annotations

from .package import HexlPackage, package

__all__ = ["HexlPackage", "package"]
