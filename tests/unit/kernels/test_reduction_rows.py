"""The rows of ``rules/reductions.toml``: their operations exist, and widths choose the first scheme that fits."""

from __future__ import annotations

import pytest

from momagen.errors import MomagenError
from momagen.ir import OPS
from momagen.kernels.residues.arith import Arith
from momagen.kernels.residues.reductions import REDUCTIONS, REQUESTED, SCHEMES


@pytest.mark.parametrize("name", REDUCTIONS)
def test_a_row_names_operations(name: str) -> None:
    row = REDUCTIONS[name]
    found = [row.table, row.product, *(f"{each}{row.butterfly}" for each in ("butterfly", "inverse_butterfly"))]
    assert {*found} <= OPS.keys() and {*row.counts} <= {"product", "butterfly"}
    assert row.chooser in ("width", "option", "machine") and row.room & row.room - 1 == 0


def test_the_width_chooses_the_first_scheme_that_fits() -> None:
    """Words of 64 bits hold 2^(64 - bits) multiples of q, and a residue of one word omits nothing of a quotient."""
    assert SCHEMES == ("approximate", "lazy", "tight", "montgomery")
    assert [Arith(bits).kind for bits in (124, 125, 126, 127, 128)] == ["approximate", *SCHEMES]
    assert [Arith(bits).kind for bits in (60, 62, 63, 64)] == ["lazy", *SCHEMES[1:]]


@pytest.mark.parametrize("name", [name for name, row in REQUESTED.items() if row.room > 1])
def test_a_scheme_is_refused_if_words_hold_too_few_multiples(name: str) -> None:
    bits = 128 - REQUESTED[name].room.bit_length() + 1
    assert Arith(bits, scheme=name).kind == name
    with pytest.raises(MomagenError, match=f"a modulus of at most {bits} bits for the reduction {name}"):
        _ = Arith(bits + 1, scheme=name).kind
