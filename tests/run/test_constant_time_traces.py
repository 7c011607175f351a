"""Constant time as it runs: the same instructions one after another, whatever the data."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from momagen.bench.measure import clock
from momagen.bench.measure.built import build
from momagen.bench.measure.machine import families
from momagen.bench.suite import branches
from momagen.bench.x86.single_step import obstacle, walk, walks
from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec
from momagen.runtime import compile_shared, load, missing_features
from momagen.targets import load_target

followed = pytest.mark.skipif(bool(obstacle()), reason=obstacle())
DATA = """
#include <stddef.h>
#include <stdint.h>
void in_place(uint64_t *z, uint64_t *plan) { if (*(volatile uint64_t *)z) plan[0]++; }
"""


@followed
@pytest.mark.parametrize("target", ["c", "avx2", "avx512", "avx512ifma"])
@pytest.mark.parametrize(
    "request_",
    [
        {"kind": "ntt", "n": 64, "bits": 128}, {"kind": "ntt", "n": 64, "bits": 128, "inverse": True},
        {"kind": "ntt", "n": 64, "modulus": 2**64 - 2**32 + 1}, {"kind": "ntt", "n": 64, "bits": 54},
        {"kind": "ntt", "n": 64, "bits": 64}, {"kind": "vmul", "bits": 128},
        {"kind": "axpy", "bits": 64}, {"kind": "cmpadd", "bits": 64},
    ],
    ids=str,
)  # fmt: skip
def test_no_instruction_depends_on_data(request_: dict[str, object], target: str) -> None:
    if lacking := missing_features(load_target(target).features):
        pytest.skip(f"no {', '.join(lacking)}")
    spec = make_spec(**request_, target=target)  # type: ignore[arg-type]
    found = walks(build(spec), 1 if spec.n else 21)
    assert len(found) == 5 and len(set(found)) == 1 and found[0].instructions > 100


@followed
def test_numbers_that_a_call_brings_vary(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = set[int]()
    monkeypatch.setattr("momagen.bench.x86.single_step.walk", lambda call: seen.add(int(call.keep[2][0, 0])))
    spec = make_spec("axpy", bits=64)
    walks(build(spec), 3)
    assert {0, spec.modulus - 1} < seen


@followed
def test_one_that_does_is_seen() -> None:
    library = load(compile_shared(DATA, name="data", flags=["-std=c99"]))
    plan, z = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    call = clock.make_call("in_place", library["in_place"], plan.ctypes.data, z=z)
    call.once()
    first = [walk(call), walk(call)]
    z[0] = 1
    assert first[0] == first[1] != walk(call)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX")
def test_elsewhere_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    call = clock.make_call("in_place", clock.library().momagen_call, 0, z=np.zeros(1, np.uint64))
    with pytest.raises(MomagenError, match=r"single-stepping: expected Linux on x86-64, got .* on \w+ and riscv64"):
        walk(call)


@pytest.mark.thorough
@followed
def test_the_benchmark_follows_every_target_that_runs_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(branches, "WALKED", [("vadd", 64, {})])
    found = list(branches._walked())
    runs = [name for name in ("avx2", "avx512", "avx512ifma") if not missing_features(load_target(name).features)]
    assert len(found) == (1 + len(runs)) * len(families()) and {figure.value for figure in found} <= {0}
    assert branches.able() == runs
