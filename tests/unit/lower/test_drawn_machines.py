"""Kernels for machines drawn at random, which planners and writers have never seen: programs equal the definitions.

The kinds are ``ntt``, ``polymul``, all element-wise kernels for any modulus, ``convert`` and ``rescale``. The machines
are scalar, or have vectors with words, integer limbs or floating-point limbs. Programs are interpreted.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import pytest
from gmpy2 import is_prime
from support.machines import machine_text
from support.oracle import elements, result
from support.programs import ElementsProgram, drawn, interpreted
from support.rows import done, near, rows

from momagen.kinds.modular.lists import ANY_MODULUS
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.rns.conversion import ConversionSpec
from momagen.kinds.rns.rescale import RescaleSpec
from momagen.targets import Target, load_target

MACHINES = 200
"""The number of machines."""
WIDTHS = (14, 20, 28, 31, 40, 50, 62, 64, 90, 128, 190, 252)
"""The widths of moduli in bits."""
SLOW = (32, 43, 55, 57, 58, 79)
"""Machines with words of 16 or 32 bits on which long moduli took more than 30 seconds in one test."""
SEEDS = [pytest.param(seed, marks=[pytest.mark.slow] * (seed in SLOW)) for seed in range(MACHINES)]
each_machine = pytest.mark.parametrize("seed", SEEDS)


@pytest.fixture
def machine(seed: int, tmp_path: Path) -> Target:
    path = tmp_path / f"machine{seed}.toml"
    path.write_text(machine_text(seed), encoding="utf-8")
    return load_target(str(path))


@cache
def primes(bits: int) -> tuple[int, ...]:
    """The four largest primes of ``bits`` bits."""
    found = (q for q in range((1 << bits) - 1, 1 << bits - 1, -2) if is_prime(q))
    return tuple(next(found) for _ in range(4))


@pytest.mark.sampled(30)
@each_machine
def test_transforms_of_several_sizes(seed: int, machine: Target) -> None:
    some = Random(f"transforms {seed}")
    for n in (2, some.choice((4, 8, 16)), some.choice((32, 64, 128)), *[256] * (machine.lanes > 8)):
        asked = {"inverse": some.random() < 0.5, "negacyclic": some.random() < 0.5}
        order = some.choice(("bitrev", "natural"))
        spec = make_spec("ntt", n=n, modulus_bits=some.choice(WIDTHS), target=str(machine), order=order, **asked)
        xs = [some.choice((0, spec.modulus - 1, some.randrange(spec.modulus))) for _ in range(n)]
        assert interpreted(spec, spec.root, xs) == result(spec, xs), spec


@pytest.mark.sampled(30)
@each_machine
def test_products_of_polynomials(seed: int, machine: Target) -> None:
    some = Random(f"products {seed}")
    n, bits, negacyclic = some.choice((4, 16, 64)), some.choice(WIDTHS), some.random() < 0.5
    spec = make_spec("polymul", n=n, modulus_bits=bits, target=str(machine), negacyclic=negacyclic)
    xs, ys = ([some.randrange(spec.modulus) for _ in range(n)] for _ in "xy")
    assert interpreted(spec, spec.root, xs, ys) == result(spec, xs, ys), spec


@pytest.mark.sampled(30)
@each_machine
def test_kernels_on_vectors(seed: int, machine: Target) -> None:
    some = Random(f"elements {seed}")
    for kind in some.sample(ANY_MODULUS, 3):
        spec = make_spec(kind, modulus=(1 << some.choice((5, *WIDTHS))) - 1, target=str(machine))
        program = ElementsProgram(spec)
        for q in (spec.modulus, some.getrandbits(spec.width - 2) | 5):
            operands = drawn(spec, q, some, 2 * spec.target.lanes + 3)
            assert [z % q for z in program(q, *operands)] == [z % q for z in elements(spec, q, *operands)], (spec, q)


@pytest.mark.sampled(30)
@each_machine
def test_conversions_and_divisions_of_rows(seed: int, machine: Target) -> None:
    if machine.word != 64:
        pytest.skip("kernels on rows of a basis have words of 64 bits")
    *basis, goal = primes(Random(f"rows {seed}").choice((12, 30, 45, 58, 61)))
    first, second, last = basis
    whole = first * second * last
    numbers = near(whole)
    converted = done(ConversionSpec((*basis,), (goal, 97), machine), numbers)
    assert converted == rows([a - whole * (a > whole // 2) for a in numbers], (goal, 97))
    divided = done(RescaleSpec((*basis,), machine), numbers)
    assert divided == rows([(a + last // 2) // last for a in numbers], (first, second))
