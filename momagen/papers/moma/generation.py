"""The time to generate transforms for the H100, which the paper's artefact appendix states in minutes."""

from __future__ import annotations

import time

import momagen as mg
from momagen.cuda.nvrtc import compile_cuda
from momagen.papers.series import Place, ResultSeries, Value
from momagen.screen.progress import Report

TARGET, ARCH = "cuda_sm90", "sm_90"
SIZES = {"1024 points, 256 bits": (1024, 256), "2^22 points, 768 bits": (1 << 22, 768)}


def measure(progress: Report) -> list[ResultSeries]:
    """Time the generation of CUDA source, and its compilation by NVRTC, which may have been earlier.

    Raises:
        MomagenError: NVRTC is missing.
    """
    generated: dict[Place, Value] = {}
    compiled: dict[Place, Value] = {}
    for at, (name, (n, bits)) in enumerate(SIZES.items()):
        progress(at / len(SIZES), name)
        began = time.perf_counter()
        source = mg.ntt(n, bits=bits, target=TARGET).source
        generated[name] = _minutes(time.perf_counter() - began)
        compiled[name] = _minutes(compile_cuda(source, ARCH).seconds)
    names = {"momagen, generation": generated, "momagen, compilation by NVRTC": compiled}
    return [ResultSeries(what, "minutes", points, "generation", "") for what, points in names.items()]


def _minutes(seconds: float) -> float:
    return float(f"{seconds / 60:.2g}")
