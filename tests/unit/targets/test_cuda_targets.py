"""The GPUs as targets: cuda with other numbers, and the plans that follow from them."""

from __future__ import annotations

from dataclasses import fields

import pytest

from momagen.kinds.modular.make_spec import make_spec
from momagen.plan.thread_plan import ThreadPlan
from momagen.targets import load_target, names

GPUS = [name for name in names() if name.startswith("cuda_sm")]
NUMBERS = {"name", "title", "architecture", "memory", "tested_on"}
BYTES = {"sm_70": 96, "sm_75": 64, "sm_80": 163, "sm_86": 99, "sm_89": 99, "sm_90": 227, "sm_100": 227, "sm_120": 99}
"""KiB of shared memory that a block may have: CUDA C++ Programming Guide, technical specifications by capability."""


@pytest.mark.parametrize("name", GPUS)
def test_a_gpu_is_cuda_with_other_numbers(name: str) -> None:
    own, portable = load_target(name), load_target("cuda")
    other = {f.name for f in fields(own) if getattr(own, f.name) != getattr(portable, f.name)} - {"requested"}
    assert other <= NUMBERS and own.name == name == f"cuda_{own.architecture.replace('_', '')}"
    assert own.first.bytes == BYTES[own.architecture] << 10 and own.first.line == portable.first.line


def test_every_architecture_is_a_target_and_says_what_it_was_run_on() -> None:
    assert {load_target(name).architecture for name in GPUS} == {*BYTES}
    run = {"cuda", "cuda_sm90"}
    assert {load_target(name).tested_on for name in run} == {"PTX on the CPU, H100, H200"}
    assert {load_target(name).tested_on for name in {*GPUS} - run} == {"PTX on the CPU, no GPU"}
    assert load_target("cuda").first.bytes == 48 << 10, "what every GPU gives without being asked"


def _launches(bits: int, log_n: int) -> int:
    return len(ThreadPlan(make_spec("ntt", n=1 << log_n, bits=bits, target="cuda_sm90")).launches)


@pytest.mark.parametrize(("bits", "one"), [(32, 14), (64, 12), (128, 11), (256, 10), (384, 10), (768, 9)])
def test_one_kernel_holds_what_a_block_may_have_of_shared_memory_and_two_the_rest(bits: int, one: int) -> None:
    """Points of one kernel on sm_90: the largest powers of two whose residues fit with their padding in a quarter of
    227 KiB, so that four blocks share a processor, or in half of that where a residue is one word."""
    assert [_launches(bits, log_n) for log_n in (one, one + 1, 18)] == [1, 2, 2]
    assert _launches(bits, 22) == (2 if bits <= 64 else 3)


@pytest.mark.parametrize("name", ["cuda", *GPUS])
@pytest.mark.parametrize("bits", [32, 64, 128, 384, 768, 1024])
def test_no_block_asks_for_more_than_there_is(name: str, bits: int) -> None:
    for log_n in (1, 6, 12, 16):
        plan = ThreadPlan(make_spec("ntt", n=1 << log_n, bits=bits, order="natural", target=name))
        for launch in plan.launches:
            assert launch.shared * plan.arith.stride * 4 <= plan.target.first.bytes, (log_n, launch.tile)
