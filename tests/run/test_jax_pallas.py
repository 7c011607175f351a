"""Dense steps as one Pallas kernel: interpreted and verified here, lowered by Mosaic for TPUs that are not here."""

from __future__ import annotations

import importlib.util
import os
import random
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import momagen as mg
from momagen.errors import MomagenError
from momagen.kernels.matrices.blocks import MatrixBlock
from momagen.kinds.modular.make_spec import make_spec
from momagen.plan.planners.matrices import matrix_plan
from momagen.plan.schedule.matrices import MatrixPass, MatrixTransform
from momagen.targets import load_target

jax = pytest.importorskip("jax")

FUSED: dict[str, Any] = {"target": "jax_tpu", "fused": True}
TRANSFORMS = [
    {"n": 256, "modulus_bits": 28, "negacyclic": True}, {"n": 64, "modulus_bits": 16, "dense": 8},
    {"n": 64, "modulus_bits": 31, "inverse": True, "dense": 16}, {"n": 2, "modulus_bits": 28},
    {"n": 64, "modulus_bits": 60, "dense": 8}, {"n": 64, "modulus_bits": 60, "inverse": True, "order": "natural"},
    {"n": 512, "modulus_bits": 28, "dense": 8, "order": "natural"}, {"n": 64, "modulus_bits": 32, "dense": 8},
    {"n": 64, "modulus_bits": 20, "engine": "bfloat16", "dense": 8},
    {"n": 64, "modulus_bits": 28, "moduli": 3, "dense": 8}, {"n": 32, "modulus_bits": 60, "moduli": 2, "dense": 8},
    {"n": 64, "modulus_bits": 28, "columns": 3, "dense": 8}, {"n": 16, "modulus_bits": 28, "columns": 300, "dense": 4},
]  # fmt: skip


@pytest.mark.thorough
@pytest.mark.sampled(4)
@pytest.mark.parametrize("asked", TRANSFORMS, ids=lambda asked: "-".join(map(str, asked.values())))
def test_fused_transforms_are_verified(asked: dict[str, Any]) -> None:
    kernel = mg.ntt(**FUSED, **asked)
    assert "= fused((" in kernel.source and kernel.verify().ok


@pytest.mark.thorough
def test_products_of_polynomials_are_fused() -> None:
    kernel = mg.polymul(64, modulus_bits=28, dense=8, **FUSED)
    assert kernel.source.count("= fused((") == 4 and kernel.verify().ok


@pytest.mark.sampled(3)
@pytest.mark.parametrize("batch", [1, 7, 300])
@pytest.mark.parametrize(("n", "dense"), [(64, 64), (256, 16)])
def test_batches_that_fill_no_block_are_those_without_fused(batch: int, n: int, dense: int) -> None:
    """Last blocks are partly empty; and a function of it is mapped."""
    kernel = mg.ntt(n, modulus_bits=31, dense=dense, **FUSED)
    plain = mg.ntt(n, modulus=kernel.modulus, root=kernel.root, dense=dense, target="jax_tpu")
    rng = random.Random(batch)
    x = np.array([[rng.randrange(kernel.modulus) for _ in range(n)] for _ in range(batch)], np.uint32)
    x = jax.numpy.asarray(x)
    wanted = np.asarray(plain(x))
    assert (np.asarray(kernel(x)) == wanted).all()
    assert (np.asarray(jax.jit(jax.vmap(lambda row: kernel(row)))(x)) == wanted).all()


def lowered(batch: int, platform: str = "tpu", **asked: Any) -> str:
    """What is exported for a machine that is not here."""
    kernel = mg.ntt(**{"target": "jax_tpu", **asked})
    moduli = (len(kernel.spec.basis),) * bool(kernel.spec.basis)
    like = jax.ShapeDtypeStruct((batch, *moduli, kernel.spec.n, -(-kernel.spec.bits // 32)), np.uint32)
    return str(jax.export.export(kernel.function(), platforms=[platform])(like).mlir_module())


def sums(text: str) -> int:
    """The longest array of signed words, or of words of 64 bits, outside of kernels."""
    shapes = re.findall(r"tensor<((?:\d+x)+)(?:i32|ui64|i64)>", text)
    return max((int(np.prod([int(axis) for axis in shape.split("x")[:-1]])) for shape in shapes), default=0)


@pytest.mark.parametrize("asked", [
    {"n": 4096, "modulus_bits": 28, "negacyclic": True}, {"n": 4096, "modulus_bits": 60, "inverse": True},
    {"n": 1024, "modulus_bits": 31, "moduli": 2, "order": "natural"}, {"n": 65536, "modulus_bits": 28},
])  # fmt: skip
@pytest.mark.parametrize("x64", [False, True])
def test_mosaic_lowers_kernels_and_no_sum_is_outside_of_them(asked: dict[str, Any], x64: bool) -> None:
    """Two kernels, and no array of partial sums; without fused there is no kernel, and sums are there."""
    with jax.enable_x64(x64):
        text = lowered(4, fused=True, **asked)
    assert text.count("@tpu_custom_call") == 2 and sums(text) < asked["n"]
    if not x64:
        plain = lowered(4, **asked)
        assert "tpu_custom_call" not in plain and sums(plain) >= 4 * asked["n"]


def test_elsewhere_kernels_are_interpreted() -> None:
    text = lowered(4, "cuda", n=256, modulus_bits=28, fused=True)
    assert "custom_call" not in text.replace("@Sharding", "")


@pytest.mark.thorough
def test_high_words_are_made_of_half_words() -> None:
    target = load_target("jax_tpu")
    assert target.half_products and "mulhi(" not in mg.ntt(64, modulus_bits=28, **FUSED).source
    assert all(mg.blas(kind, modulus_bits=31, target="jax_tpu").verify().ok for kind in ("vmul", "vadd"))
    assert load_target("jax_words64").half_products and "mulhi(" not in mg.ntt(8, modulus_bits=60, target="jax").source


@pytest.mark.parametrize(("asked", "expected"), [
    ({"target": "jax"}, "`fused` is not available on jax"), ({"target": "c"}, "matrix engines"),
    ({"n": 1024, "dense": 1024}, "fused: expected blocks of at most 16777216 bytes, got .* with the option dense"),
    ({"fused": "maybe"}, "one of no, yes"), ({"engine": "float64"}, "one of the engines int8, bfloat16"),
])  # fmt: skip
def test_what_no_kernel_does_is_refused(asked: dict[str, Any], expected: str) -> None:
    with pytest.raises(MomagenError, match=expected):
        _ = mg.ntt(**{"n": 64, "modulus_bits": 28, **FUSED, **asked}).source


def test_blocks_fit_the_memory_that_is_nearest() -> None:
    target = load_target("jax_tpu")
    for n, bits in ((4096, 28), (65536, 28), (65536, 60), (512, 31)):
        plan = matrix_plan(make_spec("ntt", n=n, modulus_bits=bits, target="jax_tpu", options={"fused": "yes"}))
        assert isinstance(plan, MatrixTransform)
        for each in plan.passes:
            if isinstance(each, MatrixPass) and each.step.operands:
                block = MatrixBlock(each.size, each.choice.digits.count, each.choice.engine.takes, -(-bits // 32))
                assert each.nest.lanes % 128 == 0 and block.bytes(each.nest.lanes) <= target.first.bytes
    narrow = MatrixBlock(64, 4, "int8", 1)
    assert narrow.bytes(256) == 2 * 256**2 + 16 * 64 * 256 + 5 * 256 * 256
    assert narrow.lanes(512, narrow.bytes(256)) == 256
    with pytest.raises(MomagenError, match="one of the types of limbs int8, bfloat16, got float64"):
        MatrixBlock(64, 2, "float64", 1).lanes(256, 1 << 24)


def test_no_is_as_if_nothing_were_asked() -> None:
    asked: dict[str, Any] = {"modulus_bits": 28, "fused": "no"}
    assert "def products" not in mg.ntt(64, target="jax", **asked).source
    assert "= fused((" not in mg.ntt(64, target="jax_tpu", **asked).source


COMPILED = """
import jax, numpy as np
from jax.experimental import topologies
import momagen as mg

devices = topologies.get_topology_desc(platform="tpu", topology_name="v5e:2x2").devices
place = jax.sharding.SingleDeviceSharding(devices[0])
for bits in (28, 60):
    kernel = mg.ntt(4096, modulus_bits=bits, negacyclic=True, target="jax_tpu", fused=True)
    names, count = kernel.compiled.names, -(-bits // 32)
    given = names["tables"](kernel.modulus, kernel.root), (np.zeros((8, 4096), np.uint32),) * count
    like = jax.tree.map(lambda each: jax.ShapeDtypeStruct(each.shape, each.dtype, sharding=place), given)
    text = jax.jit(names["traced"]).lower(*like).compile().as_text()
    print(text.count('custom_call_target="tpu_custom_call"'), "s32[" in text)
"""


@pytest.mark.device
@pytest.mark.skipif(not importlib.util.find_spec("libtpu"), reason="libtpu, the compiler for TPUs, is missing")
def test_the_compiler_for_tpus_takes_them() -> None:
    told = {"JAX_PLATFORMS": "cpu", "TPU_SKIP_MDS_QUERY": "1", "TPU_ACCELERATOR_TYPE": "v5litepod-4",
            "TPU_WORKER_HOSTNAMES": "localhost", "TPU_WORKER_ID": "0"}  # fmt: skip
    done = subprocess.run([sys.executable, "-c", COMPILED], env={**os.environ, **told},
                          capture_output=True, text=True, timeout=600, check=False)  # fmt: skip
    assert done.stdout == "2 False\n2 False\n", done.stderr
