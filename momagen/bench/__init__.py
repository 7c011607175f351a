"""Measuring: the stopwatch, interleaved samples, kernels, and the suite of bars behind ``momagen bench``."""

from __future__ import annotations

from momagen.bench.measure.kernel import Result, bench_kernel

__all__ = ["Result", "bench_kernel"]
