"""Butterflies of radix 4, 8 and 16 on arrays, and mixtures where n is no power of the radix."""

from __future__ import annotations

import random
from itertools import product
from math import log2
from typing import Any

import pytest

import momagen as mg
from momagen.cli import main
from momagen.errors import MomagenError
from momagen.formula.breakdown import ALGORITHMS
from momagen.formula.transforms import digit_reversal
from momagen.kinds.modular.make_spec import make_spec
from momagen.plan.array_plan import ArrayPlan
from momagen.plan.schedule.arrays import ArrayPass, array_passes

RADICES = ("4", "8", "16")
TRANSFORMS = [
    {"n": 64, "modulus_bits": 28, "radix": 4, "negacyclic": True},
    {"n": 128, "modulus_bits": 28, "radix": 4, "inverse": True, "negacyclic": True},
    {"n": 64, "modulus_bits": 31, "radix": 8, "order": "natural"},
    {"n": 256, "modulus_bits": 32, "radix": 8, "inverse": True, "order": "natural", "negacyclic": True},
    {"n": 64, "modulus_bits": 28, "radix": 16, "negacyclic": True, "order": "natural"},
    {"n": 2, "modulus_bits": 28, "radix": 16}, {"n": 4, "modulus_bits": 28, "radix": 8, "inverse": True},
    {"n": 4096, "modulus_bits": 28, "radix": 8, "inverse": True},
    {"n": 64, "modulus_bits": 28, "radix": 8, "moduli": 3, "negacyclic": True, "inverse": True},
    {"n": 32, "modulus_bits": 28, "radix": 4, "columns": 5}, {"n": 64, "modulus_bits": 28, "radix": 4, "columns": 70},
    {"n": 64, "modulus_bits": 28, "radix": 8, "input_factor": 2, "output_factor": 2},
    {"n": 32, "modulus_bits": 60, "radix": 4, "negacyclic": True}, {"n": 32, "modulus_bits": 64, "radix": 8},
    {"n": 64, "modulus_bits": 28, "radix": 4, "target": "jax_tpu"},
]  # fmt: skip


@pytest.fixture(autouse=True)
def _jax() -> None:
    pytest.importorskip("jax", reason="JAX is missing")


@pytest.mark.sampled(8)
@pytest.mark.parametrize("asked", TRANSFORMS, ids=lambda asked: "-".join(map(str, asked.values())))
def test_transforms_are_verified(asked: dict[str, Any]) -> None:
    assert mg.ntt(**{"target": "jax", **asked}).verify().ok


@pytest.mark.slow
@pytest.mark.parametrize("asked", [
    {"modulus_bits": 124, "radix": 4}, {"modulus_bits": 124, "radix": 8, "inverse": True},
    {"modulus_bits": 60, "radix": 16}, {"modulus_bits": 60, "radix": 8, "target": "jax_tpu"},
])  # fmt: skip
def test_long_residues_are_verified(asked: dict[str, Any]) -> None:
    assert mg.ntt(64, **{"target": "jax", **asked}).verify().ok


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("inverse", "order"), [*product((False, True), ("bitrev", "natural"))])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_data_flow_is_verified(algorithm: str, inverse: bool, order: str) -> None:
    radix = 4 if inverse else 8
    asked: dict[str, Any] = {"modulus_bits": 28, "negacyclic": True, "inverse": inverse, "order": order}
    assert mg.ntt(32, radix=radix, algorithm=algorithm, target="jax", **asked).verify().ok


@pytest.mark.thorough
@pytest.mark.sampled(3)
@pytest.mark.parametrize("asked", [
    {"modulus_bits": 28, "radix": 4, "negacyclic": True}, {"modulus_bits": 31, "radix": 8, "moduli": 2},
    {"modulus_bits": 60, "radix": 4},
])  # fmt: skip
def test_products_of_polynomials_are_verified(asked: dict[str, Any]) -> None:
    assert mg.polymul(32, target="jax", **asked).verify().ok


@pytest.mark.thorough
def test_values_are_those_at_the_powers_of_the_root() -> None:
    """Output i is the value at ψ^(2·rev(i) + 1)."""
    n = 128
    kernel, rng = mg.ntt(n, modulus=65537, negacyclic=True, radix=8, target="jax"), random.Random(8)
    q, x = kernel.modulus, [rng.randrange(65537) for _ in range(n)]
    assert kernel.root is not None and pow(kernel.root, n, q) == q - 1
    points = [pow(kernel.root, 2 * digit_reversal(i, n) + 1, q) for i in range(n)]
    wanted = [sum(a * pow(at, j, q) for j, a in enumerate(x)) % q for at in points]
    assert kernel(x) == wanted and kernel.inverse()(wanted) == x


@pytest.mark.parametrize(("n", "radix", "levels"), [
    (4096, 2, [1] * 12), (4096, 4, [2] * 6), (4096, 8, [3] * 4), (4096, 16, [4] * 3), (2048, 4, [1, *[2] * 5]),
    (2048, 8, [2, 3, 3, 3]), (2048, 16, [3, 4, 4]), (8, 16, [3]),
])  # fmt: skip
def test_a_radix_is_the_largest_of_a_pass(n: int, radix: Any, levels: list[int]) -> None:
    kernel = mg.ntt(n, modulus_bits=28, radix=radix, target="jax")
    assert sorted(each.levels for each in kernel.plan.passes if each.levels) == levels
    assert kernel.source.count("parted(x, ") == len(levels) + 1


@pytest.mark.parametrize("radix", RADICES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_legs_stand_side_by_side(algorithm: str, radix: str) -> None:
    shapes = product((64, 2048), (False, True), ("bitrev", "natural"), (1, 3))
    for n, inverse, order, columns in shapes:
        options = {"radix": radix, "algorithm": algorithm}
        spec = make_spec("ntt", n=n, modulus_bits=28, target="jax", inverse=inverse, order=order, columns=columns,
                         options=options)  # fmt: skip
        passes = [each for each in array_passes(ArrayPlan(spec).schedule) if isinstance(each, ArrayPass)]
        assert sum(log2(each.done.radix) for each in passes) == log2(n)
        for each in passes:
            legs = range(each.done.radix)
            assert each.shape[each.leg_axis] == len(legs) <= int(radix)
            assert sorted(map(each.place, legs)) == [*legs]
            assert sorted(bit for bits in each.axes for bit in bits) == [*range(int(log2(n)))]


def test_another_radix_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["ntt", "--n", "64", "--modulus-bits", "28", "--target", "jax", "--radix"]
    assert main([*words, "32"]) == 2
    assert "expected one of 2, 4, 8, 16, got 32" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(("bits", "radix"), [(252, 8), (124, 16)])
def test_a_radix_that_keeps_a_compiler_busy_is_refused(bits: int, radix: Any) -> None:
    with pytest.raises(MomagenError, match="at most 3000 operations"):
        mg.ntt(256, modulus_bits=bits, radix=radix, target="jax")
