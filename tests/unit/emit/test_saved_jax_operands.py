"""Operands of modules for JAX that are used without momagen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import momagen as mg

pytest.importorskip("jax", reason="jax is in momagen[jax]")


def run(source: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    exec(compile(source, "saved.py", "exec"), found)
    return found


X = np.arange(8, dtype=np.uint32)
WRONG = [X, X.astype(np.uint64), list(range(8)), (X.astype(np.int32),), (X, X), (), None, 5, "x"]


def test_an_operand_that_is_no_tuple_of_words_is_refused() -> None:
    kernel = mg.ntt(8, modulus_bits=30, target="jax")
    names = run(kernel.source)
    tables = names["create"](kernel.modulus, kernel.root)
    for wrong in WRONG:
        with pytest.raises(TypeError, match="x: expected a tuple of 1 arrays of uint32, the low words first, got a"):
            names["execute"](tables, wrong)
    for wrong in (X[:4], X.reshape(8, 1), X[0]):
        with pytest.raises(ValueError, match=r"x: expected words of shape \(…, 8\), got \("):
            names["execute"](tables, (wrong,))
    (found,) = names["execute"](tables, (X,))
    assert found.tolist() == kernel([*range(8)])


def test_a_product_with_a_matrix_refuses_them_too() -> None:
    names = run(mg.matmul([[1, 2], [3, 4]], modulus=97).source)
    tables = names["create"](97, [[1, 2], [3, 4]])
    with pytest.raises(TypeError, match="x: expected a tuple of 1 arrays of uint32"):
        names["execute"](tables, X.reshape(2, 4))
    with pytest.raises(ValueError, match=r"x: expected words of shape \(…, 2, columns\), got \(8,\)"):
        names["execute"](tables, (X,))
    (found,) = names["execute"](tables, (X.reshape(2, 4),))
    assert found.tolist() == [[8, 11, 14, 17], [16, 23, 30, 37]]


@pytest.mark.parametrize(("wrong", "error"), [((X, X[:4]), TypeError), ((X[:4], X), TypeError)])
def test_each_vector_is_checked(wrong: tuple[Any, Any], error: type[Exception]) -> None:
    kernel = mg.blas("vadd", modulus_bits=30, target="jax")
    names = run(kernel.source)
    with pytest.raises(error, match="expected a tuple"):
        names["execute"](names["create"](kernel.modulus), *wrong)
