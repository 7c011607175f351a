"""Programs for a device in CUDA C++: kernels, and a host that launches them."""

from __future__ import annotations
