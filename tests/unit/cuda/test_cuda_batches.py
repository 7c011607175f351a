"""Transforms of few levels on GPUs, in place, on batches that do not fill a block.

The PTX of each kernel runs on the CPU under the race checker. Most of these transforms are one stage without a barrier:
a thread beyond the batch must not load what another thread stores.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

import momagen as mg
from momagen.cli import main
from momagen.cuda.device import PtxDevice
from momagen.cuda.nvrtc import nvrtc_version
from momagen.cuda.runner import DeviceKernel
from momagen.emit import generate
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.spec import Spec
from momagen.params.words import Words, from_words, to_words
from momagen.program.device import DeviceProgram
from momagen.verify.oracle import Definition, product

pytestmark = [pytest.mark.compiles, pytest.mark.skipif(nvrtc_version() is None, reason="NVRTC is missing")]
SHAPES = {
    "2 points": {"n": 2}, "2 × 8 columns": {"n": 2, "columns": 8}, "4 × 16 columns": {"n": 4, "columns": 16},
    "1 level of 64 points": {"n": 64, "depth": 1}, "2 levels, 2 columns": {"n": 8, "depth": 2, "columns": 2},
}  # fmt: skip


def launched(spec: Spec) -> tuple[DeviceKernel, DeviceProgram]:
    """The kernel of ``spec`` on the CPU, whose threads run in shuffled order."""
    source = generate(spec)
    assert isinstance(source.program, DeviceProgram)
    return DeviceKernel(spec, source.name, source.moduli, source.program, PtxDevice(source.source)), source.program


def drawn(spec: Spec, count: int) -> Words:
    """Random residues, (count, residues of a transform, words)."""
    rng = random.Random(f"{spec.name} {count}")
    numbers = [rng.randrange(spec.modulus) for _ in range(count * spec.elements)]
    return to_words(numbers, spec.row).reshape(count, spec.elements, spec.row)


@pytest.mark.parametrize("bits", [30, 60, 124])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_short_transform_in_place(shape: str, bits: int) -> None:
    inverse = bits == 60
    spec = make_spec("ntt", modulus_bits=bits, inverse=inverse, target="cuda", **SHAPES[shape])
    kernel, program = launched(spec)
    (launch,) = program.run
    assert launch.group > 1, "a block has several transforms"
    plan = kernel.plan(spec.modulus, spec.root)
    meant = Definition(spec, spec.modulus, spec.root)
    for count in (1, launch.group - 1, launch.group + 1):
        x = drawn(spec, count)
        y = x.copy()
        plan.execute(y, y, count=count)
        assert [from_words(row) for row in y] == [meant.outputs(row, range(spec.elements)) for row in x], count


@pytest.mark.parametrize("over", [0, 1])
@pytest.mark.parametrize("bits", [30, 124])
def test_a_short_product_in_place(bits: int, over: int) -> None:
    """A product of polynomials whose result is written over one of its operands."""
    spec = make_spec("polymul", n=4, negacyclic=True, modulus_bits=bits, target="cuda")
    kernel, program = launched(spec)
    plan = kernel.plan(spec.modulus, spec.root)
    for count in (1, max(launch.group for launch in program.run) + 1):
        operands = [drawn(spec, count), drawn(spec, count)[::-1].copy()]
        meant = [product(x, y, spec.modulus, True) for x, y in zip(*operands, strict=True)]
        plan.execute(operands[over], *operands, count=count)
        assert [from_words(row) for row in np.asarray(operands[over])] == meant, count


def test_one_level_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    command = "ntt --n 64 --depth 1 --modulus-bits 30 --target cuda --no-bench"
    assert main(command.split()) == 0, capsys.readouterr().err


def test_two_points_in_place_from_python() -> None:
    kernel = mg.ntt(2, modulus_bits=30, columns=8, target="cuda")
    x = np.arange(16, dtype=np.uint64).reshape(2, 8)
    first, second = x.tolist()
    kernel(x, out=x)
    sums = [(a + b) % kernel.modulus for a, b in zip(first, second, strict=True)]
    assert x.tolist() == [sums, [(a - b) % kernel.modulus for a, b in zip(first, second, strict=True)]]
