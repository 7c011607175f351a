"""CROSS's matrix products by BAT and its basis conversions, in every available form."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np

from momagen.params.words import Words

from . import cross_code
from .cross_transforms import jitted
from .entries import JaxEntry, Maker
from .problems import JaxProblem

LEFT, RIGHT = "the left matrix prepared", "the right matrix prepared"


def _product(problem: JaxProblem, multiply: Callable[..., Any], known: int, axes: int) -> JaxEntry:
    """Return a product of matrices by bytes of the known one, with a final reduction.

    Args:
        problem: The problem.
        multiply: The function of CROSS.
        known: The index of the known matrix.
        axes: The number of axes of the other matrix: 2, or 3 with a batch.
    """
    its, q = cross_code.load(), problem.modulus
    matrices = [jnp.asarray(each.astype(np.uint32)) for each in problem.given]
    table = its.bat.hpmatmul_offline_bat_deployment(matrices[known], q)
    barrett = its.modular_reduction.barrett_control_generation_s_w(q)

    def run(x: Any) -> Any:
        return its.modular_reduction.barrett_reduction_u64(multiply(its, x, table), q, *barrett)

    def result(found: Any) -> Words:
        return np.asarray(found).astype(np.uint64).reshape(problem.expected.shape)

    x = matrices[1 - known]
    return jitted(run, x[None] if axes == 3 else x, result, (LEFT, RIGHT)[known])


def left_int32(problem: JaxProblem) -> JaxEntry:
    """Return the contestant ``hpmatmul_bat_coef_lhs_batch``."""
    return _product(problem, lambda its, x, table: its.ntt.hpmatmul_bat_coef_lhs_batch(table, x), 0, 3)


def right_int32(problem: JaxProblem) -> JaxEntry:
    """Return the contestant ``hpmatmul_bat_coef_rhs_batch``."""
    return _product(problem, lambda its, x, table: its.ntt.hpmatmul_bat_coef_rhs_batch(x, table), 1, 3)


def left_uint32(problem: JaxProblem) -> JaxEntry:
    """Return the contestant ``matmul_bat_einsum``, called as in its test."""
    return _product(problem, lambda its, x, table: its.bat.matmul_bat_einsum(x, table, "nkq,mnpq->mkp"), 0, 2)


PRODUCTS: dict[str, Maker] = {
    "CROSS BAT, left, int32 sums": left_int32, "CROSS BAT, right, int32 sums": right_int32,
    "CROSS BAT, left, uint32 sums": left_uint32,
}  # fmt: skip


def conversion(field: str, method: str, problem: JaxProblem) -> JaxEntry:
    """Return the contestant for a method of a class of ``bconv``."""
    its, taken, made = cross_code.load(), len(problem.sources), len(problem.moduli)
    its_own = getattr(its.bconv, f"BConv{field}")([*problem.sources, *problem.moduli])
    its_own.control_gen([(list(range(taken)), list(range(taken, taken + made)))])
    x = its_own.ff_ctx_origin[0].to_computation_format(jnp.asarray(problem.given[0])[None]).astype(jnp.uint32)
    montgomery = field == "Montgomery"

    def result(found: Any) -> Words:
        back = its_own.ff_ctx_target[0].to_original_format(found.astype(jnp.uint64)) if montgomery else found
        return np.asarray(back).astype(np.uint64).reshape(problem.expected.shape)

    return jitted(getattr(its_own, method), x, result, "")


CONVERSIONS: dict[str, Maker] = {
    f"CROSS {field}{', BAT' * (method != 'basis_change')}": partial(conversion, field, method)
    for field in ("Barrett", "Montgomery", "Shoup", "BATLazy")
    for method in ("basis_change", "basis_change_bat")
}
