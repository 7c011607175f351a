"""A drop-in replacement for Intel HEXL: HEXL's C++ interface on a library of generated kernels.

:func:`package` generates the CMake project; ``save(folder)`` writes it.
"""

from __future__ import annotations

from .package import HexlPackage, package

__all__ = ["HexlPackage", "package"]
