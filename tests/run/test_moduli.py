"""Which moduli a build serves: the same in C and in Python, and for products the same as for transforms."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from itertools import combinations
from math import gcd
from pathlib import Path

import gmpy2
import numpy as np
import pytest
from support.oracle import points, values

import momagen as mg
from momagen.emit import generate
from momagen.emit.codes import Refused
from momagen.errors import MomagenError
from momagen.kinds.modular.lists import BLAS
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.sizes import check_size
from momagen.params import check_order, from_words, known_fields, to_words
from momagen.runtime.call import compile_kernel
from momagen.runtime.native import in_c

WIDTHS = (*range(8, 129), 190, 252, 255, 381, 500, 753, 1020)
FACTORS = ({}, {"input_factor": "2", "output_factor": "2"})


@pytest.mark.sampled(90)
@pytest.mark.parametrize("target", [*map(str, in_c())])
@pytest.mark.parametrize("width", WIDTHS)
def test_products_serve_every_shorter_modulus(width: int, target: str) -> None:
    """As transforms on words do: of the full length, of one bit and of a few bits less, of half, of two."""
    rng = random.Random(f"{width} {target}")
    options = rng.choice(FACTORS[: 1 + (width % 64 > 0)])
    spec = make_spec("vmul", modulus=(1 << width) - 1, target=target, options=options)
    kernel, taken = compile_kernel(generate(spec)), spec.ranges.input
    for length in sorted({2, (width + 1) // 2, width - 5, width - 1, width} - {0, 1}):
        q = rng.getrandbits(length) | 1 << length - 1 | 1
        given = [[taken * q - 1, 0, q - 1, *(rng.randrange(taken * q) for _ in range(147))] for _ in "xy"]
        x, y = (to_words(values, spec.row) for values in given)
        z = np.empty_like(x)
        kernel.plan(q, 0).execute(z, x, y, count=len(x))
        found = from_words(z)
        assert [value % q for value in found] == [a * b % q for a, b in zip(*given, strict=True)]
        assert max(found) < spec.ranges.output * q


def test_the_chain_of_a_product_has_one_width() -> None:
    """An RNS basis: transforms and products of one build for primes of other lengths."""
    n, rng = 64, random.Random(1)
    forward, inverse = mg.ntt(n, bits=64, negacyclic=True), mg.ntt(n, bits=64, negacyclic=True, inverse=True)
    product = mg.blas("vmul", bits=64)
    for bits in (55, 40, 20):
        q = next(q for q in range((1 << bits) - 2 * n + 1, 0, -2 * n) if gmpy2.is_prime(q))
        f, i, p = (kernel.with_modulus(q) for kernel in (forward, inverse, product))
        assert (f.compiled, i.root, p.modulus, p.spec.width) == (forward.compiled, f.root, q, 60)
        x, y = ([rng.randrange(q) for _ in range(n)] for _ in range(2))
        right = [sum(x[j] * y[k - j] * (1 if j <= k else -1) for j in range(n)) % q for k in range(n)]
        assert i(p(f(x), f(y))) == right
        assert p.verify().ok


def test_a_kernel_for_a_shorter_modulus_is_saved_and_loaded(tmp_path: Path) -> None:
    made = mg.blas("vmul", bits=128).with_modulus(2**61 - 1)
    again = mg.load(made.save(tmp_path))
    assert (again.modulus, again.words, again.name) == (2**61 - 1, 2, made.name)
    assert again([3, 2**60], [5, 2]) == [15, 1]


@pytest.mark.parametrize("negacyclic", [False, True])
def test_python_takes_the_roots_that_c_takes(negacyclic: bool) -> None:
    """Every root modulo small odd numbers: those whose powers differ by units, as transforms need."""
    build, order = compile_kernel(generate(make_spec("ntt", n=4, modulus=449, negacyclic=negacyclic))), 4 << negacyclic
    seen = set()
    for q in (*range(3, 100, 2), 17 * 17):
        for root in range(q):
            powers = [pow(root, i, q) for i in range(order)]
            right = root * powers[-1] % q == 1 and all(gcd(a - b, q) == 1 for a, b in combinations(powers, 2))
            asked = partial(make_spec, "ntt", n=4, modulus=q, root=root, negacyclic=negacyclic)
            assert (taken(partial(build.plan, q, root)), taken(asked)) == (right, right), (q, root)
            seen |= {(right, bool(gmpy2.is_prime(q)))}
    assert seen == {(right, prime) for right in (True, False) for prime in (True, False)}


def taken(make: Callable[[], object]) -> bool:
    try:
        make()
    except MomagenError as refused:
        assert not isinstance(refused, Refused) or refused.code == "BAD_ROOT"
        return False
    return True


@pytest.mark.parametrize("target", ["c", "c64", "avx2"])
def test_a_fermat_number_and_the_root_two(target: str) -> None:
    """q = 2^64 + 1 = 274177 · 67280421310721, where 2 has the order 128 (Schönhage and Strassen 1971)."""
    q, n, rng = 2**64 + 1, 64, random.Random(target)
    kernels = [mg.ntt(n, modulus=q, root=2, negacyclic=True, inverse=back, target=target) for back in (False, True)]
    x = [rng.randrange(q) for _ in range(n)]
    y = values(x, points(n, q, 2, negacyclic=True), q)
    assert kernels[0](x) == y and kernels[1](y) == x
    assert all(kernel.verify().ok for kernel in kernels)


@pytest.mark.parametrize("name", known_fields())
def test_a_known_field_has_the_transforms_that_its_two_adicity_says(name: str) -> None:
    """And one point more is refused; every elementwise kernel there is."""
    field = known_fields()[name]
    assert all(make_spec(kind, modulus=field.modulus).modulus == field.modulus for kind in BLAS)
    for negacyclic in (False, True):
        most = min(field.two_adicity - negacyclic, 26)
        for log_n in (most, most + 1):
            n = 1 << max(log_n, 0)
            ask = partial(check_order, n, field.modulus, negacyclic), partial(check_size, n)
            assert all(map(taken, ask)) == (1 <= log_n <= most), (negacyclic, n)


def test_a_generator_needs_a_prime() -> None:
    with pytest.raises(MomagenError, match=r"is composite, and momagen finds roots of unity only modulo a prime"):
        mg.ntt(4, modulus=65, generator=2)


def test_elementwise_kernels_take_composite_moduli() -> None:
    q = 3**40
    assert mg.blas("vmul", modulus=q)([q - 1, 3**39], [q - 1, 3]) == [1, 0]
    assert mg.blas("axpy", modulus=q)(3, [3**39], [7]) == [7]
