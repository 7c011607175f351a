"""Formats of sums of products of variables: no column overflows, whatever the lengths of moduli and digits."""

from __future__ import annotations

import pytest

from momagen.kernels.rns.product_format import LONGEST
from momagen.kernels.rns.products import product_format_of
from momagen.kernels.rns.three_columns import CarriedProducts
from momagen.kinds.rns.keyswitch import FACTORS
from momagen.targets import load_target


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("target", ["c", "c64", "avx2", "avx512", "avx512ifma", "mqx", "cuda_rows"])
def test_columns_hold_the_largest_sums(target: str, factor: int) -> None:
    for bits in range(2, 63):
        products = product_format_of(load_target(target), bits, factor)
        assert products.most > 0, bits
        if not products.form.real:
            word, tops = products.word, products.tops(products.most)
            assert max(tops) < 1 << (2 * word if products.wide else word), bits
            assert products.digit_top < 1 << word, bits


@pytest.mark.parametrize("factor", FACTORS)
def test_the_last_column_of_gpus_holds_what_all_folds_carry(factor: int) -> None:
    """No sum is reduced before its end: 2^cut times a number of one part is all that folds leave above the columns."""
    for bits in range(33, 63):
        products = product_format_of(load_target("cuda_rows"), bits, factor)
        assert isinstance(products, CarriedProducts)
        largest = LONGEST * products.digit_top * products.form.top
        assert largest >> products.cut < 1 << products.half, bits
        low, middle, high, _ = products.tops(0)
        assert low == middle == (1 << products.half) - 1 and high == (1 << products.third) - 1
