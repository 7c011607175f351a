"""The printer of programs for GPUs in CUDA C++: kernels, and the host code that launches them."""

from __future__ import annotations
