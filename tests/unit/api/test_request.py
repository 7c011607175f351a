"""What a user may say of widths, roots and targets, and what specification that is."""

from __future__ import annotations

import gmpy2
import pytest

import momagen as mg
from momagen.api.native import resolved
from momagen.bench.suite.grid import Grid
from momagen.clib.variants import variants
from momagen.emit import generate
from momagen.params import known_fields
from momagen.runtime import native


@pytest.mark.parametrize("bits", [2, 17, 31, 60, 64, 65, 124, 255, 753, 2048])
def test_modulus_bits_take_the_largest_prime_of_that_length(bits: int) -> None:
    q = resolved("vadd", modulus_bits=bits).modulus
    assert q.bit_length() == bits and gmpy2.is_prime(q)
    assert gmpy2.next_prime(q) >= 1 << bits


def test_of_a_transform_too() -> None:
    q = resolved("ntt", n=64, modulus_bits=60).modulus
    above = range(q + 128, 1 << 60, 128)
    assert q.bit_length() == 60 and gmpy2.is_prime(q) and (q - 1) % 128 == 0
    assert not any(map(gmpy2.is_prime, above))


def test_container_and_modulus() -> None:
    same = resolved("ntt", n=64, bits=128), resolved("ntt", n=64, modulus_bits=124)
    assert same[0].modulus == same[1].modulus
    assert {spec.widths for spec in same} == {"128-bit container, 124-bit modulus"}
    assert resolved("vmul", modulus="bls12-381-p").widths == "384-bit container, 381-bit modulus"
    assert resolved("vmul", bits=128, modulus_bits=100).widths == "128-bit container, 100-bit modulus"


@pytest.mark.parametrize("negacyclic", [False, True])
@pytest.mark.parametrize(("field", "g"), [("goldilocks", 7), ("babybear", 31), ("bls12-381-r", 7), ("bn254-r", 5)])
def test_the_root_of_a_generator(field: str, g: int, negacyclic: bool) -> None:
    q, order = known_fields()[field].modulus, 512 if negacyclic else 256
    spec = resolved("ntt", n=256, modulus=field, generator=g, negacyclic=negacyclic)
    assert spec.root == pow(g, (q - 1) // order, q) and pow(spec.root, order // 2, q) == q - 1
    assert "--root" in spec.command() and "--generator" not in spec.command()


CPUS = {
    "avx512f,avx512dq,avx512ifma,avx512_vbmi2,avx2,fma": "c", "avx512f": "avx2",
    "avx512ifma": "avx512", "nothing": "avx512ifma",
}  # fmt: skip
"""What a CPU with everything is made to lack, and the best target that is left."""


@pytest.mark.parametrize("lacking", CPUS)
def test_native_is_the_best_target_that_the_cpu_has(lacking: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lack = set(lacking.split(","))
    monkeypatch.setattr(native, "missing_features", lambda needed: [name for name in needed if name in lack])
    monkeypatch.setattr(native, "cpu_model", str)
    spec = resolved("vadd", bits=128, target="native")
    assert spec.target is native.tuned_candidates()[0] and str(spec.target) == CPUS[lacking]
    chosen = Grid(targets=("native", "c64")).chosen_targets()
    assert [*map(str, chosen)] == [CPUS[lacking], "c64"]
    assert [str(variant.target) for variant in variants(["native"])] == [CPUS[lacking]]
    assert spec.command().endswith(f"--target {CPUS[lacking]}") and spec.name == f"vadd_124b_{CPUS[lacking]}"


def test_native_is_the_best_target_that_takes_the_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing stores what a transform of one pass has not."""
    monkeypatch.setattr(native, "missing_features", lambda needed: [])
    monkeypatch.setattr(native, "cpu_model", str)
    assert str(resolved("ntt", n=64, bits=128, target="native", carry="signed").target) == "avx512ifma"
    assert str(resolved("ntt", n=64, bits=128, target="native", algorithm="pease").target) == "avx512ifma"
    with pytest.raises(mg.MomagenError, match="two passes over columns"):
        generate(resolved("ntt", n=64, bits=128, target="native", storage="words"))


@pytest.mark.compiles
def test_native_here_runs_here_and_its_header_names_the_target() -> None:
    kernel = mg.ntt(16, modulus_bits=60, target="native")
    assert kernel.verify().ok and not kernel.emulated
    assert "native" not in kernel.header and kernel.target.name in kernel.header
