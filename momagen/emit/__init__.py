"""The printers, which turn a specification into the source of a kernel in the language of its target.

:func:`generate` lowers the kernel to a program and returns a :class:`Source`. There is one subpackage or folder for
each language: C, CUDA C++, JAX, Python, and the assembly B512.
"""

from __future__ import annotations

from .kernel import generate
from .source import Source

__all__ = ["Source", "generate"]
