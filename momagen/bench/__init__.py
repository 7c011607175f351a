"""The measurement of kernels: their times, and the benchmarks and acceptance tests of ``momagen bench``.

:func:`bench_kernel` times one kernel in interleaved samples and returns a :class:`Result`. The subpackage
``measure`` contains the clock and the sampling, ``suite`` the races and acceptance tests, ``report`` their
tables and plots, and ``x86`` the analysis of machine code.
"""

from __future__ import annotations

from momagen.bench.measure.kernel import Result, bench_kernel

__all__ = ["Result", "bench_kernel"]
