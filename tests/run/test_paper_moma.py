"""The instruction counts for the MoMA paper: stored ones are current, and files like the artefact's are counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from momagen.cuda.nvrtc import nvrtc_version
from momagen.cuda.places import program
from momagen.papers.moma import PAPER
from momagen.papers.moma.instructions import BITS, OWN, _own, _theirs

LIKE_THE_ARTEFACT = """\
#include <stdint.h>

void init() {
    /* host code */
}

__global__ void ker_code0(uint64_t *X, uint64_t *Y) {
    Y[threadIdx.x] = X[threadIdx.x];
}

__global__ void ker_code1(uint64_t *X, uint64_t *Y, int *count) {
    #pragma unroll 1
    for (int i = 0; i < 32; i++)
        Y[32 * i + threadIdx.x] = (uint64_t)(((uint128_t)X[32 * i + threadIdx.x] * 12345678987654321u) >> 64);
}

__global__ void ker_code2(uint64_t *X, uint64_t *Y) {
    Y[threadIdx.x] = 2 * X[threadIdx.x];
}
"""


@pytest.fixture(autouse=True)
def tools() -> None:
    if nvrtc_version() is None:
        pytest.skip("no NVRTC (python3 -m pip install nvidia-cuda-nvrtc)")
    if program("nvdisasm") is None:
        pytest.skip("no nvdisasm (python3 -m pip install nvidia-cuda-nvdisasm)")


@pytest.mark.parametrize("name", OWN)
def test_stored_counts_are_current(name: str) -> None:
    (exhibit,) = PAPER.chosen(["instructions"])
    stored = next(row.points for row in exhibit.measured if row.what == name)
    found = _own(BITS[0], *OWN[name][0])
    assert abs(found.total - float(str(stored[str(BITS[0])]))) <= 2


def test_the_second_kernel_of_a_file_is_counted_without_loads_and_addresses(tmp_path: Path) -> None:
    path = tmp_path / "ntt16384x124_h100.cu"
    path.write_text(LIKE_THE_ARTEFACT, encoding="utf-8")
    found = _theirs(path)
    assert 3 <= found.wide <= found.total < 100 and found.picoseconds > 0
