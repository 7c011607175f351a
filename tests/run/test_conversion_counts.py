"""The vector instructions of conversions as compiled, against estimates by hand and against one another."""

from __future__ import annotations

import count_conversions
import pytest

from momagen.bench.x86.assembly import disassembler
from momagen.kinds.modular.typed import ConversionMethod
from momagen.runtime import find_compiler

MOST = 1.1
"""Times the estimate that a conversion takes at most."""
MOST_OF_FAST = 1.15
"""Times the uops of the method "fast" that another method takes at most."""


@pytest.mark.skipif(not disassembler(), reason="neither objdump nor llvm-objdump")
@pytest.mark.parametrize("method", count_conversions.ESTIMATED)
@pytest.mark.parametrize(("target", "bits"), count_conversions.ROWS)
def test_a_result_takes_little_more_than_was_estimated(target: str, bits: int, method: ConversionMethod) -> None:
    estimate = count_conversions.ROWS[target, bits]
    found = count_conversions.counted(target, bits, method, find_compiler())
    assert count_conversions.SOURCES * estimate.product < found < MOST * estimate.of(method)


@pytest.mark.skipif(not disassembler(), reason="neither objdump nor llvm-objdump")
@pytest.mark.sampled(2)
@pytest.mark.parametrize(("target", "bits"), count_conversions.ROWS)
@pytest.mark.parametrize("method", count_conversions.COMPARED)
def test_a_multiple_of_the_product_takes_little_more_than_its_product(
    method: ConversionMethod, target: str, bits: int
) -> None:
    fast, found = (count_conversions.counted(target, bits, each, find_compiler()) for each in ("fast", method))
    assert 1 < found / fast < MOST_OF_FAST
