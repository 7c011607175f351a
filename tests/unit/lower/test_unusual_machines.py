"""Kernels for machines that differ from a shipped target in a few keys, where plans and programs were once wrong."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from pathlib import Path
from random import Random

import pytest
from gmpy2 import prev_prime
from support.oracle import elements, result
from support.programs import ElementsProgram, drawn, interpreted
from support.rows import done, near, rows

from momagen.data import folder
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.rns.conversion import ConversionSpec
from momagen.kinds.rns.rescale import RescaleSpec
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


def without(*ops: str) -> str:
    """Return the lines that remove operations."""
    return "[ops]\n" + "".join(f"{op} = false\n" for op in ops)


def largest_primes(bits: int, count: int) -> tuple[int, ...]:
    """Return the largest primes of ``bits`` bits."""
    prime = 1 << bits
    return tuple(prime := int(prev_prime(prime)) for _ in range(count))


def converts(machine: Target, bits: int) -> bool:
    """Return whether conversions from three primes of ``bits`` bits to a fourth one and to 97 are exact."""
    *basis, goal = largest_primes(bits, 4)
    moduli, goals = tuple(basis), (goal, 97)
    numbers, whole = near(prod(moduli)), prod(moduli)
    expected = rows([a - whole * (a > whole // 2) for a in numbers], goals)
    return done(ConversionSpec(moduli, goals, machine), numbers) == expected


def divides(machine: Target, bits: int) -> bool:
    """Return whether divisions by the last of three primes of ``bits`` bits are correctly rounded."""
    moduli = largest_primes(bits, 3)
    numbers, last = near(prod(moduli)), moduli[-1]
    expected = rows([(a + last // 2) // last for a in numbers], moduli[:-1])
    return done(RescaleSpec(moduli, machine), numbers) == expected


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
    assert transforms(changed(base, words + without(missing)), 64, bits, inverse=inverse)


@pytest.mark.parametrize("n", [2, 8])
@pytest.mark.parametrize(("base", "bits"), [("avx2_words16", 13), ("avx2_words32", 28)])
def test_short_transforms_next_to_vectors_without_high_products(
    base: str, bits: int, n: int, changed: Machines
) -> None:
    """The scalar code multiplies half words, too."""
    assert transforms(changed(base, without("mulhi")), n, bits, inverse=False)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize(("target", "bits"), [("avx512", 60), ("avx512ifma", 45), ("avx2_words32", 28)])
def test_values_of_either_sign_have_their_ranges(target: str, bits: int, inverse: bool) -> None:
    """Register-blocked passes load and store signed values, and the interpreter checks each against its range."""
    assert transforms(load_target(target), 256, bits, inverse=inverse)


@pytest.mark.parametrize("bits", [20, 40, 50])
def test_sums_in_doubles_need_a_correction(bits: int, changed: Machines) -> None:
    """Their results may be negative; without the minimum of words, other sums are chosen."""
    machine = changed("avx512", f"{without('umin')}[options]\nminimum = false\n")
    assert converts(machine, bits) and divides(machine, bits)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("registers", [4, 8, 9])
@pytest.mark.parametrize("bits", [45, 100])
def test_doubles_in_few_registers(bits: int, registers: int, inverse: bool, changed: Machines) -> None:
    """One column of sums is computed at a time, however few registers there are."""
    assert transforms(changed("avx2", f"registers = {registers}\n"), 32, bits, inverse=inverse)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("n", [4, 8, 16])
def test_two_lanes_have_no_butterflies_to_interleave(n: int, inverse: bool, changed: Machines) -> None:
    """With 32 registers, butterflies of 100 bits are interleaved, but a tile of two vectors has only one."""
    assert transforms(changed("avx2", "registers = 32\n" + with_lanes("avx2", 2)), n, 100, inverse=inverse)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize(("real", "bits"), [(32, 128), (32, 190), (33, 128)])
def test_floating_point_limbs_of_constants_may_be_zero(real: int, bits: int, inverse: bool, changed: Machines) -> None:
    """A residue then has one limb more than q, and products by the leading limb of q have no unit."""
    assert transforms(changed("avx2", f"real = {real}\n"), 32, bits, inverse=inverse)


@pytest.mark.parametrize(("kind", "bits"), [("vmul", 252), ("vmuladd", 128)])
def test_parts_of_shifted_operands_hold_a_vector(kind: str, bits: int, changed: Machines) -> None:
    """Shorter moduli shift operands in parts, and a first-level cache of 512 bytes holds less than one part."""
    lines = '[[memory]]\nname = "cache"\nbytes = 512\nline = 32\n'
    spec = make_spec(kind, modulus=(1 << bits) - 1, target=str(changed("avx2", lines)))
    q, some = (1 << bits - 5) - 3, Random(kind)
    operands = drawn(spec, q, some, 11)
    found = ElementsProgram(spec)(q, *operands)
    assert [z % q for z in found] == [z % q for z in elements(spec, q, *operands)]


@pytest.mark.parametrize(("real", "bits"), [(32, 90), (32, 190), (33, 128), (34, 96)])
def test_results_may_have_fewer_limbs_than_residues(real: int, bits: int, changed: Machines) -> None:
    """Montgomery's reduction leaves products that fit the limbs of q."""
    machine = changed("avx2", f"real = {real}\nquotients = 0\n")
    spec = make_spec("polymul", n=32, modulus_bits=bits, target=str(machine))
    some = Random(bits)
    xs, ys = ([some.choice((0, spec.modulus - 1, some.randrange(spec.modulus))) for _ in range(32)] for _ in "xy")
    assert interpreted(spec, spec.root, xs, ys) == result(spec, xs, ys)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("bits", [14, 28, 31])
def test_short_words_without_high_products(bits: int, inverse: bool, changed: Machines) -> None:
    """Products of half words reduce words of 64 bits only, so that the transform uses full-radix limbs."""
    lost = {"mulhi", "mullos", "mulhis", "redc", "redc_signed"} & load_target("avx2_words32").ops.keys()
    machine = changed("avx2_words32", without(*sorted(lost)) + 'mulhalf = "x"\n')
    assert transforms(machine, 32, bits, inverse=inverse)
