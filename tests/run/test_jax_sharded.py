"""Transforms on several devices: eight of one process, and those of two processes."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

import momagen as mg
from momagen.errors import MomagenError

jax = pytest.importorskip("jax")

WHOLE = """
import random, numpy as np, jax
import momagen as mg

def numbers(words):
    parts = [np.asarray(word).reshape(-1).tolist() for word in words]
    return [sum(word << 32 * at for at, word in enumerate(each)) for each in zip(*parts)]

for n, bits, negacyclic in {cases}:
    kernel = mg.sharded_ntt(n, modulus_bits=bits, negacyclic=negacyclic)
    same = {{"modulus": kernel.modulus, "root": kernel.root, "negacyclic": negacyclic}}
    x = [random.Random(n).randrange(kernel.modulus) for _ in range(n)]
    y = kernel(kernel.place(x))
    assert numbers(y) == mg.ntt(n, **same)(x), (n, bits)
    assert len(y[0].sharding.device_set) == 8
    back = mg.sharded_ntt(n, inverse=True, **same)
    assert numbers(back(y)) == x, (n, bits)
    for each, given in ((kernel, kernel.place(x)), (back, y)):
        text = each.function.lower(given, each.twiddles).compile().as_text()
        assert text.count("all-to-all(") == len(y), text.count("all-to-all(")
        assert not any(word in text for word in ("all-gather", "all-reduce", "collective-permute"))
print("right")
"""

PART = """
import random, sys, numpy as np, jax
jax.distributed.initialize("127.0.0.1:{port}", num_processes=2, process_id=int(sys.argv[1]))
import momagen as mg

kernel = mg.sharded_ntt(1 << 12, modulus_bits=31, negacyclic=True)
x = [random.Random(1).randrange(kernel.modulus) for _ in range(kernel.n)]
(y,) = kernel(kernel.place(x))
wanted = mg.ntt(kernel.n, modulus=kernel.modulus, negacyclic=True)(x)
wanted = np.array(wanted, np.uint32).reshape(kernel.rows, kernel.columns)
assert len(y.sharding.device_set) == 8 and len(y.addressable_shards) == 4
assert all((np.asarray(shard.data) == wanted[shard.index]).all() for shard in y.addressable_shards)
print("right")
"""


def python(text: str, devices: int, *more: str) -> subprocess.Popen[str]:
    """A process of so many devices."""
    flags = {"XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}", "JAX_PLATFORMS": "cpu"}
    return subprocess.Popen([sys.executable, "-c", text, *more], env={**os.environ, **flags}, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip


def said(process: subprocess.Popen[str]) -> str:
    out, error = process.communicate(timeout=900)
    return out or error


@pytest.mark.thorough
@pytest.mark.parametrize("cases", [
    [(256, 28, True)], pytest.param([(512, 28, False), (128, 60, True), (64, 28, True)], marks=pytest.mark.slow),
    pytest.param([(1 << 18, 31, True), (1 << 16, 60, False), (1 << 12, 124, True)], marks=pytest.mark.slow),
])  # fmt: skip
def test_eight_devices_transform_as_one_with_one_exchange(cases: list[tuple[int, int, bool]]) -> None:
    assert said(python(WHOLE.format(cases=cases), 8)) == "right\n"


@pytest.mark.slow
def test_two_processes_transform_as_one() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    both = [python(PART.format(port=port), 4, str(at)) for at in range(2)]
    assert [said(process).splitlines()[-1] for process in both] == ["right"] * 2


def test_what_cannot_be_dealt_out_is_refused() -> None:
    with pytest.raises(MomagenError, match="axis among points"):
        mg.sharded_ntt(64, modulus_bits=28, mesh=jax.sharding.Mesh(jax.devices()[:1], ("points",)), axis="other")
    with pytest.raises(MomagenError, match="power of two"):
        mg.sharded_ntt(48, modulus_bits=28)
    with pytest.raises(MomagenError, match="that divides 1"):
        mg.sharded_ntt(2, modulus_bits=28)
    kernel = mg.sharded_ntt(16, modulus_bits=28)
    with pytest.raises(MomagenError, match=r"residues of shape \(4, 4\) or \(16,\), got shape \(3,\)"):
        kernel.place([1, 2, 3])
    with pytest.raises(MomagenError, match="residues below"):
        kernel.place([kernel.modulus] * 16)


def test_columns_of_one_device_may_be_more_than_other_targets_take() -> None:
    """2^30 points on 8 devices are 8192 columns of 2^14 on each."""
    asked = {"n": 1 << 14, "columns": 8192, "modulus_bits": 60}
    assert mg.ntt(target="jax", **asked).spec.elements == 1 << 27  # type: ignore[arg-type]
    with pytest.raises(MomagenError, match="at most 4096 columns"):
        mg.ntt(target="c", **asked)  # type: ignore[arg-type]
