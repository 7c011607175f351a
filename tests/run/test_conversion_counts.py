"""The vector instructions of conversions as compiled, against estimates by hand."""

from __future__ import annotations

import count_conversions
import pytest

from momagen.bench.x86.assembly import disassembler
from momagen.build import find_compiler

MOST = 1.2
"""Times the estimate that a conversion takes at most."""


@pytest.mark.skipif(not disassembler(), reason="neither objdump nor llvm-objdump")
@pytest.mark.parametrize(("target", "bits"), count_conversions.ROWS)
def test_a_result_takes_little_more_than_was_estimated(target: str, bits: int) -> None:
    product, reduction, factor = count_conversions.ROWS[target, bits]
    sources, goals = count_conversions.SOURCES, count_conversions.GOALS
    estimate = sources * product + reduction + factor * sources / goals
    found = count_conversions.counted(target, bits, find_compiler())
    assert sources * product < found < MOST * estimate
