"""Formulas of element-wise kernels: nine shapes have a codelet, and all others are refused with their list."""

from __future__ import annotations

import pytest

from momagen.errors import MomagenError
from momagen.kernels.elementwise.blas import ElementwiseKernel, elementwise
from momagen.kernels.elementwise.frame import SHAPES
from momagen.kernels.residues.arith import Arith

TAKEN = {"x": 0, "x + 1": 0, "x - y": 0, "a·(x + y)": 0, "x·y": 0, "x·R": 64, "x·I": 64, "w + x·y": 64, "x·y + w": 0}
REFUSED = {"x·y + w·x": 0, "x·w": 0, "b·x": 0, "x + 2": 0, "x·R": 0, "x·I": 0, "x << 1": 0, "R": 64, "X": 0,
           "x·y if x < y otherwise x": 0}  # fmt: skip


def made(text: str, form: int) -> None:
    elementwise(ElementwiseKernel(text), Arith(60, 64), form=form)


@pytest.mark.parametrize("text", TAKEN)
def test_nine_shapes_have_a_codelet(text: str) -> None:
    made(text, TAKEN[text])


@pytest.mark.parametrize("text", REFUSED)
def test_other_formulas_are_refused_with_the_shapes(text: str) -> None:
    with pytest.raises(MomagenError, match="formula") as refused:
        made(text, REFUSED[text])
    assert all(shape in str(refused.value) for shape in SHAPES)
