"""gcc orders the instructions of the kinds of kernels that a target lists, and of no others."""

from __future__ import annotations

import pytest

import momagen as mg
from momagen.kinds.registry import names as kinds
from momagen.targets import load_target, names

PRAGMA = '#pragma GCC optimize("schedule-insns", "sched-pressure")'


@pytest.mark.parametrize(
    ("target", "kind", "scheduled"),
    [("avx512ifma", "axpy", True), ("avx512", "axpy", False), ("avx512dq", "vmul", False), ("avx2", "vmul", False)],
)
def test_a_listed_kind_is_scheduled(target: str, kind: str, scheduled: bool) -> None:
    kernel = mg.blas(kind, modulus_bits=60, target=target)
    assert (PRAGMA in kernel.source) == scheduled == (kind in load_target(target).scheduled)


@pytest.mark.parametrize(
    ("bits", "digits", "scheduled"), [(28, 3, True), (50, 3, False), (60, 3, True), (60, 4, True)],
)
def test_rows_are_scheduled_unless_sums_should_be_reduced_one_by_one(bits: int, digits: int, scheduled: bool) -> None:
    kernel = mg.keyswitch(2, modulus_bits=bits, target="avx512ifma", digits=digits)
    assert (PRAGMA in kernel.source) == scheduled


@pytest.mark.parametrize(
    ("bits", "digits", "scheduled"), [(28, 3, True), (50, 3, True), (50, 4, False), (60, 3, False)]
)
def test_sums_of_one_vector_are_scheduled(bits: int, digits: int, scheduled: bool) -> None:
    kernel = mg.keyswitch(2, modulus_bits=bits, target="avx512", digits=digits)
    assert (PRAGMA in kernel.source) == scheduled


def test_kernels_on_rows_are_listed_by_their_own_kind() -> None:
    assert PRAGMA in mg.rescale(3, modulus_bits=50, target="avx512").source
    assert PRAGMA not in mg.convert(3, to=2, modulus_bits=50, target="avx512").source


@pytest.mark.parametrize("target", names())
def test_targets_list_kinds_that_exist(target: str) -> None:
    assert set(load_target(target).scheduled) <= {*kinds()}
