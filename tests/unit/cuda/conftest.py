"""A stand-in for CuPy, which runs the PTX of kernels on the CPU."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest
from support.cupy_standin import stand_cupy

from momagen.cuda import gpu


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The stand-in, in CuPy's place."""
    found = stand_cupy()
    monkeypatch.setitem(sys.modules, "cupy", found)
    monkeypatch.setattr(gpu, "nvrtc_version", lambda: None)  # so that CuPy compiles: a cubin runs on no CPU
    gpu.find_cupy.cache_clear()
    yield found
    gpu.find_cupy.cache_clear()
