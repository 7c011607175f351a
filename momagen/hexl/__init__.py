"""A drop-in replacement for Intel HEXL: HEXL's C++ interface on a library of generated kernels."""

from __future__ import annotations

from .package import HexlPackage, package

__all__ = ["HexlPackage", "package"]
