"""The printer of programs for a GPU in CUDA C++: kernels, and the host code that launches them."""

from __future__ import annotations
