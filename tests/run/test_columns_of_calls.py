"""The verification of kernels on rows calls them with few columns and with several blocks of columns, too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import momagen as mg
from momagen.verify.columns import COLUMNS, OTHERS, verify_columns

KERNELS = {
    "rescale": lambda: mg.rescale(3, modulus_bits=50),
    "keyswitch": lambda: mg.keyswitch(2, modulus_bits=50),
    "convert": lambda: mg.convert(3, to=2, modulus_bits=50),
}


@pytest.mark.parametrize("columns", [COLUMNS, *OTHERS])
@pytest.mark.parametrize("name", KERNELS)
def test_a_wrong_last_column_is_found(name: str, columns: int) -> None:
    """The kernel computes the last column incorrectly for exactly one number of columns."""
    kernel = KERNELS[name]()

    def wrong(*operands: Any) -> Any:
        result = np.array(kernel(*operands), object)
        if result.shape[-1] == columns:
            result[..., -1] += 1
        return result

    assert verify_columns(kernel.name, kernel, kernel.kind, kernel.spec).ok
    report = verify_columns(kernel.name, wrong, kernel.kind, kernel.spec)
    assert report.mismatch is not None and report.mismatch.vector == f"column {columns - 1}"
