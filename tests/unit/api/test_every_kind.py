"""Every public property and method of a kernel works for every kind, or says in one line why it does not."""

from __future__ import annotations

import inspect
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import momagen as mg
from momagen.kinds.registry import names

MODULAR = {"modulus_bits": 30}
ROWS = {"moduli": 3, "modulus_bits": 30}
GIVEN: dict[str, dict[str, Any]] = {
    "ntt": {"n": 8, **MODULAR}, "polymul": {"n": 8, **MODULAR}, "basemul": {"n": 8, "depth": 2, **MODULAR},
    "lde": {"n": 8, "blowup": 2, "coset": 1, **MODULAR}, "convert": {"to": 2, **ROWS}, "rescale": ROWS,
    "keyswitch": ROWS, "moddown": {"drop": 1, **ROWS}, "matmul": {"matrix": [[1, 2], [3, 4]], "modulus": 97},
}  # fmt: skip
"""The parameters of one kernel of each kind; element-wise kernels need the width of the modulus alone."""
ARGUMENTS: dict[str, dict[str, Any]] = {
    "at": {"n": 4}, "with_modulus": {"modulus": 65537}, "with_automorphism": {"g": 3}, "bench": {"seconds": 0.01},
}
"""The arguments of methods that need some."""
ELSEWHERE = {"save", "compile"}
OF_SOME = {"at", "function", "threads"}
"""What a kernel for C of one size and one thread refuses, whatever its kind."""
OF_TRANSFORMS = {"formula", "inverse", "order", "plan", "points", "schedule", "with_automorphism"}
KINDS = list(names())


def refused_by(kind: str) -> set[str]:
    """The public members that a kernel of a kind refuses."""
    by_kind = {"ntt": set[str](), "matmul": {"with_modulus", "bench"} | OF_TRANSFORMS}
    of_rows = {"with_modulus"} if kind in ("convert", "rescale", "keyswitch", "moddown") else set[str]()
    return (OF_SOME - ({"function"} if kind == "matmul" else set())) | by_kind.get(kind, OF_TRANSFORMS | of_rows)


def kernel_of(kind: str) -> mg.Kernel:
    target = {} if kind == "matmul" else {"target": "c"}
    return mg.kernel(kind, **GIVEN.get(kind, MODULAR), **target)


def refuses(kernel: mg.Kernel, name: str) -> bool:
    """Whether a member, called if it is a method, raises momagen's error, which is one line."""
    try:
        found = getattr(kernel, name)
        if inspect.ismethod(found):
            found(**ARGUMENTS.get(name, {}))
    except mg.MomagenError as error:
        assert str(error).startswith(kernel.name) and "\n" not in str(error)
        return True
    return False


@pytest.mark.compiles
@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", KINDS)
def test_each_member_has_a_result_or_a_reason(kind: str) -> None:
    kernel = kernel_of(kind)
    public = [name for name in dir(mg.Kernel) if not name.startswith("_") and name not in ELSEWHERE]
    assert {name for name in public if refuses(kernel, name)} == refused_by(kind)


@pytest.mark.parametrize("kind", ["convert", "rescale", "keyswitch", "moddown", "matmul"])
def test_kinds_without_with_modulus_are_named(kind: str) -> None:
    with pytest.raises(mg.MomagenError, match=f"with_modulus.. is not available for kernels of the kind {kind}; build"):
        kernel_of(kind).with_modulus(65537)


@pytest.mark.compiles
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_saved_loaded_pickled_and_verified(kind: str, tmp_path: Path) -> None:
    kernel = kernel_of(kind)
    kernel.save(tmp_path)
    assert json.loads((tmp_path / f"{kernel.name}.json").read_text())["spec"]["kind"] == kind
    again = mg.load(tmp_path)
    assert again.verify() and pickle.loads(pickle.dumps(again)).spec == kernel.spec
    assert kernel.name in kernel._repr_html_()


@pytest.mark.parametrize("kind", KINDS)
def test_a_library_has_each_kind_or_says_why_not(kind: str) -> None:
    row = {"kind": kind, **GIVEN.get(kind, MODULAR)}
    if kind == "matmul":
        with pytest.raises(mg.MomagenError, match="C libraries cannot contain kernels of the kind matmul"):
            mg.library("small", [row], targets=["c"])
    else:
        assert len(mg.library("small", [row], targets=["c"]).members) == 1
