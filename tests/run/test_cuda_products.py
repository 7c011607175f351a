"""Products of polynomials on GPUs: the PTX that NVRTC makes of them, run on the CPU, against the definition."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import momagen as mg
from momagen.cuda.nvrtc import nvrtc_version
from momagen.kinds.modular.make_spec import make_spec
from momagen.lower.kernels import lowered
from momagen.program.device import DeviceProgram

SMALL = """inherits = "cuda"
name = "small"
title = "a machine whose blocks share 1 KiB"

[[memory]]
name = "shared memory"
bytes = 1024
line = 128

[[memory]]
name = "cache"
bytes = 65536
line = 32
"""


@pytest.fixture
def nvrtc() -> None:
    if nvrtc_version() is None:
        pytest.skip("NVRTC is missing")


def multiplied(x: list[int], y: list[int], q: int, sign: int) -> list[int]:
    """x·y modulo X^n - 1, or X^n + 1 where ``sign`` is -1."""
    n, found = len(x), [0] * len(x)
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            found[(i + j) % n] += a * b if i + j < n else sign * a * b
    return [value % q for value in found]


def compare(k: mg.Kernel, batch: int = 3) -> None:
    """A batch of products of edges and random numbers."""
    q, n, rng = k.spec.modulus, k.spec.n, random.Random(k.spec.n)
    x, y = ([[rng.choice([0, 1, q - 1, rng.randrange(q)]) for _ in range(n)] for _ in range(batch)] for _ in range(2))
    sign = -1 if k.spec.negacyclic else 1
    assert k(x, y) == [multiplied(a, b, q, sign) for a, b in zip(x, y, strict=True)]


@pytest.mark.thorough
@pytest.mark.sampled(6)
@pytest.mark.parametrize("negacyclic", [False, True])
@pytest.mark.parametrize("bits", [31, 32, 60, 64, 124, 128, 189, 252, 256, 381])
@pytest.mark.parametrize("n", [2, 16, 64])
def test_products(n: int, bits: int, negacyclic: bool, nvrtc: None) -> None:
    compare(mg.polymul(n, modulus_bits=bits, negacyclic=negacyclic, target="cuda"))


@pytest.mark.thorough
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "options",
    [
        {"reduction": "montgomery"}, {"quotients": "computed"}, {"radix": 2}, {"input_factor": 4},
        {"output_factor": 2}, {"bake": True},
    ],
    ids=str,
)  # fmt: skip
def test_options(options: dict[str, object], nvrtc: None) -> None:
    compare(mg.polymul(32, modulus_bits=124, target="cuda", **options))


@pytest.mark.thorough
@pytest.mark.parametrize("negacyclic", [False, True])
def test_transforms_of_several_launches(negacyclic: bool, tmp_path: Path, nvrtc: None) -> None:
    """In place, too, and modulo other primes."""
    target = tmp_path / "small.toml"
    target.write_text(SMALL)
    k = mg.polymul(64, bits=128, negacyclic=negacyclic, target=str(target))
    assert len(k.generated.program.run) == 6  # type: ignore[attr-defined]
    assert k.verify().ok


@pytest.mark.thorough
def test_several_moduli(nvrtc: None) -> None:
    k = mg.polymul(16, moduli=3, modulus_bits=60, negacyclic=True, target="cuda")
    rng, basis = random.Random(3), k.spec.basis
    x, y = ([[[rng.randrange(min(basis)) for _ in range(16)] for _ in basis] for _ in range(2)] for _ in range(2))
    for found, *rows in zip(k(x, y), x, y, strict=True):
        assert found == [multiplied(a, b, q, -1) for a, b, q in zip(*rows, basis, strict=True)]


def test_vectors_move_no_more_than_transforms_need() -> None:
    """The room holds one vector, and each launch writes where it reads, or what nobody reads any more."""
    program = lowered(make_spec("polymul", n=64, bits=128, target="cuda")).program
    assert isinstance(program, DeviceProgram)
    assert [each.operands for each in program.run] == [("t", "x"), ("t", "y"), ("z", "t")]
    assert program.room == 64 * 4
    program = lowered(make_spec("polymul", n=1 << 14, bits=128, target="cuda")).program
    assert isinstance(program, DeviceProgram)
    forward, second, inverse = program.run[:2], program.run[2:4], program.run[4:]
    assert [each.operands for each in forward] == [("t", "x"), ("t", "t")]
    assert [each.operands for each in second] == [("z", "y"), ("t", "z")]
    assert [each.operands for each in inverse] == [("z", "t"), ("z", "z")]
    assert second[0].kernel == forward[0].kernel
