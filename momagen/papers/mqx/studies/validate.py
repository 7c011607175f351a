"""Proxies tried where the truth is known: kernels with an instruction that CPUs have, and with a proxy in its place.

The relative error is (t_target - t_proxy) / t_target: below zero the proxy promises too little (MQX paper, Equation 12,
Tables 5 and 6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from momagen.bench.measure.sample import Spread, spread
from momagen.bench.report.kept import Once, afresh
from momagen.isa.compare.workload import Asked, Measured, Workload, compare, quantities, targets_named
from momagen.screen.progress import Report as Progress
from momagen.screen.progress import part_of

BITS, POINTS = 124, 1 << 14


@dataclass(frozen=True)
class Pair:
    """A target that pretends to lack an instruction; ``truth`` is the one that has it."""

    target: str
    truth: str
    instruction: str
    proxy: str
    intel: float
    amd: float
    """Per cent in Table 6, on Xeon 8352Y and EPYC 9654."""


PAIRS = (
    Pair("pisa_mul", "avx2_words", "_mm256_mul_epu32", "_mm256_mullo_epi32", 3.23, 2.64),
    Pair("pisa_maskadd", "avx512dq", "_mm512_mask_add_epi64", "_mm512_add_epi64", -7.68, 5.25),
    Pair("pisa_masksub", "avx512dq", "_mm512_mask_sub_epi64", "_mm512_sub_epi64", -4.30, 1.27),
)


@dataclass(frozen=True)
class ProxyError:
    """Of one pair the relative error in per cent, by quantity: cycles round by round where this CPU runs both."""

    pair: Pair
    errors: dict[str, Spread]

    def data(self) -> dict[str, object]:
        """For JSON."""
        return {**vars(self.pair), "errors": {what: vars(found) for what, found in self.errors.items()}}


def validate(
    asked: Asked, n: int, progress: Progress, pairs: Sequence[Pair] = PAIRS, once: Once[Measured] = afresh
) -> list[ProxyError]:
    """Return the error of every pair on a transform of n points; ``asked`` has other targets and cases than they."""
    case = Workload("ntt", BITS, n)
    found = []
    for at, pair in enumerate(pairs):
        one = asked._replace(targets=targets_named((pair.truth, pair.target)), cases=[case])
        measure = partial(compare, one, part_of(progress, at, len(pairs)))
        truth, proxy = once(f"{case}: {pair.target}", measure)
        found.append(ProxyError(pair, errors(truth, proxy)))
    return found


def errors(truth: Measured, proxy: Measured) -> dict[str, Spread]:
    """In per cent, by quantity."""
    own, other = quantities(truth), quantities(proxy)
    return {
        what: spread([100 * (t - p) / t for t, p in zip(own[what], other[what], strict=True)])
        for what in own if what in other
    }  # fmt: skip
