"""gcc orders the instructions of the kinds of kernels that a target lists, and of no others."""

from __future__ import annotations

import pytest

import momagen as mg
from momagen.kinds.modular.lists import MADE
from momagen.targets import load_target, names

PRAGMA = '#pragma GCC optimize("schedule-insns", "sched-pressure")'


@pytest.mark.parametrize(
    ("target", "kind", "scheduled"),
    [("avx512ifma", "axpy", True), ("avx512", "axpy", False), ("avx512dq", "vmul", False), ("avx2", "vmul", False)],
)
def test_a_listed_kind_is_scheduled(target: str, kind: str, scheduled: bool) -> None:
    kernel = mg.blas(kind, modulus_bits=60, target=target)
    assert (PRAGMA in kernel.source) == scheduled == (kind in load_target(target).scheduled)


@pytest.mark.parametrize(("bits", "scheduled"), [(28, True), (50, False), (60, True)])
def test_rows_follow_axpy_unless_sums_should_be_reduced_one_by_one(bits: int, scheduled: bool) -> None:
    kernel = mg.keyswitch(2, modulus_bits=bits, target="avx512ifma")
    assert (PRAGMA in kernel.source) == scheduled


@pytest.mark.parametrize("target", names())
def test_targets_list_kinds_that_exist(target: str) -> None:
    assert set(load_target(target).scheduled) <= set(MADE)
