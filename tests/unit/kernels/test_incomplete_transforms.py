"""Incomplete transforms and products of remainders, by polynomial division: no table, no root in another order."""

from __future__ import annotations

import random
import subprocess
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from support.programs import interpreted

import momagen as mg
from momagen.errors import MomagenError
from momagen.kinds.modular.derived.inner import of_modulus
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.spec import Spec
from momagen.kinds.modular.typed import PresetName
from momagen.params.presets import presets
from momagen.plan.ways import way
from momagen.runtime import list_compilers

pytestmark = pytest.mark.compiles

COMPILERS = {compiler.kind: compiler for compiler in list_compilers()}
PUBLISHED = tomllib.loads((Path(__file__).parents[2] / "vectors" / "published.toml").read_text(encoding="utf-8"))


def reversed_bits(i: int, bits: int) -> int:
    return int(format(i, f"0{bits}b")[::-1], 2) if bits else 0


def factors(spec: Spec) -> list[int]:
    """z of every factor x^d - z of x^n ∓ 1, in the order of remainders."""
    bits = spec.n.bit_length() - 1
    at = [i if spec.order == "natural" else reversed_bits(i, bits) for i in range(spec.n)]
    return [pow(spec.root, 2 * e + 1 if spec.negacyclic else e, spec.modulus) for e in at]


def remainder(a: list[int], degree: int, z: int, q: int) -> list[int]:
    """a modulo x^degree - z, by long division."""
    left = a[:]
    while len(left) > degree:
        left[len(left) - 1 - degree] += z * left[-1]
        left.pop()
    return [c % q for c in left]


def multiplied(a: list[int], b: list[int]) -> list[int]:
    found = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            found[i + j] += x * y
    return found


def remainders(spec: Spec, a: list[int]) -> list[int]:
    return [c for z in factors(spec) for c in remainder(a, spec.degree, z, spec.modulus)]


def products(spec: Spec, x: list[int], y: list[int], over: int = 1) -> list[int]:
    """Row by row."""
    d, q, found = spec.degree, spec.modulus, list[int]()
    for i, z in enumerate(factors(spec)):
        row = slice(d * i, d * i + d)
        found += remainder(multiplied(x[row], y[row]), d, z, q)
    return [c * pow(over, -1, q) % q for c in found]


def drawn(spec: Spec, seed: int) -> list[int]:
    some = random.Random(seed)
    return [some.choice([0, spec.modulus - 1, some.randrange(spec.modulus)]) for _ in range(spec.length)]


SPECS: dict[str, dict[str, Any]] = {
    "of degree 2": {"n": 32, "depth": 4, "modulus_bits": 31, "negacyclic": True},
    "of degree 4": {"n": 32, "depth": 3, "bits": 64},
    "of two words": {"n": 16, "depth": 3, "bits": 128, "negacyclic": True},
    "in natural order": {"n": 32, "depth": 4, "bits": 64, "order": "natural", "negacyclic": True},
    "of a full word": {"n": 16, "depth": 3, "modulus_bits": 64},
    "of one level": {"n": 16, "depth": 1, "modulus": 3329, "negacyclic": True},
}


@pytest.mark.sampled(9)
@pytest.mark.parametrize("target", ["c32", "c64", "avx2", "avx512", "avx512ifma", "python"])
@pytest.mark.parametrize("name", SPECS)
def test_programs_give_remainders_and_multiply_them(name: str, target: str) -> None:
    asked = SPECS[name] | {"target": target}
    spec = make_spec("ntt", **asked)
    a = drawn(spec, 1)
    given = remainders(spec, a)
    assert interpreted(spec, spec.root, a) == given
    assert interpreted(make_spec("ntt", inverse=True, **asked), spec.root, given) == a
    factor = make_spec("ntt", inverse=True, montgomery=20, **asked)
    assert interpreted(factor, spec.root, given) == [(c << 20) % spec.modulus for c in a]
    b = drawn(spec, 2)
    for k in (0, 100):
        product = make_spec("basemul", montgomery=k, **asked)
        assert interpreted(product, spec.root, a, b) == products(spec, a, b, 1 << k)


@pytest.mark.parametrize("bits", [50, 64, 128])
def test_a_factor_of_complete_transforms_on_digits(bits: int) -> None:
    spec = make_spec("ntt", n=16, bits=bits, inverse=True, montgomery=20, target="avx2")
    assert way(spec) == {50: "steps", 64: "steps", 128: "tiles"}[bits]
    a = drawn(spec, 7)
    assert interpreted(spec, spec.root, remainders(spec, a)) == [(c << 20) % spec.modulus for c in a]


@pytest.mark.parametrize("word", [8, 16])
@pytest.mark.parametrize("name", ["ml-kem", "falcon-512"])
def test_short_words_hold_products_of_remainders(word: int, name: str, tmp_path: Path) -> None:
    mine, preset = tmp_path / "mine.toml", presets()[name]
    mine.write_text(f'inherits = "c32"\nname = "mine"\nword = {word}\n', encoding="utf-8")
    given = {"n": 32, "depth": 4, "modulus": preset.modulus, "negacyclic": True, "target": str(mine)}
    spec = make_spec("basemul", **given, montgomery=preset.reference["product"])
    a, b = drawn(spec, 3), drawn(spec, 4)
    assert interpreted(spec, spec.root, a, b) == products(spec, a, b, 1 << 16)
    whole = make_spec("polymul", **given)
    assert interpreted(whole, spec.root, a, b) == remainder(multiplied(a, b), 32, -1, spec.modulus)


@pytest.mark.parametrize("asked", [
    {"n": 64, "depth": 4, "bits": 64, "target": "avx2"},
    {"n": 64, "depth": 5, "modulus_bits": 31, "negacyclic": True, "target": "avx512"},
    {"n": 16, "depth": 2, "bits": 128, "negacyclic": True, "target": "avx512ifma"},
    {"n": 16, "depth": 2, "modulus_bits": 64, "target": "python"},
], ids=str)  # fmt: skip
def test_polynomials_are_multiplied_by_their_remainders(asked: dict[str, Any]) -> None:
    spec = make_spec("polymul", **asked)
    a, b = drawn(spec, 5), drawn(spec, 6)
    sign = -1 if spec.negacyclic else 1
    assert interpreted(spec, spec.root, a, b) == remainder(multiplied(a, b), spec.length, sign, spec.modulus)


def test_a_matrix_of_polynomials_is_transformed_column_by_column() -> None:
    spec = make_spec("ntt", n=32, depth=3, columns=3, bits=64, target="avx2")
    assert (spec.n, spec.columns, spec.axes, spec.degree, spec.depth) == (8, 12, (32, 3), 4, 3)
    columns = [drawn(spec, seed) for seed in range(3)]
    got = interpreted(spec, spec.root, [c for row in zip(*columns, strict=True) for c in row])
    assert [got[at::3] for at in range(3)] == [remainders(spec, column) for column in columns]


def test_it_is_the_transform_of_fewer_points_of_every_column() -> None:
    kernel = mg.ntt(preset="ml-kem", target="avx2")
    assert kernel.n == 256 and kernel.formula.endswith("⊗ I(2)") and len(kernel.order) == 128
    assert kernel.points() == factors(kernel.spec)
    assert kernel.name == "ntt256_depth7_negacyclic_12b_avx2_words16"
    assert kernel.spec.command() == (
        "momagen ntt --n 256 --depth 7 --modulus 0xd01 --root 0x11 --negacyclic --target avx2_words16"
    )
    assert mg.ntt(256, depth=8, bits=64).spec.degree == 1


def test_presets_are_the_standards() -> None:
    assert get_args(PresetName) == tuple(presets())
    kem, dsa = PUBLISHED["ml_kem"], PUBLISHED["ml_dsa"]
    assert mg.ntt(preset="ml-kem").points() == [kem["zetas"][64 + i // 2] * (-1) ** i % 3329 for i in range(128)]
    assert mg.ntt(preset="ml-dsa").points() == [dsa["zetas"][128 + i // 2] * (-1) ** i % dsa["q"] for i in range(256)]
    for n in (512, 1024):
        bits = n.bit_length() - 1
        table = [pow(7, reversed_bits(i, 10), 12289) for i in range(1024)]  # GMb of Falcon, without its factor R
        last = table[n // 2 : n]
        spec = mg.ntt(preset=f"falcon-{n}").spec
        assert factors(spec) == [last[i // 2] * (-1) ** i % 12289 for i in range(n)], bits


def test_reference_codes_multiply_by_powers_of_two() -> None:
    factor = {name: mg.ntt(preset=name, inverse=True, montgomery="reference").spec.montgomery for name in presets()}
    assert factor == {"ml-kem": 16, "ml-dsa": 32, "falcon-512": 0, "falcon-1024": 0}
    factor = {name: mg.basemul(preset=name, montgomery="reference").spec.montgomery for name in presets()}
    assert factor == {"ml-kem": 16, "ml-dsa": 32, "falcon-512": 16, "falcon-1024": 16}
    assert mg.ntt(preset="ml-kem", montgomery="reference").spec.montgomery == 0


def test_a_saved_kernel_comes_back(tmp_path: Path) -> None:
    for kernel in (mg.ntt(preset="ml-kem", inverse=True, montgomery=16), mg.basemul(preset="ml-kem")):
        kernel.save(tmp_path / kernel.name)
        assert mg.load(tmp_path / kernel.name).spec == kernel.spec
    path = tmp_path / kernel.name / f"{kernel.name}.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"degree": 2', '"degree": 3'), encoding="utf-8")
    with pytest.raises(MomagenError, match="a divisor of 2 columns, got 3"):
        mg.load(path.parent)


def test_other_moduli_of_the_same_build() -> None:
    kernel = mg.basemul(16, depth=3, modulus_bits=20, negacyclic=True)
    other = kernel.with_modulus(97)
    x, y = ([i * i % 97 for i in range(k, k + 16)] for k in (1, 5))
    assert other(x, y) == products(other.spec, x, y)
    basis = mg.ntt(16, depth=2, moduli=[97, 193])
    got = basis([x, x])
    assert got == [remainders(of_modulus(basis.spec, at), x) for at in range(2)]


def test_arrays_of_jax_have_coefficients_in_one_axis() -> None:
    jnp = pytest.importorskip("jax.numpy")
    kernel = mg.ntt(16, depth=3, modulus=97, target="jax_cpu")
    x = np.arange(32, dtype=np.uint32).reshape(2, 16)
    assert np.asarray(kernel(jnp.asarray(x))).tolist() == [remainders(kernel.spec, row) for row in x.tolist()]


def test_verification_finds_tables_in_another_order() -> None:
    kernel = mg.basemul(16, depth=3, bits=64)
    assert kernel.verify()
    wrong = replace(kernel.generated, spec=replace(kernel.spec, order="natural"))
    assert not mg.Kernel(wrong).verify()


@pytest.mark.skipif("gcc" not in COMPILERS, reason="no gcc here")
@pytest.mark.parametrize("asked", [{}, {"montgomery": 16}, {"montgomery": 100}], ids=str)
def test_a_compiler_has_nothing_to_say(asked: dict[str, int], tmp_path: Path) -> None:
    kernel = mg.basemul(preset="ml-kem", **asked)
    folder = kernel.save(tmp_path / "kernel")
    strict = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused-function", "-fsyntax-only"]
    command = [*COMPILERS["gcc"].command, *strict, f"{folder / kernel.name}.c"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert not done.stderr


def test_what_goes_with_complete_transforms_only() -> None:
    with pytest.raises(MomagenError, match="`automorphism` cannot be combined with `depth`"):
        mg.ntt(preset="ml-kem").with_automorphism(3)
    with pytest.raises(MomagenError, match="n: the number of points is missing"):
        mg.ntt(bits=64)
    with pytest.raises(MomagenError, match=r"preset: did you mean ml-kem\? Expected one of the presets ml-kem, "):
        mg.ntt(preset="mlkem")  # type: ignore[arg-type]
