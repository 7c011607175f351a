"""Kernels called on arrays of JAX: traced, mapped, donated, exported, and on several devices."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import momagen as mg
from momagen.emit.jax.numbers import words
from momagen.errors import MomagenError

jax = pytest.importorskip("jax")

SHARDED = """
import jax, jax.numpy as jnp, numpy as np
import momagen as mg
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

kernel = mg.ntt(64, moduli=8, modulus_bits={bits}, negacyclic=True, target="jax")
names, tables = kernel.compiled.names, kernel.tables.tables
x = tuple(np.random.default_rng(1).integers(0, 1 << 27, (8, 8, 64), np.uint32) for _ in range(names["WORDS"]))
wanted = [np.asarray(word) for word in kernel(tuple(map(jnp.asarray, x)))]
mesh = Mesh(np.array(jax.devices()), ("d",))
for parts in (P("d", None, None), P(None, "d", None)):
    placed = tuple(jax.device_put(word, NamedSharding(mesh, parts)) for word in x)
    function = kernel.function()
    by_jit = function(placed)
    text = function.lower(placed).compile().as_text()
    assert not any(each in text for each in ("all-gather", "all-to-all", "collective-permute", "all-reduce"))
    rows = P("d") if parts[1] else P()
    mapped = jax.shard_map(names["traced"], mesh=mesh, in_specs=(rows, parts), out_specs=parts)
    by_map = jax.jit(mapped, compiler_options=names["OPTIONS"])(tables, placed)
    for found in (by_jit, by_map):
        assert len(found[0].sharding.device_set) == 8
        assert all((np.asarray(one) == other).all() for one, other in zip(found, wanted, strict=True))
print("equal on", len(jax.devices()))
"""


@pytest.mark.thorough
@pytest.mark.sampled(3)
@pytest.mark.parametrize("bits", [28, 60, 124])
def test_eight_devices_give_what_one_gives(bits: int) -> None:
    """Over moduli, and over the batch; and nothing is sent between them."""
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=8", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run([sys.executable, "-c", SHARDED.format(bits=bits)], env={**os.environ, **flags},
                          capture_output=True, text=True, timeout=600, check=False)  # fmt: skip
    assert done.stdout == "equal on 8\n", done.stderr


def numbers(modulus: int, n: int, seed: int) -> list[int]:
    rng = random.Random(seed)
    return [rng.randrange(modulus) for _ in range(n)]


@pytest.mark.thorough
@pytest.mark.parametrize("bits", [28, 60])
def test_a_call_on_arrays_gives_arrays(bits: int) -> None:
    import jax.numpy as jnp

    kernel = mg.ntt(32, modulus_bits=bits, target="jax")
    row, count = numbers(kernel.modulus, 32, 1), -(-bits // 32)
    parts = tuple(map(jnp.asarray, words(row, (32,), count)))
    whole, wanted = jnp.stack(parts, -1), [np.asarray(word) for word in words(kernel(row), (32,), count)]
    as_parts, as_whole = kernel(parts), kernel(whole)
    assert isinstance(as_parts, tuple) and as_whole.shape == (32, count)
    traced = jax.jit(lambda x: kernel(x), compiler_options=kernel.compiled.names["OPTIONS"])(whole)
    mapped = kernel(jnp.stack([whole] * 3)[None])[0, 2]
    for at in range(count):
        for found in (as_parts[at], as_whole[:, at], traced[:, at], mapped[:, at]):
            assert found.dtype == np.uint32 and (np.asarray(found) == wanted[at]).all()


def test_tables_that_are_made_while_jax_traces_are_kept() -> None:
    import jax.numpy as jnp

    kernel, matrix = mg.ntt(32, modulus_bits=28, target="jax"), mg.matmul([[1, 2], [3, 4]], modulus=97)
    x, y = jnp.arange(32, dtype=np.uint32), jnp.ones((2, 1), np.uint32)
    first = jax.jit(lambda x, y: (kernel(x), matrix(y)))(x, y)
    assert first[0].tolist() == kernel(x).tolist() and first[1].tolist() == matrix(y).tolist() == [[3], [7]]


def test_operands_are_donated_where_asked() -> None:
    import jax.numpy as jnp

    kernel = mg.ntt(64, modulus_bits=28, target="jax")
    x = jnp.arange(64, dtype=np.uint32)
    wanted = kernel(list(range(64)))
    assert kernel.function()(x).tolist() == wanted and not x.is_deleted()
    assert kernel.function(donate=True)(x).tolist() == wanted and x.is_deleted()


@pytest.mark.parametrize("platform", ["tpu", "cuda"])
@pytest.mark.parametrize("bits", [28, 60])
def test_functions_are_exported_for_machines_that_are_not_here(platform: str, bits: int) -> None:
    kernel = mg.ntt(64, moduli=2, modulus_bits=bits, negacyclic=True, target="jax")
    like = jax.ShapeDtypeStruct((3, 2, 64, -(-bits // 32)), np.uint32)
    made = jax.export.export(kernel.function(), platforms=[platform])(like)
    assert made.platforms == (platform,) and jax.export.deserialize(made.serialize()).out_avals[0].shape == like.shape


@pytest.mark.parametrize(("operand", "message"), [
    (lambda np_: np_.zeros((32, 3), "uint32"), "shape"), (lambda np_: np_.zeros((32,), "int32"), "uint32 JAX array"),
    (lambda np_: np_.zeros((32,), "float32"), "uint32 JAX array"), (lambda np_: (), "sequence of shape"),
])  # fmt: skip
def test_other_arrays_are_refused(operand: Any, message: str) -> None:
    import jax.numpy as jnp

    with pytest.raises(MomagenError, match=message):
        mg.ntt(32, modulus_bits=28, target="jax")(operand(jnp))


def test_scalars_belong_to_the_host() -> None:
    import jax.numpy as jnp

    kernel = mg.blas("axpy", modulus_bits=28, target="jax")
    x = jnp.arange(8, dtype=np.uint32)
    assert kernel(3, x, x).tolist() == [4 * each for each in range(8)]
    with pytest.raises(MomagenError, match="an integer on the host"):
        kernel(x[0], x, x)
    with pytest.raises(MomagenError, match="with scalar operands"):
        kernel.function()
    with pytest.raises(MomagenError, match="JAX arrays, which are immutable"):
        kernel(3, x, x, out=np.zeros(8, np.uint64))
    with pytest.raises(MomagenError, match="the shape of x"):
        kernel(3, x, x[:4])
    with pytest.raises(MomagenError, match="for JAX"):
        mg.ntt(8, modulus_bits=28).function()
