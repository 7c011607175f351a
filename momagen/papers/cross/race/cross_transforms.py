"""CROSS's transforms of one limb: the radix-2 one, from its lessons, and all its three-step ones.

The three-step ones are cyclic: their caller multiplies by powers of ψ. Unless a note says otherwise, this is done
beforehand and is not timed. The outputs equal those of momagen except for the order of rows and columns; reordering
is not timed either.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from momagen.params.words import Words

from . import cross_code
from .entries import JaxEntry, Maker, MissingContestant
from .problems import JaxProblem, reversal

TWISTED = "input times powers of ψ beforehand"


def powers(q: int, root: int, count: int) -> Words:
    """Return root^i modulo q < 2^32 for all i below ``count``, a power of two."""
    found = np.ones(1, np.uint64)
    while len(found) < count:
        found = np.concatenate([found, found * np.uint64(pow(root, len(found), q)) % np.uint64(q)])
    return found


def sides(n: int, rows: int = 0) -> tuple[int, int]:
    """Return the numbers of rows and columns: as square as possible, or at most ``rows`` rows."""
    r = min(rows, n // 2) if rows else 1 << (n.bit_length() - 1) // 2
    return r, n // r


def twisted(problem: JaxProblem) -> Words:
    """Return the input times powers of ψ, of shape (batch, n)."""
    q = np.uint64(problem.modulus)
    found: Words = problem.given[0][..., 0] * powers(problem.modulus, problem.root, problem.n) % q
    return found


def flat(found: Any, problem: JaxProblem) -> Words:
    """Return numbers in the shape of the problem: (batch, n, 1)."""
    return np.asarray(found).astype(np.uint64).reshape(problem.expected.shape)


def jitted(function: Any, x: Any, result: Any, note: str) -> JaxEntry:
    """Return a function of one array, compiled by jax.jit as in CROSS's own measurements."""
    run = jax.jit(function)
    return JaxEntry(lambda: run(x).block_until_ready(), result, note)


def radix_2(problem: JaxProblem) -> JaxEntry:
    """Return the contestant ``ntt_negacyclic_bit_reverse_jax``, with the tables of CROSS's generators."""
    its, q, n = cross_code.load(), problem.modulus, problem.n
    log, omega = n.bit_length() - 1, problem.root**2 % problem.modulus
    stages = []
    for stage in range(log):
        half = powers(q, pow(omega, n >> stage + 1, q), 1 << stage)
        stages.append(np.tile(np.concatenate([half, half]), n >> stage + 1))
    order, barrett = reversal(n), its.modular_reduction.barrett_control_generation_s_w(q)
    tables = [jnp.asarray(powers(q, problem.root, n)), jnp.asarray(np.stack(stages)), jnp.asarray(order)]

    def run(x: Any) -> Any:
        return its.ntt.ntt_negacyclic_bit_reverse_jax(x, q, problem.root, omega, *tables, *barrett, log)

    x = jnp.asarray(problem.given[0][..., 0].astype(np.uint32))
    return jitted(run, x, lambda found: flat(np.asarray(found)[:, order], problem), "")


def single(context: str, field: str, problem: JaxProblem) -> JaxEntry:
    """Return the contestant for a context of ``ntt_sm`` over a context of ``finite_field``."""
    its, q, (r, c) = cross_code.load(), problem.modulus, sides(problem.n)
    made = getattr(its.ntt_sm, context)(
        q, {"r": r, "c": c, "finite_field_context": getattr(its.finite_field, field)(q)}
    )
    x = jnp.asarray(twisted(problem).reshape(-1, r, c))
    if field == "ShoupContext":
        if problem.batch > 1:
            raise MissingContestant("takes one transform at a time")
        x = x[0]
    montgomery = field == "MontgomeryContext"
    x = (made.to_computation_format(x) if montgomery else x).astype(jnp.uint32)

    def result(found: Any) -> Words:
        return flat(made.to_original_format(found.astype(jnp.uint64)) if montgomery else found, problem)

    return jitted(made.ntt, x, result, TWISTED)


def several(problem: JaxProblem) -> JaxEntry:
    """Return the contestant ``ntt_mm``, which is for several moduli, with one modulus."""
    its, q, (r, c) = cross_code.load(), problem.modulus, sides(problem.n)
    parameters = {"r": r, "c": c, "finite_field_context": its.finite_field.BarrettContext([q])}
    made = its.ntt_mm.NTTCiphertextBarrettContext([q], parameters)
    x = jnp.asarray(twisted(problem).reshape(-1, r, c, 1).astype(np.uint32))
    return jitted(made.ntt, x, lambda found: flat(found, problem), TWISTED)


def lesson(rows: int, twist: bool, problem: JaxProblem) -> JaxEntry:
    """Return the contestant ``ntt_three_step_bat_barrett_batch``, whose sums are of type int32.

    Args:
        rows: The largest number of rows; 0: as square as possible.
        twist: Whether the multiplication by powers of ψ is timed.
        problem: The problem.
    """
    its, q, (r, c) = cross_code.load(), problem.modulus, sides(problem.n, rows)
    tables = its.ntt.ntt_three_step_bat_control_generation(q, r, c)
    barrett = its.modular_reduction.barrett_control_generation_s_w(q)
    factors = jnp.asarray(powers(q, problem.root, problem.n))

    def run(x: Any) -> Any:
        if twist:
            x = its.modular_reduction.barrett_reduction_u64(x.astype(jnp.uint64) * factors, q, *barrett)
        return its.ntt.ntt_three_step_bat_barrett_batch(x.reshape(-1, r, c), *tables, q, *barrett)

    def result(found: Any) -> Words:
        return flat(np.asarray(found)[:, reversal(r)][:, :, reversal(c)], problem)

    given = problem.given[0][..., 0] if twist else twisted(problem)
    note = f"{r} × {c}, " + ("powers of ψ timed" if twist else TWISTED)
    return jitted(run, jnp.asarray(given.astype(np.uint32)), result, note)


TRANSFORMS: dict[str, Maker] = {
    "CROSS radix-2": radix_2,
    "CROSS three-step, int32 sums": partial(lesson, 0, False),
    "CROSS three-step, int32 sums, with ψ": partial(lesson, 0, True),
    "CROSS three-step, int32 sums, 128 rows": partial(lesson, 128, False),
    "CROSS three-step, Barrett": partial(single, "NTTBarrettContext", "BarrettContext"),
    "CROSS three-step, Montgomery": partial(single, "NTTMontgomeryContext", "MontgomeryContext"),
    "CROSS three-step, BAT lazy": partial(single, "NTTBATLazyContext", "BATLazyContext"),
    "CROSS three-step, Shoup": partial(single, "NTTShoupContext", "ShoupContext"),
    "CROSS three-step, several moduli": several,
}
"""The transforms in every available form."""
