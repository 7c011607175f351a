"""Kernels for machines that differ from a shipped target in a few keys, where plans and programs were once wrong."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from pathlib import Path
from random import Random

import pytest
from gmpy2 import prev_prime
from support.oracle import result
from support.programs import interpreted
from support.rows import done, near, rows

from momagen.data import folder
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.rns.conversion import ConversionSpec
from momagen.tables import parse_toml
from momagen.targets import Target, load_target

Machines = Callable[[str, str], Target]

pytestmark = pytest.mark.whole


@pytest.fixture
def changed(tmp_path: Path) -> Machines:
    """A function that loads the target ``base``, changed by the lines of a target file."""

    def load(base: str, lines: str) -> Target:
        path = tmp_path / f"changed_{base}.toml"
        path.write_text(f'inherits = "{base}"\nname = "{path.stem}"\n{lines}', encoding="utf-8")
        return load_target(str(path))

    return load


def with_lanes(base: str, lanes: int) -> str:
    """Return the lines for another number of lanes, without the permutations of ``base``, which name its lanes."""
    raw = parse_toml((folder("targets") / f"{base}.toml").read_text(encoding="utf-8"), "a target file", base)
    lost = "\n".join(f"{name} = false" for name in raw["permutes"])
    return f'lanes = {lanes}\n[ops]\nperm2 = "x"\n[moves]\nlanes = "x"\n[permutes]\n{lost}\n'


def converts(machine: Target, bits: int) -> bool:
    """Return whether conversions from three primes of ``bits`` bits to a fourth one and to 97 are exact."""
    largest = [prime := int(prev_prime(1 << bits)), *(prime := int(prev_prime(prime)) for _ in range(3))]
    moduli, goals = tuple(largest[:3]), (largest[3], 97)
    numbers, whole = near(prod(moduli)), prod(moduli)
    expected = rows([a - whole * (a > whole // 2) for a in numbers], goals)
    return done(ConversionSpec(moduli, goals, machine), numbers) == expected


def transforms(machine: Target, n: int, bits: int, *, inverse: bool) -> bool:
    """Return whether a transform has the results of its definition, and every value is in its range."""
    spec = make_spec("ntt", n=n, modulus_bits=bits, target=str(machine), inverse=inverse)
    some = Random(f"{n} {bits}")
    xs = [some.choice((0, spec.modulus - 1, some.randrange(spec.modulus))) for _ in range(n)]
    return interpreted(spec, spec.root, xs) == result(spec, xs)


@pytest.mark.parametrize("bits", [42, 56, 57, 60])
def test_two_limbs_that_hold_no_product_are_not_chosen(bits: int, changed: Machines) -> None:
    """Limbs of 43 bits: from 57 bits on, two of them cannot hold a sum with one product."""
    assert converts(changed("avx512ifma", "digit = 43\n"), bits)


@pytest.mark.parametrize("base", ["avx2", "avx512"])
@pytest.mark.parametrize("bits", [30, 58])
def test_groups_of_columns_may_be_longer_than_usual_blocks(bits: int, base: str, changed: Machines) -> None:
    """Four vectors of 64 lanes are a group of 256 columns."""
    assert converts(changed(base, with_lanes(base, 64)), bits)


@pytest.mark.parametrize("inverse", [False, True])
def test_tiles_of_doubles_may_have_fewer_vectors_than_lanes(inverse: bool, changed: Machines) -> None:
    """With 16 registers, a tile has 8 vectors; the four levels across 16 lanes then take two steps."""
    assert transforms(changed("avx2", with_lanes("avx2", 16)), 256, 31, inverse=inverse)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize(("base", "bits"), [("avx2", 14), ("avx512", 14), ("avx512_words16", 13), ("avx2_words32", 28)])
@pytest.mark.parametrize("missing", ["plus", "minus", "sal"])
def test_machines_without_sums_of_signed_values(
    missing: str, base: str, bits: int, inverse: bool, changed: Machines
) -> None:
    """Register-blocked passes need all three operations; without them, the transform uses full-radix limbs."""
    words = "real = 0\n" if load_target(base).real else ""
    assert transforms(changed(base, f"{words}[ops]\n{missing} = false\n"), 64, bits, inverse=inverse)


@pytest.mark.parametrize("n", [2, 8])
@pytest.mark.parametrize(("base", "bits"), [("avx2_words16", 13), ("avx2_words32", 28)])
def test_short_transforms_next_to_vectors_without_high_products(
    base: str, bits: int, n: int, changed: Machines
) -> None:
    """The scalar code multiplies half words, too."""
    assert transforms(changed(base, "[ops]\nmulhi = false\n"), n, bits, inverse=False)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize(("target", "bits"), [("avx512", 60), ("avx512ifma", 45), ("avx2_words32", 28)])
def test_values_of_either_sign_have_their_ranges(target: str, bits: int, inverse: bool) -> None:
    """Register-blocked passes load and store signed values, and the interpreter checks each against its range."""
    assert transforms(load_target(target), 256, bits, inverse=inverse)
