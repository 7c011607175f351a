"""CROSS's three-step transforms modulo several primes, of ``ntt_mm``: cyclic, after a multiplication by powers of ψ."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np

from momagen.params.roots import primitive_root
from momagen.params.words import Words

from ..race import cross_code
from ..race.cross_transforms import TWISTED, jitted, powers, sides
from ..race.entries import JaxEntry, Maker
from ..race.problems import JaxProblem


def transforms(context: str, field: str, problem: JaxProblem) -> JaxEntry:
    """Return the contestant for a context of ``ntt_mm`` over a context of ``finite_field``."""
    its, basis, (r, c) = cross_code.load(), list(problem.moduli), sides(problem.n)
    parameters = {"r": r, "c": c, "finite_field_context": getattr(its.finite_field, field)(basis)}
    made = getattr(its.ntt_mm, context)(basis, parameters)
    factors = np.stack([powers(q, primitive_root(2 * problem.n, q), problem.n) for q in basis])
    twisted = problem.given[0] * factors % np.array(basis, np.uint64)[:, None]
    x = jnp.asarray(np.moveaxis(twisted, 1, 2).reshape(-1, r, c, len(basis)))
    x = made.to_computation_format(x).astype(jnp.uint32) if field == "MontgomeryContext" else x.astype(jnp.uint32)

    def result(found: Any) -> Words:
        whole = found.astype(jnp.uint64)
        back = made.to_original_format(whole) if field == "MontgomeryContext" else whole
        return np.asarray(back).astype(np.uint64).reshape(problem.expected.shape)

    return jitted(made.ntt, x, result, TWISTED)


LIMBS: dict[str, Maker] = {
    f"CROSS three-step, {field}": partial(transforms, f"NTTCiphertext{field}Context", f"{field}Context")
    for field in ("Barrett", "Montgomery")
}
