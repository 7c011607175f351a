"""Transforms on a coset of the roots of unity, on GPUs: PTX run on the CPU, against values of polynomials."""

from __future__ import annotations

import random

import pytest
from support.oracle import points, values

import momagen as mg
from momagen.cuda.nvrtc import nvrtc_version
from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.making.coset import coset_twiddle
from momagen.lower.kernels import lowered


@pytest.fixture
def nvrtc() -> None:
    if nvrtc_version() is None:
        pytest.skip("NVRTC is missing")


def on_coset(x: list[int], g: int, root: int, q: int) -> list[int]:
    """Return the values of the polynomial at g·root^brv(j)."""
    return values(x, [g * p % q for p in points(len(x), q, root)], q)


@pytest.mark.thorough
@pytest.mark.sampled(6)
@pytest.mark.parametrize("coset", [1, 7, (1 << 29) - 3])
@pytest.mark.parametrize("bits", [30, 32, 60, 124, 128, 254])
@pytest.mark.parametrize("n", [2, 4, 32])
def test_values_and_back(n: int, bits: int, coset: int, nvrtc: None) -> None:
    there = mg.ntt(n, modulus_bits=bits, coset=coset, target="cuda")
    q, rng = there.modulus, random.Random(bits)
    x = [[0, *(q - 1 for _ in range(n - 1))], [rng.randrange(q) for _ in range(n)]]
    y = there(x)
    assert y == [on_coset(each, coset, there.root, q) for each in x]
    back = mg.ntt(n, modulus=q, root=there.root, coset=coset, inverse=True, target="cuda")
    assert back(y) == x


@pytest.mark.thorough
@pytest.mark.sampled(2)
@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("options", [{"bits": 64}, {"modulus_bits": 60, "quotients": "computed"}], ids=str)
def test_verification_passes(options: dict[str, object], inverse: bool, nvrtc: None) -> None:
    """Modulo other primes through the same build; by the convolution theorem modulo x^n - 5^n, too."""
    n = 1024 if options == {"bits": 64} else 64
    report = mg.ntt(n, coset=5, inverse=inverse, target="cuda", **options).verify()  # type: ignore[arg-type]
    assert report.ok


def test_several_moduli(nvrtc: None) -> None:
    k = mg.ntt(16, moduli=2, modulus_bits=60, coset=3, target="cuda")
    x = [[i * i + 1 for i in range(16)]] * 2
    rows = zip(k.spec.basis, k.spec.roots, strict=True)
    assert k(x) == [on_coset(x[0], 3, root, q) for q, root in rows]


def test_a_modulus_that_divides_the_number_is_refused(nvrtc: None) -> None:
    """3·17 is 0 modulo 17, which is a modulus of the same build."""
    k = mg.ntt(2, modulus=251, coset=51, target="cuda", reduction="montgomery")
    assert k.compiled.plan(241, 240)
    with pytest.raises(MomagenError, match="17"):
        k.compiled.plan(17, 16)


def test_twiddles_by_those_of_the_negacyclic_transform() -> None:
    """v^(h(1 + 2k)) becomes g^h w^(hk): with g = v they are the same."""
    q, v = 97, 19  # of order 32
    assert pow(v, 16, q) == q - 1
    for exponent in range(32):
        doublings, rest = coset_twiddle(exponent)
        shift = 1 if doublings is None else pow(v, 1 << doublings, q)
        assert shift * pow(v * v, rest, q) % q == pow(v, exponent, q)


def test_no_multiplication_is_added() -> None:
    """As many operations, and tables as long, as the negacyclic transform has."""
    made = [lowered(make_spec("ntt", n=4096, bits=128, target="cuda", **kind)) for kind in
            ({"coset": 7}, {"negacyclic": True})]  # fmt: skip
    assert made[0].operations == made[1].operations
    assert made[0].program.tables == made[1].program.tables  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("asked", "where"),
    [
        ({"coset": 7, "target": "jax"}, "`coset` is not available on jax"), ({"coset": 7, "order": "natural"}, "order"),
        ({"coset": 7, "negacyclic": True}, "coset"), ({"coset": -7}, "coset"), ({"coset": 2**61}, "coset"),
        ({"coset": 7, "algorithm": "stockham"}, "algorithm"),
        ({"coset": 6, "modulus": 33, "root": 32, "n": 2}, "coset"),
    ],
    ids=str,
)  # fmt: skip
def test_what_has_no_coset_is_refused(asked: dict[str, object], where: str) -> None:
    with pytest.raises(MomagenError, match=where):
        mg.ntt(**{"n": 16, "bits": 64, "target": "cuda", **asked})  # type: ignore[arg-type]
