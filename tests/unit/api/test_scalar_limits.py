"""Scalars at the limits of their ranges: q - 1 is taken and q is refused, in every form and by every kind of caller."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import momagen as mg
from momagen.errors import MomagenError
from momagen.params import to_words

pytestmark = pytest.mark.compiles

ONE, WIDE = 97, (1 << 100) - 15
TARGETS = ["c", "python", "cuda", "jax"]
FORMS: dict[str, Callable[[int, int], Any]] = {
    "an integer": lambda a, words: a,
    "words": lambda a, words: to_words([a], words)[0],
    "words in the other byte order": lambda a, words: to_words([a], words)[0].astype(">u8"),
}
needs_jax = pytest.mark.skipif(not importlib.util.find_spec("jax"), reason="no JAX")
targets = pytest.mark.parametrize("target", [pytest.param(t, marks=[needs_jax] * (t == "jax")) for t in TARGETS])


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(MomagenError) as caught:
        call()
    return str(caught.value)


@targets
@pytest.mark.parametrize("q", [ONE, WIDE])
def test_a_scalar_is_below_the_modulus(q: int, target: str) -> None:
    k = mg.blas("axpy", modulus=q, target=target)
    for name, form in FORMS.items():
        assert k(form(q - 1, k.words), [2, q - 1], [0, 1]) == [q - 2, 2], name
        assert refused(lambda form=form: k(form(q, k.words), [2], [0])) == (  # type: ignore[misc]
            f"a: expected residues below the modulus {q}, got {q}"
        ), name
    assert refused(lambda: k(-1, [2], [0])).startswith("a: expected residues below the modulus")


@targets
def test_scalars_of_several_moduli_are_below_their_own(target: str) -> None:
    k = mg.blas("axpy", moduli=(ONE, 101), target=target)
    x = np.ones((2, 3, 1), np.uint64)
    for scalars in ([96, 100], np.array([96, 100], np.uint64)):
        assert k(scalars, x, x).reshape(2, 3).tolist() == [[0] * 3, [0] * 3]
    for scalars in ([97, 100], np.array([97, 100], np.uint64)):
        assert "expected residues below the modulus 97, got 97" in refused(lambda s=scalars: k(s, x, x))  # type: ignore[misc]
    for scalars in ([96, 101], np.array([96, 101], np.uint64)):
        assert "expected residues below the modulus 101, got 101" in refused(lambda s=scalars: k(s, x, x))  # type: ignore[misc]


@needs_jax
@pytest.mark.parametrize("name", FORMS)
def test_scalars_beside_arrays_of_jax_are_checked(name: str) -> None:
    """The arrays' own numbers are not; before, a scalar in words was not, either."""
    import jax.numpy as jnp

    k, form = mg.blas("axpy", modulus=ONE, target="jax"), FORMS[name]
    x = jnp.full((3, 1), 2, jnp.uint32)
    assert np.asarray(k(form(ONE - 1, 1), x, x)).ravel().tolist() == [0, 0, 0]
    message = f"a: expected residues below the modulus {ONE}, got {ONE}"
    assert refused(lambda: k(form(ONE, 1), x, x)) == message


@needs_jax
def test_scalars_of_several_moduli_beside_arrays_of_jax_are_checked() -> None:
    import jax.numpy as jnp

    k, x = mg.blas("axpy", moduli=(ONE, 101), target="jax"), jnp.ones((2, 3, 1), jnp.uint32)
    assert not np.asarray(k([96, 100], x, x)).any()
    for scalars in ([97, 100], np.array([97, 100], np.uint64)):
        assert "expected residues below the modulus 97, got 97" in refused(lambda s=scalars: k(s, x, x))  # type: ignore[misc]


@pytest.mark.parametrize("target", ["c", "python"])
def test_a_bound_may_be_all_that_words_hold(target: str) -> None:
    k = mg.blas("cmpadd", modulus=ONE, target=target)
    assert k(2**64 - 1, 1, [5]) == [5]
    assert refused(lambda: k(2**64, 1, [5])) == f"bound: expected numbers below 2^64, got {2**64}"
    less = mg.blas("cmpsub", modulus=ONE, target=target)
    assert less(2, ONE - 1, [5]) == [6]
    assert refused(lambda: less(2, ONE, [5])) == f"diff: expected residues below the modulus {ONE}, got {ONE}"
