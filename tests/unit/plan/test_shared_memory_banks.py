"""Shared memory by its definition: a bank is 4 bytes wide, 32 of them serve 128 bytes at once."""

from __future__ import annotations

import pytest

from momagen.kinds.modular.make_spec import make_spec
from momagen.plan.thread_plan import ThreadPlan
from momagen.plan.threads.launches import LaunchPlan

SERVED = 128
"""Bytes of one pass through the banks."""
CASES = [
    (target, bits, order, inverse)
    for target in ("cuda", "cuda_sm90") for bits in (31, 60, 64, 124, 252, 381, 753)
    for order in ("bitrev", "natural") for inverse in (False, True)
]  # fmt: skip


def _meetings(launch: LaunchPlan, stride: int) -> list[int]:
    """Of each stage that uses shared memory, how many threads that are served at once have one bank at most."""
    chunk = min(16, 4 * stride & -(4 * stride))
    lanes, found = SERVED // chunk, []
    for stage in (each for each in launch.stages if "shared" in (each.source, each.goal)):
        bits = [launch.padded(1 << launch.tile.index(slot)) for slot in stage.work]
        threads = range(min(lanes, launch.nest.threads, 1 << len(bits)))
        banks = [sum(at for b, at in enumerate(bits) if t >> b & 1) % lanes for t in threads]
        found.append(max(map(banks.count, banks)))
    return found


@pytest.mark.sampled(20)
@pytest.mark.parametrize(("target", "bits", "order", "inverse"), CASES)
def test_neighbouring_threads_meet_in_no_bank(target: str, bits: int, order: str, inverse: bool) -> None:
    for log_n in (*range(1, 15), 18, 22):
        for negacyclic in (False, True):
            plan = ThreadPlan(make_spec(
                "ntt", n=1 << log_n, modulus_bits=bits, bits=-(-bits // 32) * 32, order=order, inverse=inverse,
                negacyclic=negacyclic, target=target,
            ))  # fmt: skip
            for launch in plan.launches:
                assert set(_meetings(launch, plan.arith.stride)) <= {1}, (log_n, launch.tile)


def test_places_without_padding_meet() -> None:
    """The rule above can fail: threads a whole row of banks apart meet where nothing stands between the rows."""
    plan = ThreadPlan(make_spec("ntt", n=1024, bits=128, target="cuda"))
    (launch,) = plan.launches
    object.__setattr__(launch.nest, "padding", 30)
    assert max(_meetings(launch, plan.arith.stride)) > 1
