"""The vector instructions of conversions as compiled, against estimates by hand and against one another."""

from __future__ import annotations

import count_conversions
import pytest

from momagen.bench.x86.assembly import disassembler
from momagen.build import find_compiler
from momagen.kernels.spec.typed import ConversionMethod

MOST = 1.2
"""Times the estimate that a conversion takes at most."""
MOST_OF_FAST = 1.15
"""Times the uops of the method "fast" that another method takes at most."""


@pytest.mark.skipif(not disassembler(), reason="neither objdump nor llvm-objdump")
@pytest.mark.parametrize(("target", "bits"), count_conversions.ROWS)
def test_a_result_takes_little_more_than_was_estimated(target: str, bits: int) -> None:
    product, reduction, factor = count_conversions.ROWS[target, bits]
    sources, goals = count_conversions.SOURCES, count_conversions.GOALS
    estimate = sources * product + reduction + factor * sources / goals
    found = count_conversions.counted(target, bits, find_compiler())
    assert sources * product < found < MOST * estimate


@pytest.mark.skipif(not disassembler(), reason="neither objdump nor llvm-objdump")
@pytest.mark.sampled(2)
@pytest.mark.parametrize(("target", "bits"), count_conversions.ROWS)
@pytest.mark.parametrize("method", count_conversions.METHODS)
def test_a_multiple_of_the_product_takes_little_more_than_its_product(
    method: ConversionMethod, target: str, bits: int
) -> None:
    fast, found = (count_conversions.counted(target, bits, find_compiler(), each) for each in ("fast", method))
    assert 1 < found / fast < MOST_OF_FAST
