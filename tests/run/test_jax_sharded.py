"""Transforms on several devices: eight of one process, and those of two processes."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from functools import reduce
from pathlib import Path

import gmpy2
import pytest

import momagen as mg
from momagen.errors import MomagenError

jax = pytest.importorskip("jax")

WHOLE = """
import random
import momagen as mg

for n, bits, negacyclic in {cases}:
    kernel = mg.sharded_ntt(n, modulus_bits=bits, negacyclic=negacyclic)
    same = {{"modulus": kernel.modulus, "root": kernel.root, "negacyclic": negacyclic}}
    x = [random.Random(n).randrange(kernel.modulus) for _ in range(n)]
    y = kernel(kernel.place(x))
    assert kernel.integers(y) == mg.ntt(n, **same)(x), (n, bits)
    assert len(y[0].sharding.device_set) == 8
    back = mg.sharded_ntt(n, inverse=True, **same)
    assert back.integers(back(y)) == x, (n, bits)
    for each, given in ((kernel, kernel.place(x)), (back, y)):
        text = each.function.lower(given, each.twiddles).compile().as_text()
        assert text.count("all-to-all(") == len(y), text.count("all-to-all(")
        assert not any(word in text for word in ("all-gather", "all-reduce", "collective-permute"))
print("right")
"""

SCALE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "jax-devices.md"
LIMIT = 300
"""Seconds that processes may take together."""


def python(text: str, devices: int, *more: str) -> subprocess.Popen[str]:
    """A process of so many devices."""
    flags = {"XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}", "JAX_PLATFORMS": "cpu"}
    return subprocess.Popen([sys.executable, "-c", text, *more], env={**os.environ, **flags}, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip


def said(process: subprocess.Popen[str]) -> str:
    out, error = process.communicate(timeout=LIMIT)
    assert process.returncode == 0, error
    return out


@pytest.mark.thorough
@pytest.mark.parametrize("cases", [
    [(256, 28, True)], pytest.param([(512, 28, False), (128, 60, True), (64, 28, True)], marks=pytest.mark.slow),
    pytest.param([(1 << 18, 31, True), (1 << 16, 60, False), (1 << 12, 124, True)], marks=pytest.mark.slow),
])  # fmt: skip
def test_eight_devices_transform_as_one_with_one_exchange(cases: list[tuple[int, int, bool]]) -> None:
    assert said(python(WHOLE.format(cases=cases), 8)) == "right\n"


def test_two_processes_of_two_devices_give_the_values_of_the_definition() -> None:
    """The program of docs/guides/jax-devices.md; value j is that at psi^(2·rev(j) + 1), in gmpy2's integers."""
    (program,) = re.findall(r"^```py\n(.*?)^```", SCALE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    told = [json.loads(out.splitlines()[-1]) for out in side_by_side(program)]
    assert told[0] == told[1] and (told[0]["devices"], told[0]["here"]) == (4, 2)
    q, psi, x = told[0]["modulus"], told[0]["root"], [i * i for i in range(256)]
    exponents = [2 * int(f"{j:08b}"[::-1], 2) + 1 for j in range(256)]
    points = [gmpy2.powmod(psi, exponent, q) for exponent in exponents]
    assert told[0]["values"] == [reduce(lambda sum_, c: (sum_ * point + c) % q, reversed(x), 0) for point in points]
    assert told[0]["values"] == mg.ntt(256, modulus=q, root=psi, negacyclic=True)(x)


def side_by_side(program: str) -> list[str]:
    """What two processes of one program print, which meet at a free port; none outlives the test."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    both = [python(program, 2, str(port), str(process)) for process in range(2)]
    try:
        return [said(process) for process in both]
    finally:
        for process in both:
            process.kill()


def test_what_cannot_be_dealt_out_is_refused() -> None:
    with pytest.raises(MomagenError, match="one of the axes points"):
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
