"""HE operators on kernels: exactly what their definitions say modulo Q, and close enough to plain complex numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from types import SimpleNamespace
from typing import Any

import gmpy2
import numpy as np
import pytest

from momagen.errors import MomagenError

jax = pytest.importorskip("jax", reason="JAX is missing")

from momagen.he import Ciphertext, Ckks, HeParameters, preset  # noqa: E402
from momagen.he.counts import counts  # noqa: E402
from momagen.he.encoding import centred, embed, slots_of  # noqa: E402
from momagen.he.kernels import RnsKernels, places  # noqa: E402
from momagen.he.keys import uniform  # noqa: E402
from momagen.he.operators import (  # noqa: E402
    added,
    galois,
    multiplied,
    multiplied_plain,
    rescaled,
    rotated,
    subtracted,
    tensor,
)  # fmt: skip
from momagen.he.switching import accumulated, divided, raised, switched  # noqa: E402

Polynomial = list[int]


@pytest.fixture(scope="module")
def scheme() -> Ckks:
    """Small, and with kernels called one by one: what is compiled serves all tests."""
    return Ckks(preset("small"), seed=5, compiled=False)


@pytest.fixture(scope="module")
def tiny() -> Any:
    """Kernels and parameters alone, with approximate digits: no keys."""
    return SimpleNamespace(kernels=RnsKernels(32), parameters=HeParameters(32, 4, 28, 2, approximate=True))


def numbers(scheme: Ckks, seed: int) -> Any:
    """Complex numbers whose parts are from -1 to 1."""
    rng, slots = np.random.default_rng(seed), scheme.parameters.slots
    return rng.uniform(-1, 1, slots) + 1j * rng.uniform(-1, 1, slots)


def coefficients(scheme: Ckks, values: Any, moduli: tuple[int, ...]) -> Polynomial:
    """Integers around 0 of a polynomial in values."""
    return centred(scheme.kernels.intt(values, moduli), moduli)


def around_zero(a: int, q: int) -> int:
    """The representative of a modulo q in (-q/2, q/2)."""
    return a % q - q * (2 * (a % q) > q)


def divide(x: Polynomial, d: int, q: int) -> Polynomial:
    """Rounded to nearest, modulo q."""
    return [around_zero((a - around_zero(a, d)) // d, q) for a in x]


def product(x: Polynomial, y: Polynomial) -> Polynomial:
    """Of integers modulo x^N + 1, as one product of long numbers."""
    n, width = len(x), max(a.bit_length() for a in x) + max(a.bit_length() for a in y) + len(x).bit_length() + 2

    def packed(z: Polynomial) -> Any:
        high = gmpy2.pack([max(a, 0) for a in z], width)
        return high - gmpy2.pack([max(-a, 0) for a in z], width)

    shift = gmpy2.pack([1 << (width - 1)] * (2 * n), width)  # all coefficients above 0
    found = gmpy2.unpack(packed(x) * packed(y) + shift, width)
    signed = [int(a) - (1 << (width - 1)) for a in found[: 2 * n]]
    return [low - high for low, high in zip(signed[:n], signed[n:], strict=True)]


def random_parts(scheme: Ckks, count: int, limbs: int, seed: int) -> Any:
    """Uniform polynomials, (count, limbs, N)."""
    rng, p = np.random.default_rng(seed), scheme.parameters
    return jax.numpy.stack([uniform(rng, p.moduli[:limbs], p.degree) for _ in range(count)])


def test_product_of_the_tests_is_the_definition() -> None:
    right = [5 - (-2 * 8 + 3 * -7 + 4 * 6), 6 - 10 - (24 - 28), -7 - 12 + 15 - 32, 8 + 14 + 18 + 20]
    assert product([1, -2, 3, 4], [5, 6, -7, 8]) == right


def test_integers_come_back_from_residues() -> None:
    moduli, given = (97, 101, 103), [0, 1, -1, 504545, -504545, 77]
    residues = np.array([[a % q for a in given] for q in moduli])
    assert centred(residues, moduli) == given


def test_slots_are_values_at_powers_of_five() -> None:
    a = np.random.default_rng(1).normal(size=16)
    zeta = np.exp(1j * np.pi / 16)
    right = [sum(a[j] * zeta ** (j * pow(5, k, 32)) for j in range(16)) for k in range(8)]
    assert np.allclose(slots_of(a, 16), right) and np.allclose(embed(slots_of(a, 16), 16), a)


@pytest.mark.thorough
def test_automorphisms_are_permutations_of_values(scheme: Ckks) -> None:
    p, values = scheme.parameters, random_parts(scheme, 1, 4, 2)[0]
    given = coefficients(scheme, values, p.moduli)
    for g in (5, galois(p.degree, 7), 2 * p.degree - 1):
        right = [0] * p.degree
        for j, a in enumerate(given):
            turns, place = divmod(j * g, p.degree)
            right[place] = a * (-1) ** turns
        moved = scheme.kernels.permute(values, places(p.degree, g))
        assert coefficients(scheme, moved, p.moduli) == right
        folded = scheme.kernels.intt(values, p.moduli, scheme.kernels.turn(g, p.moduli))
        assert centred(folded, p.moduli) == right


@pytest.mark.thorough
@pytest.mark.parametrize("name", [pytest.param("scheme", marks=pytest.mark.slow), "tiny"])
def test_a_folded_automorphism_changes_no_bit_of_a_rotation(name: str, request: pytest.FixtureRequest) -> None:
    """As if both polynomials moved before the keys are switched, also where digits are approximate."""
    scheme = request.getfixturevalue(name)
    p, k, g = scheme.parameters, scheme.kernels, galois(scheme.parameters.degree, 3)
    x, rng = random_parts(scheme, 2, 4, 12), np.random.default_rng(13)
    pairs = [[uniform(rng, p.moduli + p.auxiliary, p.degree) for _ in range(2)] for _ in p.parts(4)]
    key = jax.numpy.stack([jax.numpy.stack(pair) for pair in pairs])
    moved = k.permute(x, places(p.degree, g))
    right = switched(k, p, moved[1], key)
    got = rotated(k, p, x, k.turn(g, p.moduli), key)
    assert (got[0] == k.add(moved[0], right[0], p.moduli)).all() and (got[1] == right[1]).all()


def test_tensor_product_is_exact(scheme: Ckks) -> None:
    p, whole = scheme.parameters, prod(scheme.parameters.moduli)
    x, y = (random_parts(scheme, 2, 4, seed) for seed in (3, 4))
    (x0, x1), (y0, y1) = ([coefficients(scheme, part, p.moduli) for part in z] for z in (x, y))
    middle = [a + b for a, b in zip(product(x0, y1), product(x1, y0), strict=True)]
    for got, right in zip(tensor(scheme.kernels, p, x, y), (product(x0, y0), middle, product(x1, y1)), strict=True):
        assert coefficients(scheme, got, p.moduli) == [around_zero(a, whole) for a in right]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "dropped"), [("scheme", 1), ("tiny", 2)])
def test_rescaling_rounds_to_nearest(name: str, dropped: int, request: pytest.FixtureRequest) -> None:
    scheme = request.getfixturevalue(name)
    p, x = scheme.parameters, random_parts(scheme, 2, 4, 6)
    kept, lost = p.moduli[:-dropped], p.moduli[-dropped:]
    for before, after in zip(x, rescaled(scheme.kernels, p, x, dropped), strict=True):
        right = divide(coefficients(scheme, before, p.moduli), prod(lost), prod(kept))
        assert coefficients(scheme, after, kept) == right


@pytest.mark.thorough
@pytest.mark.parametrize("limbs", [pytest.param(4, marks=pytest.mark.slow), 3])
def test_key_switching_adds_digits_times_errors_and_nothing_else(scheme: Ckks, limbs: int) -> None:
    p, k, keys = scheme.parameters, scheme.kernels, scheme.keys
    left, lift = p.moduli[:limbs] + p.auxiliary, prod(p.auxiliary)
    key = keys.relinearisation()
    own, cut = (jax.numpy.concatenate([z[..., :limbs, :], z[..., p.limbs :, :]], axis=-2) for z in (keys.secret, key))
    t = k.multiply(own, own, left)
    s = [int(a) for a in keys.coefficients]
    square = product(s, s)
    noises = []
    for (low, high), (b, a) in zip(p.parts(limbs), cut, strict=True):
        gadget = k.scale(t, [lift * (low <= at < high) for at in range(len(left))], left)
        hidden = k.add(b, k.multiply(a, own, left), left)
        noises.append(coefficients(scheme, k.subtract(hidden, gadget, left), left))
        assert max(map(abs, noises[-1])) < 8 * 3.2, "errors are small"
    d = random_parts(scheme, 1, limbs, 7)[0]
    given = coefficients(scheme, d, p.moduli[:limbs])
    total = accumulated(k, p, raised(k, p, d), key)
    got = coefficients(scheme, k.add(total[0], k.multiply(total[1], own, left), left), left)
    right = [lift * a for a in product(given, square)]
    for (low, high), noise in zip(p.parts(limbs), noises, strict=True):
        digit = [around_zero(a, prod(p.moduli[low:high])) for a in given]
        right = [a + b for a, b in zip(right, product(digit, noise), strict=True)]
    inside = prod(left)
    assert got == [around_zero(a, inside) for a in right]
    for before, after in zip(total, divided(k, total, left, limbs), strict=True):
        q = prod(p.moduli[:limbs])
        assert coefficients(scheme, after, p.moduli[:limbs]) == divide(coefficients(scheme, before, left), lift, q)
    measured = scheme.phase(divided(k, total, left, limbs))
    exact = product(given, square)
    off = [around_zero(a - b, prod(p.moduli[:limbs])) for a, b in zip(measured, exact, strict=True)]
    slots, bound = np.abs(slots_of(np.array(off, dtype=float), p.degree)).max(), scheme.bounds.switching(limbs)
    print(f"switching at {limbs} limbs: noise {slots:.0f}, bound {bound:.0f}")
    assert 0 < slots < bound


def test_approximate_digits_are_congruent_and_not_much_longer(tiny: Any) -> None:
    p = tiny.parameters
    d = random_parts(tiny, 1, 4, 8)[0]
    given, basis = coefficients(tiny, d, p.moduli), p.moduli + p.auxiliary
    for (low, high), row in zip(p.parts(4), raised(tiny.kernels, p, d), strict=True):
        own = prod(p.moduli[low:high])
        for digit, a in zip(coefficients(tiny, row, basis), given, strict=True):
            assert (digit - a) % own == 0 and 0 <= digit < (high - low) * own


def check(scheme: Ckks, name: str, x: Ciphertext, right: Any) -> None:
    """Print the error and its bound, and compare."""
    error = float(np.abs(scheme.decrypt(x) - right).max())
    print(f"{name}: {x.limbs} limbs, error 2^{np.log2(error):.1f}, bound 2^{np.log2(x.error):.1f}")
    assert error < x.error < 0.05


@pytest.mark.thorough
def test_operators_compute_with_numbers(scheme: Ckks) -> None:
    z, w = numbers(scheme, 1), numbers(scheme, 2)
    x, y = scheme.encrypt(z), scheme.encrypt(w)
    check(scheme, "encrypt", x, z)
    check(scheme, "add", scheme.add(x, y), z + w)
    check(scheme, "subtract", scheme.subtract(x, y), z - w)
    check(scheme, "multiply", product_of := scheme.multiply(x, y), z * w)
    check(scheme, "rescale", scheme.rescale(product_of), z * w)
    check(scheme, "multiply by numbers", scheme.rescale(scheme.multiply_plain(x, w)), z * w)
    for steps in (1, -3):
        check(scheme, f"rotate by {steps}", scheme.rotate(x, steps), np.roll(z, -steps))


@pytest.mark.thorough
def test_counts_are_those_of_runs(scheme: Ckks) -> None:
    p, k = scheme.parameters, scheme.kernels
    x, key = random_parts(scheme, 2, 4, 9), scheme.keys.relinearisation()
    turns = {limbs: k.turn(5, p.moduli[:limbs]) for limbs in (3, 4)}
    small = jax.ShapeDtypeStruct((2, 3, p.degree), x.dtype)

    def apart(run: Callable[[Any], Any], given: Any) -> None:
        run(given)

    for name, run in {
        "add": lambda z: added(k, p, z, z), "subtract": lambda z: subtracted(k, p, z, z),
        "multiply": lambda z: multiplied(k, p, z, z, key),
        "rescale": lambda z: rescaled(k, p, z), "rescale two": lambda z: rescaled(k, p, z, 2),
        "rotate": lambda z: rotated(k, p, z, turns[z.shape[1]], key),
        "plain": lambda z: multiplied_plain(k, p, z, z[0]),
    }.items():  # fmt: skip
        for given, how in ((x, apart), (small, jax.eval_shape)):
            k.calls.clear()
            how(run, given)
            assert +k.calls == +counts(name, p, given.shape[1]), name


def test_operators_are_traced_by_a_function_of_the_user(tiny: Any) -> None:
    p, k = tiny.parameters, tiny.kernels
    x, y = (random_parts(tiny, 2, 4, seed) for seed in (10, 11))
    once = jax.jit(lambda x, y: k.ntt(added(k, p, x, y)[:, :2], p.moduli[:2]))
    assert (once(x, y) == k.ntt(added(k, p, x, y)[:, :2], p.moduli[:2])).all()


def test_bad_input_is_one_line(scheme: Ckks) -> None:
    x = scheme.encrypt(numbers(scheme, 3))
    for call, text in {
        (lambda: scheme.encrypt([1, 2])): "z: expected 512 complex numbers, got an array of shape (2,)",
        (lambda: scheme.encrypt([np.inf] * 512)): "z: some numbers are infinite or NaN",
        (lambda: scheme.encrypt([1e18] * 512)): "z: expected numbers below 2^62/2.68435e+08, so that scaled",
        (lambda: scheme.rescale(x, 4)): "rescale: expected from 1 to 3 limbs, got 4",
        (lambda: scheme.drop(x, 5)): "drop: expected from 1 to 4 limbs, got 5",
        (lambda: scheme.drop(x, 1)): "scale: the message times its scale, 2^28.5, exceeds half",
        (lambda: scheme.add(x, scheme.drop(x, 3))): "y: expected 4 limbs, like x, got 3 (use `drop`",
        (lambda: scheme.add(x, replace(x, scale=2.0**27))): "y: expected the scale of x, 2^28.00, got 2^27.00",
        (lambda: scheme.multiply(y := replace(x, scale=2.0**60), y)): "scale: the message times its scale, 2^121.0",
        (lambda: Ckks(preset("small"), scale=2.0**63)): "scale: expected a scale from 1 to 2^62",
    }.items():
        with pytest.raises(MomagenError) as error:
            call()
        assert str(error.value).startswith(text)


@pytest.mark.slow
@pytest.mark.parametrize("approximate", [False, True])
def test_set_a_to_depth_two(approximate: bool) -> None:
    scheme = Ckks(preset("A", approximate=approximate), seed=1)
    z, w, v = (numbers(scheme, seed) for seed in (1, 2, 3))
    x, y, u = scheme.encrypt(z), scheme.encrypt(w), scheme.encrypt(v)
    check(scheme, "encrypt", x, z)
    first = scheme.rescale(scheme.multiply(x, y))
    check(scheme, "depth 1", first, z * w)
    check(scheme, "rotated", turned := scheme.rotate(first, 5), np.roll(z * w, -5))
    total = scheme.add(first, turned)
    second = scheme.rescale(scheme.multiply(total, scheme.drop(u, 3)))
    check(scheme, "depth 2", second, (z * w + np.roll(z * w, -5)) * v)
    assert second.limbs == 2


@pytest.mark.slow
def test_set_a_rescales_by_two_limbs() -> None:
    scheme = Ckks(preset("A"), seed=2, scale=2.0**50)
    z, w = numbers(scheme, 4), numbers(scheme, 5)
    found = scheme.rescale(scheme.multiply(scheme.encrypt(z), scheme.encrypt(w)), 2)
    check(scheme, "two limbs", found, z * w)
    assert found.limbs == 2


@pytest.mark.slow
def test_109_bits_with_the_auxiliary_limb_reach_depth_two() -> None:
    p = preset("A109")
    assert p.log_qp < 109
    scheme = Ckks(p, seed=4)
    z, w = numbers(scheme, 6) / 4, numbers(scheme, 7) / 4
    x, y = scheme.encrypt(z), scheme.encrypt(w)
    first = scheme.rescale(scheme.multiply(x, y))
    second = scheme.rescale(scheme.multiply(first, scheme.drop(x, 2)))
    check(scheme, "109 bits", second, z * w * z)
    assert second.limbs == 1


@pytest.mark.slow
def test_set_b_multiplies_and_rotates() -> None:
    scheme = Ckks(preset("B"), seed=3)
    z, w = numbers(scheme, 6), numbers(scheme, 7)
    found = scheme.rotate(scheme.rescale(scheme.multiply(scheme.encrypt(z), scheme.encrypt(w))), 1)
    check(scheme, "B", found, np.roll(z * w, -1))
