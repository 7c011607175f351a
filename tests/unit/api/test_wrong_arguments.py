"""Wrongly typed, huge and missing arguments of every public function: a result or one clear error, soon."""

from __future__ import annotations

import inspect
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import momagen as mg
from momagen.errors import quoted

pytestmark = pytest.mark.compiles

SECONDS = 3.0
"""Within which a call is refused, also beside seven busy processes; the limit that we promise is 0.1 s."""
ODD: list[Any] = [
    None, True, 0, -1, 1, 2, 3, 7, 1.5, 0.0, float("nan"), float("inf"), 10**9, 10**12, 2**63, 2**64, -(2**70),
    10**5000,
    "", "0", "-1", "x", "97", "97,101", "2^5", "1e9", "9^9^9", "a\0b", "é", b"x", [], [0], [1, 2], [None], ["x"], [[]],
    (), (1,), {}, {"x": 1}, {1, 2}, object(), np.int64(5), np.float64(5), np.arange(4), np.array(None), range(10**12),
]  # fmt: skip
CALLS: dict[str, dict[str, Any]] = {
    "ntt": {"n": 8, "modulus_bits": 30}, "lde": {"n": 8, "blowup": 2, "modulus_bits": 30},
    "polymul": {"n": 8, "modulus_bits": 30}, "basemul": {"n": 8, "depth": 2, "modulus_bits": 30},
    "blas": {"kind": "vmul", "modulus_bits": 30}, "kernel": {"kind": "vmul", "modulus_bits": 30},
    "convert": {"moduli": [97, 101], "to": [3], "target": "c"},
    "matmul": {"matrix": [[1, 2], [3, 4]], "modulus": 97}, "rescale": {"moduli": [97, 101, 103]},
    "keyswitch": {"moduli": [97, 101]}, "moddown": {"moduli": [97, 101, 103]},
    "automorphism": {"n": 8, "g": 3}, "sharded_ntt": {"n": 64, "modulus_bits": 30},
    "library": {"source": "small", "kernels": ["vadd:bits=30"], "targets": ["c"]}, "load": {"path": "nothing"},
    "rns_context": {"name": "small", "max_n": 8, "modulus_bits": 28, "targets": ["c"]},
    "sweep": {"n": [8], "modulus_bits": [1], "targets": ["c"]}, "tune": {"kind": "vmul", "modulus_bits": 1},
    "explain": {"operation": "addmod"}, "supports": {"kind": "vmul", "modulus_bits": 30}, "targets": {},
    "inspect": {"library": "nothing", "entry": "none"},
}  # fmt: skip
"""Of each public function a call that it takes, or refuses only because nothing is measured in this test."""
LONG = {"sweep": "modulus_bits", "tune": "modulus_bits", "rns_context": "targets"}
"""Functions that measure or generate many kernels, and the argument of their call that prevents it."""
SAMPLE = 250


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls with one argument replaced."""
    for name, given in CALLS.items():
        for each in inspect.signature(getattr(mg, name)).parameters.values():
            if each.kind is not each.VAR_POSITIONAL and LONG.get(name) != each.name:
                yield from ((name, {**given, each.name: value}) for value in ODD)


def refused_or_done(call: Callable[..., object], given: dict[str, Any], name: str) -> None:
    begin, what = time.perf_counter(), f"{name}{quoted(given)}"
    try:
        call(**given)
    except mg.MomagenError as error:
        assert "\n" not in str(error) and len(str(error)) < 3000, what
        assert time.perf_counter() - begin < SECONDS, what
    except Exception as error:
        raise AssertionError(f"{what}: {error!r}") from error


def test_every_public_function_has_a_call() -> None:
    functions = {name for name in mg.__all__ if inspect.isfunction(getattr(mg, name))}
    assert functions == CALLS.keys()


@pytest.mark.parametrize("share", [1, pytest.param(0, marks=pytest.mark.slow)])
def test_odd_arguments_are_refused_in_one_line(share: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    every = list(cases())
    for name, given in random.Random("arguments").sample(every, SAMPLE) if share else every:
        refused_or_done(getattr(mg, name), given, f"mg.{name}")


METHODS = {
    "at": "n", "with_modulus": "modulus", "with_automorphism": "g", "save": "folder", "compile": "compiler",
    "function": "donate",
}  # fmt: skip
"""Of a kernel, with an argument of each that may be anything."""


@pytest.mark.parametrize("name", METHODS)
def test_methods_of_kernels_refuse_odd_arguments(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    kernel = mg.ntt(8, modulus_bits=30)
    for value in ODD:
        refused_or_done(getattr(kernel, name), {METHODS[name]: value}, f"k.{name}")


def test_a_proof_refuses_odd_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    kernel = mg.blas("vadd", modulus_bits=30, target="python")  # without C source, so that nothing is searched for
    for value in ODD:
        refused_or_done(kernel.prove, {"certificate": value}, "k.prove")


@pytest.mark.parametrize("name", CALLS)
def test_calls_that_do_not_fit_a_signature_are_refused(name: str) -> None:
    function = getattr(mg, name)
    with pytest.raises(mg.MomagenError):
        function(**CALLS[name], device=3)
    with pytest.raises(mg.MomagenError):
        function(*[object()] * 40)


def test_the_nearest_argument_is_suggested() -> None:
    with pytest.raises(mg.MomagenError, match=r"sharded_ntt\(\): expected one of the arguments n, mesh.*, got devices"):
        mg.sharded_ntt(64, devices=3)  # type: ignore[call-arg]
    with pytest.raises(mg.MomagenError, match="did you mean modulus_bits"):
        mg.convert(2, to=2, modulus_bit=50)  # type: ignore[call-arg]
