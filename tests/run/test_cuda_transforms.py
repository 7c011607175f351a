"""Transforms for GPUs: the PTX that NVRTC makes of them, run on the CPU in several orders, against the definition.

Each case is compiled once, and then everything is asked of it: results of batches that fill no block, one fault for
every barrier that is left out, one for every vector and table that is too short, and what it moves.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from momagen.cuda.device import PtxDevice
from momagen.cuda.nvrtc import nvrtc_version
from momagen.cuda.ptx.launch.faults import PtxFault
from momagen.cuda.ptx.run import ORDERS
from momagen.cuda.runner import DeviceKernel, DevicePlan
from momagen.cuda.traffic import LaunchTraffic, launch_traffic
from momagen.emit import Source, generate
from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec
from momagen.params.words import Words, from_words, to_words
from momagen.plan.thread_plan import ThreadPlan
from momagen.program.device import DeviceProgram
from momagen.verify.oracle import Definition

GOLDILOCKS = 2**64 - 2**32 + 1


class Case(NamedTuple):
    """A transform of 2^log_n points; ``kib``: of shared memory, so that few points are several launches."""

    bits: int
    log_n: int
    kib: int
    launches: int
    inverse: bool = False
    negacyclic: bool = False
    order: str = "bitrev"

    def __str__(self) -> str:
        signs = "inverse " * self.inverse + "negacyclic " * self.negacyclic
        return f"{self.bits} bits, 2^{self.log_n}, {self.launches} launches, {signs}{self.order}"


SPLITS = {
    31: ((7, 48, 1), (8, 1, 2), (11, 1, 3)), 60: ((6, 48, 1), (8, 1, 2), (10, 1, 3)),
    64: ((6, 48, 1), (8, 1, 2), (10, 1, 3)), 124: ((6, 48, 1), (7, 2, 2), (10, 1, 3)),
    252: ((5, 48, 1), (5, 1, 2), (9, 1, 3)), 381: ((4, 48, 1), (5, 1, 2), (9, 1, 3)),
    753: ((3, 48, 1), (4, 1, 2), (7, 1, 3)),
}  # fmt: skip
"""By width: levels, KiB of shared memory, and the launches that they make."""
CASES = [
    Case(bits, *split, inverse, negacyclic, order)
    for bits, splits in SPLITS.items() for split in splits
    for inverse in (False, True) for negacyclic in (False, True) for order in ("bitrev", "natural")
]  # fmt: skip


@pytest.fixture(autouse=True)
def nvrtc() -> None:
    if nvrtc_version() is None:
        pytest.skip("NVRTC is missing")


def small(folder: Path, kib: int) -> str:
    """The target cuda with so much shared memory alone."""
    path = folder / "small.toml"
    rows = [f'[[memory]]\nname = "shared memory"\nbytes = {kib << 10}\nline = 128',
            '[[memory]]\nname = "second cache"\nbytes = 52428800\nline = 32']  # fmt: skip
    path.write_text("\n".join(['name = "small"\ninherits = "cuda"', *rows]), encoding="utf-8")
    return str(path)


def loaded(source: Source) -> tuple[DeviceKernel, PtxDevice]:
    program, device = source.program, PtxDevice(source.source)
    assert isinstance(program, DeviceProgram)
    return DeviceKernel(source.spec, source.name, source.moduli, program, device), device


def some(plan: DevicePlan, count: int) -> Words:
    """Vectors of every modulus, (count, rows, n, words): edges, and random residues."""
    n, rng = plan.spec.n, random.Random(plan.modulus)
    rows = [
        [q - 1] * n if at == 0 else [rng.choice((0, 1, q - 1, rng.randrange(q))) for _ in range(n)]
        for at in range(count) for q in plan.moduli
    ]  # fmt: skip
    return np.stack([to_words(row, plan.words) for row in rows]).reshape(count, plan.rows, n, plan.words)


def wanted(plan: DevicePlan, x: Words) -> list[list[int]]:
    """The transforms of ``x`` by their definition."""
    roots = plan.spec.roots or (plan.root,)
    means = [Definition(plan.spec, q, root) for q, root in zip(plan.moduli, roots, strict=True)]
    return [mean.outputs(row, range(plan.spec.n)) for each in x for mean, row in zip(means, each, strict=True)]


def result(plan: DevicePlan, x: Words) -> list[list[int]]:
    """What the kernel makes of them."""
    y = np.zeros_like(x)
    plan.execute(y.reshape(-1, plan.spec.n, plan.words), x.reshape(-1, plan.spec.n, plan.words), count=len(x))
    return [from_words(row) for each in y for row in each]


def compare(plan: DevicePlan, device: PtxDevice, count: int) -> None:
    x = some(plan, count)
    meant = wanted(plan, x)
    for device.order in ORDERS:  # type: ignore[assignment]
        assert result(plan, x) == meant, device.order


def demand_faults(plan: DevicePlan, device: PtxDevice) -> None:
    """A barrier less, or a residue less of the tables, or a byte less of the modulus, is a fault."""
    x, stride = some(plan, 1), plan.kernel.program.stride
    for barrier in range(len(device.module.barriers)):
        device.skipped = barrier
        with pytest.raises(PtxFault, match=r"a barrier between|written before it is read"):
            result(plan, x)
    device.skipped = None
    q = plan.spec.arith.words * 4
    for name, size in (("tables", plan.tables.nbytes - 4 * max(8, stride)), ("constants", q - 1)):
        whole = getattr(plan, name)
        setattr(plan, name, whole.view(np.uint8)[:size].copy())
        with pytest.raises(PtxFault, match="an address inside global memory"):
            result(plan, x)
        setattr(plan, name, whole)


def demand_traffic(source: Source, moved: list[LaunchTraffic], kib: int = 48) -> None:
    """Every launch moves all data once in and once out, and what its butterflies read of tables, by whole sectors.

    A tile in 1 KiB of shared memory, which no GPU has so little of, may have rows of two residues of 8 bytes, half a
    sector.
    """
    plan, count = ThreadPlan(source.spec), _full(source)
    size = plan.arith.stride * 4
    for each, launch in zip(moved, plan.launches, strict=True):
        steps = [stage.step for stage in launch.stages if stage.step]
        entry = size * len(plan.arith.columns)
        asked = sum(source.spec.n // done.radix * done.twiddles * entry for done in steps)
        assert each.loaded == each.stored == each.data == source.spec.n * size * count
        once = all(1 << len(stage.work) <= launch.nest.threads for stage in launch.stages)
        assert each.tables == asked * count if once else 0 < each.tables <= asked * count, "loads leave loops"
        assert each.conflicts == 0 or len(launch.tile) < 8, "too few threads to choose from"
        assert each.waste <= (2 if size > 16 or (size == 8 and kib == 1) else 1), each


def _full(source: Source) -> int:
    """Transforms that fill the blocks of every launch."""
    assert isinstance(source.program, DeviceProgram)
    return max(launch.group for launch in source.program.run)


def demand_all(case: Case, folder: Path) -> None:
    width = {"modulus_bits": case.bits, "bits": -(-case.bits // 32) * 32}
    width = {"modulus": GOLDILOCKS} if case.bits == 64 else width
    source = generate(make_spec(
        "ntt", n=1 << case.log_n, inverse=case.inverse, negacyclic=case.negacyclic, order=case.order,
        target=small(folder, case.kib), **width,
    ))  # fmt: skip
    kernel, device = loaded(source)
    assert len(kernel.program.run) == case.launches
    plan = kernel.plan(source.spec.modulus, source.spec.root)
    compare(plan, device, 3)
    demand_faults(plan, device)
    demand_traffic(source, [*launch_traffic(source, _full(source), device.module)], case.kib)


@pytest.mark.sampled(40)
@pytest.mark.parametrize("case", [case for case in CASES if case.bits <= 252], ids=str)
def test_a_transform(case: Case, tmp_path: Path) -> None:
    demand_all(case, tmp_path)


@pytest.mark.thorough
@pytest.mark.sampled(48)
@pytest.mark.parametrize("case", [case for case in CASES if case.bits > 252], ids=str)
def test_a_wide_transform(case: Case, tmp_path: Path) -> None:
    demand_all(case, tmp_path)


@pytest.mark.parametrize("log_n", [1, 2, 3])
@pytest.mark.parametrize("bits", [31, 124])
def test_the_shortest(log_n: int, bits: int) -> None:
    """Batches of one, and of three and five, which leave threads without work."""
    spec = make_spec("ntt", n=1 << log_n, bits=-(-bits // 32) * 32, modulus_bits=bits, order="natural", target="cuda")
    kernel, device = loaded(generate(spec))
    plan = kernel.plan(spec.modulus, spec.root)
    for count in (1, 3, 5):
        compare(plan, device, count)


@pytest.mark.parametrize("inverse", [False, True])
def test_moduli_of_several_lengths_in_one_launch(inverse: bool) -> None:
    """Each row has its modulus, and the longest one says how many words residues have."""
    moduli = [65537, 998244353, 2013265921]
    spec = make_spec("ntt", n=64, basis=moduli, inverse=inverse, negacyclic=True, target="cuda")
    kernel, device = loaded(generate(spec))
    plan = kernel.basis_plan()
    assert plan.moduli == tuple(moduli)
    compare(plan, device, 3)


def test_what_no_kernel_for_gpus_does_is_refused() -> None:
    with pytest.raises(MomagenError, match='`n="any"` is not available on cuda'):
        generate(make_spec("ntt", n=64, bits=128, target="cuda", sized=True))


@pytest.mark.slow
@pytest.mark.parametrize(("bits", "log_n"), [(31, 14), (60, 14), (124, 14), (252, 13), (381, 11), (753, 9)])
@pytest.mark.parametrize("order", ["bitrev", "natural"])
@pytest.mark.parametrize("inverse", [False, True])
def test_long_ones_on_the_memory_of_every_gpu(bits: int, log_n: int, order: str, inverse: bool) -> None:
    spec = make_spec(
        "ntt", n=1 << log_n, bits=-(-bits // 32) * 32, modulus_bits=bits, order=order, inverse=inverse, target="cuda"
    )
    source = generate(spec)
    kernel, device = loaded(source)
    plan, rng = kernel.plan(spec.modulus, spec.root), random.Random(bits)
    x, y = some(plan, 2), np.zeros((2, spec.n, plan.words), np.uint64)
    plan.execute(y, x.reshape(y.shape), count=2)
    indices = rng.sample(range(spec.n), 20)
    for given, found in zip(x, y, strict=True):
        meant = Definition(spec, spec.modulus, spec.root).outputs(given[0], indices)
        assert [from_words(found)[at] for at in indices] == meant
    demand_traffic(source, [*launch_traffic(source, _full(source), device.module)])
