"""Every kind of kernel is saved, loaded, verified, displayed and, in C, timed in the same way."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import momagen as mg
from momagen.errors import MomagenError
from momagen.kinds.registry import names

pytestmark = pytest.mark.compiles

KERNELS: dict[str, Callable[[str], mg.Kernel]] = {
    "ntt": lambda target: mg.ntt(8, modulus=97, target=target),
    "polymul": lambda target: mg.polymul(8, modulus=97, target=target),
    "vmul": lambda target: mg.blas("vmul", modulus=97, target=target),
    "convert": lambda target: mg.convert([193, 97], to=[257], method="fast", target=target),
    "rescale": lambda target: mg.rescale([193, 257, 97], target=target),
    "keyswitch": lambda target: mg.keyswitch([193, 97], digits=2, input_factor=2, target=target),
    "moddown": lambda target: mg.moddown([193, 257, 97], drop=2, scale=5, plaintext_modulus=3, target=target),
    "matmul": lambda target: mg.matmul([[1, -2], [3, 4], [5, 6]], modulus=97, sums="barrett", target=target),
}
DEFAULTS: dict[str, dict[str, object]] = {
    "polymul": {"columns": 1, "coset": 0, "negacyclic": False}, "vmul": {"columns": 1, "inverse": False},
    "convert": {"positive": False, "scaled": False, "threads": 0}, "rescale": {"rounding": "nearest", "threads": 0},
    "keyswitch": {"outputs": 2, "threads": 0}, "moddown": {"threads": 0}, "matmul": {"sparse": False, "engine": ""},
}
"""Parameters that have their defaults in these kernels, as manifests have them."""
CASES = [
    *((kind, target) for kind in KERNELS if kind != "matmul" for target in ("c", "native", "cuda")),
    ("convert", "jax"), ("matmul", "jax"), ("ntt", "jax"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "target"), CASES)
def test_a_saved_kernel_is_the_same_and_passes(kind: str, target: str, tmp_path: Path) -> None:
    kernel = KERNELS[kind](target)
    kernel.save(tmp_path)
    again = mg.load(tmp_path)
    assert (again.spec, again.files, again.name) == (kernel.spec, kernel.files, kernel.name)
    assert (again.moduli, again.goals, again.operands) == (kernel.moduli, kernel.goals, kernel.operands)
    assert again.verify().ok and again.kind.name in names()
    assert str(kernel.target.name) in repr(again) and kernel.name in again.explain() and again._repr_html_()


@pytest.mark.parametrize("kind", KERNELS)
def test_a_kernel_that_was_saved_before_a_parameter_existed_is_loaded(kind: str, tmp_path: Path) -> None:
    """Whatever has its default may be missing, also all of it."""
    kernel = KERNELS[kind]("jax" if kind == "matmul" else "c")
    kernel.save(tmp_path)
    path = tmp_path / f"{kernel.name}.json"
    content = json.loads(path.read_text())
    usual = DEFAULTS.get(kind, {"columns": 1, "coset": 0, "blowup": 1, "options": {}, "roots": [], "negacyclic": False})
    assert usual.items() <= content["spec"].items()
    content["spec"] = {key: value for key, value in content["spec"].items() if key not in usual}
    path.write_text(json.dumps(content))
    assert mg.load(tmp_path).spec == kernel.spec


@pytest.mark.parametrize("kind", [kind for kind in KERNELS if kind != "matmul"])
def test_every_kind_is_timed_in_c(kind: str) -> None:
    result = KERNELS[kind]("native").bench(repetitions=2, seconds=0.1)
    assert result.ns.median > 0 and result.unit in str(result)


NOT_TIMED = [("convert", "cuda"), ("convert", "jax"), ("matmul", "jax"), ("ntt", "jax")]


@pytest.mark.parametrize(("kind", "target"), NOT_TIMED)
def test_what_is_not_compiled_for_this_cpu_is_not_timed(kind: str, target: str) -> None:
    with pytest.raises(MomagenError, match=r"compiled kernel|emulated"):
        KERNELS[kind](target).bench(repetitions=1, seconds=0.1)


BROKEN = [
    ("kind", "swap", "kernel: expected one of the kernels"), ("moduli", ["0x61", "0xzz"], "expected moduli in hex"),
    ("moduli", ["0x61"], "at least two moduli"), ("threads", "two", "threads: expected an integer"),
    ("target", "avx3", "Expected a target such as"), ("more", 1, "more"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "value", "message"), BROKEN)
def test_a_broken_manifest_is_one_error(key: str, value: object, message: str, tmp_path: Path) -> None:
    path = KERNELS["rescale"]("c").save(tmp_path) / "rescale3_9b_c.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["spec"][key] = value
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(MomagenError, match=message):
        mg.load(tmp_path)


@pytest.mark.parametrize(("kind", "key", "value", "message"), [
    ("keyswitch", "input_factor", 3, "input_factor: expected one of 1, 2, 4, got 3"),
    ("keyswitch", "outputs", 5, "outputs: expected from 1 to 4, got 5"),
    ("moddown", "method", "quick", "method: expected one of exact, corrected, fast, got quick"),
])  # fmt: skip
def test_a_manifest_has_only_values_that_are_declared(
    kind: str, key: str, value: object, message: str, tmp_path: Path
) -> None:
    kernel = KERNELS[kind]("c")
    path = kernel.save(tmp_path) / f"{kernel.name}.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["spec"][key] = value
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(MomagenError, match=message):
        mg.load(tmp_path)


@pytest.mark.parametrize("rows", [["0x1 0x2"], ["0x1", "0x2", "0x3"], ["0x1 x", "0x1 0x2", "0x1 0x3"]])
def test_a_broken_matrix_is_one_error(rows: list[str], tmp_path: Path) -> None:
    kernel = KERNELS["matmul"]("jax")
    path = kernel.save(tmp_path) / f"{kernel.name}.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["spec"]["matrix"] = rows
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(MomagenError, match="matrix"):
        mg.load(tmp_path)
