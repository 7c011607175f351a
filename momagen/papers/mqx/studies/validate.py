"""Validation of proxies: kernels with an instruction that CPUs have, compared with kernels with a proxy in its place.

The relative error is (t_target - t_proxy) / t_target. If it is negative, the proxy underestimates the speed
(MQX paper, Equation 12, Tables 5 and 6).
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
    """A target that is treated as if it lacked an instruction.

    Attributes:
        target: The name of this target, which uses the proxy.
        truth: The name of the target that has the instruction.
        instruction: The intrinsic of the instruction.
        proxy: The intrinsic of the proxy.
        intel: The error in Table 6 on the Xeon 8352Y, in per cent.
        amd: The error in Table 6 on the EPYC 9654, in per cent.
    """

    target: str
    truth: str
    instruction: str
    proxy: str
    intel: float
    amd: float
    """The errors in Table 6 on the Xeon 8352Y (``intel``) and on the EPYC 9654 (``amd``), in per cent."""


PAIRS = (
    Pair("pisa_mul", "avx2_words", "_mm256_mul_epu32", "_mm256_mullo_epi32", 3.23, 2.64),
    Pair("pisa_maskadd", "avx512dq", "_mm512_mask_add_epi64", "_mm512_add_epi64", -7.68, 5.25),
    Pair("pisa_masksub", "avx512dq", "_mm512_mask_sub_epi64", "_mm512_sub_epi64", -4.30, 1.27),
)


@dataclass(frozen=True)
class ProxyError:
    """The relative errors of one pair.

    Attributes:
        pair: The pair.
        errors: The errors in per cent, by quantity. Those of cycles are computed round by round, if this CPU
            runs both kernels.
    """

    pair: Pair
    errors: dict[str, Spread]

    def data(self) -> dict[str, object]:
        """Return the errors as plain data for JSON."""
        return {**vars(self.pair), "errors": {what: vars(found) for what, found in self.errors.items()}}


def validate(
    asked: Asked, n: int, progress: Progress, pairs: Sequence[Pair] = PAIRS, once: Once[Measured] = afresh
) -> list[ProxyError]:
    """Return the error of every pair on a transform of n points.

    Args:
        asked: How the kernels are measured; its targets and cases are replaced.
        n: The number of points.
        progress: A function that reports progress.
        pairs: The pairs.
        once: A function that returns the known measurement of a pair, or measures it.
    """
    case = Workload("ntt", BITS, n)
    found = []
    for at, pair in enumerate(pairs):
        one = asked._replace(targets=targets_named((pair.truth, pair.target)), cases=[case])
        measure = partial(compare, one, part_of(progress, at, len(pairs)))
        truth, proxy = once(f"{case}: {pair.target}", measure)
        found.append(ProxyError(pair, errors(truth, proxy)))
    return found


def errors(truth: Measured, proxy: Measured) -> dict[str, Spread]:
    """Return the errors in per cent, by quantity."""
    own, other = quantities(truth), quantities(proxy)
    return {
        what: spread([100 * (t - p) / t for t, p in zip(own[what], other[what], strict=True)])
        for what in own if what in other
    }  # fmt: skip
