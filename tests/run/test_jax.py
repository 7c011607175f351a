"""Kernels for the target jax: modules of array operations, run by XLA on this CPU, verified against gmpy2."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import momagen as mg
from momagen.cli import main
from momagen.emit.jax.constants import derived_text
from momagen.emit.jax.numbers import number, packed, powers, unpacked, words
from momagen.errors import MomagenError
from momagen.formula.breakdown import ALGORITHMS
from momagen.kinds.modular.make_spec import make_spec
from momagen.plan.array_plan import ArrayPlan
from momagen.plan.schedule.arrays import ArrayPass, array_passes, interleavings, transposition
from momagen.rewrite.rules.operations import CONSTANTS
from momagen.targets import load_target

TRANSFORMS = [
    {"n": 256, "modulus_bits": 28, "negacyclic": True}, {"n": 128, "modulus_bits": 31, "inverse": True},
    {"n": 64, "modulus_bits": 32, "order": "natural", "negacyclic": True, "inverse": True},
    {"n": 64, "modulus_bits": 60, "order": "natural"}, {"n": 64, "modulus_bits": 64, "negacyclic": True},
    {"n": 32, "modulus_bits": 95, "inverse": True}, {"n": 32, "modulus_bits": 124, "negacyclic": True},
    {"n": 64, "moduli": 2, "modulus_bits": 28},
]  # fmt: skip


@pytest.fixture(autouse=True)
def _jax() -> None:
    pytest.importorskip("jax", reason="JAX is missing")


@pytest.mark.thorough
@pytest.mark.parametrize("asked", TRANSFORMS, ids=lambda asked: "-".join(map(str, asked.values())))
def test_transforms_are_verified(asked: dict[str, Any]) -> None:
    assert mg.ntt(target="jax", **asked).verify().ok


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("kind", "bits"), [
    ("vadd", 31), ("vsubs", 28), ("vmul", 28), ("vmul", 97), ("axpy", 60), ("scal", 32), ("reduce", 28), ("cmpsub", 28),
])  # fmt: skip
def test_element_wise_kernels_are_verified(kind: str, bits: int) -> None:
    assert mg.blas(kind, modulus_bits=bits, target="jax").verify().ok


def module(kernel: mg.Kernel) -> dict[str, Any]:
    """What a user has who takes the text alone."""
    names: dict[str, Any] = {}
    exec(kernel.source, names)
    return names


def test_a_module_alone_is_jitted_and_mapped() -> None:
    import jax

    kernel, other = (mg.ntt(128, modulus_bits=28, negacyclic=True, target=target) for target in ("jax", "c"))
    own, rng = module(kernel), random.Random(1)
    tables = own["create"](kernel.modulus, kernel.root)
    x = [[rng.randrange(kernel.modulus) for _ in range(128)] for _ in range(6)]
    rows = np.array(x, np.uint32)
    wanted = [other(row) for row in x]
    (found,) = own["execute"](tables, (rows,))
    assert found.tolist() == wanted
    mapped = jax.jit(jax.vmap(lambda some: own["execute"](tables, (some,))[0]))
    assert mapped(rows.reshape(2, 3, 128)).reshape(6, 128).tolist() == wanted


def test_chains_of_words_are_mapped_as_they_are_traced() -> None:
    """Options of the compiler belong to the outermost function."""
    import jax

    kernel = mg.ntt(32, modulus_bits=60, target="jax")
    own, rng = module(kernel), random.Random(2)
    tables = own["create"](kernel.modulus, kernel.root)
    rows = [[rng.randrange(kernel.modulus) for _ in range(32)] for _ in range(2)]
    x = words([each for row in rows for each in row], (2, 1, 32), 2)
    mapped = jax.jit(jax.vmap(lambda *some: own["traced"](tables, some)), compiler_options=own["OPTIONS"])
    low, high = (np.asarray(word).reshape(-1) for word in mapped(*x))
    assert [number(pair) for pair in zip(low, high, strict=True)] == [each for row in rows for each in kernel(row)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("asked", [
    {"modulus_bits": 28, "moduli": 3}, {"modulus_bits": 60, "moduli": 2, "inverse": True},
    {"modulus_bits": 28, "columns": 70}, {"modulus_bits": 28, "columns": 3, "moduli": 2, "order": "natural"},
])  # fmt: skip
def test_moduli_and_columns_are_axes(asked: dict[str, Any]) -> None:
    assert mg.ntt(64, negacyclic=True, target="jax", **asked).verify().ok


@pytest.mark.thorough
@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", ["vmul", "axpy", "vadd", "cmpadd"])
def test_moduli_of_any_lengths_stand_in_one_call(kind: str) -> None:
    assert mg.blas(kind, moduli=[97, 65537, 268435399], target="jax").verify().ok


@pytest.mark.thorough
@pytest.mark.sampled(2)
@pytest.mark.parametrize("asked", [
    {"modulus_bits": 28, "negacyclic": True}, {"modulus_bits": 60}, {"modulus_bits": 31, "moduli": 2},
])  # fmt: skip
def test_products_of_polynomials_are_verified(asked: dict[str, Any]) -> None:
    assert mg.polymul(32, target="jax", **asked).verify().ok


def test_numbers_are_cut_and_never_short() -> None:
    assert number(words([0xFFFFFFFF00000001], (), 2)) == 0xFFFFFFFF00000001
    with pytest.raises(OverflowError, match="more than 1 words"):
        words([1, 1 << 32], (2,), 1)
    assert powers(97, 5, 2, [1, 3]).tolist() == [pow(5, e, 97) for e in (2, 3, 5, 6)]


@pytest.mark.parametrize("order", ["bitrev", "natural"])
@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.sampled(4)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_data_flow_is_verified(algorithm: str, inverse: bool, order: str) -> None:
    kernel = mg.ntt(
        32, modulus_bits=28, negacyclic=inverse, inverse=inverse, order=order, algorithm=algorithm, target="jax"
    )
    assert kernel.verify().ok


def test_the_plan_is_what_is_printed() -> None:
    kernel = mg.ntt(4096, modulus_bits=28, target="jax")
    passes = kernel.plan.passes
    assert [each.levels for each in passes] == [1] * 7 + [0] + [1] * 5 + [0]
    assert [at for at, each in enumerate(passes) if each.note == "reorders"] == [7, 13]
    assert kernel.source.count("x = moved(") == 1
    assert kernel.source.count("x = behind(") == 3
    assert "axis of an array" in str(kernel.plan)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_interleavings_give_the_order(most: int) -> None:
    rng = random.Random(most)
    orders = [(3, 4, 0, 1, 2), (4, 3, 2, 1, 0), (0, 1, 2, 3, 4), *(tuple(rng.sample(range(5), 5)) for _ in range(9))]
    for order in orders:
        shape, axes = transposition(order)
        wanted = np.arange(32).reshape(shape).transpose(axes).reshape(-1)
        found = np.arange(32)
        for sizes in interleavings(order, most):
            assert sizes[1] <= 1 << most
            found = np.moveaxis(found.reshape(sizes), 1, 2).reshape(-1)
        assert (found == wanted).all(), order


def test_long_residues_are_held_in_64_bit_words_where_there_are_such() -> None:
    held = {name: make_spec("ntt", n=64, modulus_bits=60, target=name).arith.word
            for name in ("jax", "jax_cpu", "jax_gpu", "jax_tpu")}  # fmt: skip
    assert held == {"jax": 64, "jax_cpu": 64, "jax_gpu": 64, "jax_tpu": 32}
    assert make_spec("ntt", n=64, modulus_bits=32, target="jax").arith.word == 32
    for name in ("jax_cpu", "jax_words64"):  # false under a parent's [wide] is a value, and no row that is left out
        assert load_target(name).wide == {"xla_cpu_use_fusion_emitters": False}


@pytest.mark.parametrize(("asked", "count"), [
    ({"modulus_bits": 64}, 2), ({"modulus_bits": 65}, 3), ({"modulus_bits": 96}, 3), ({"modulus_bits": 97}, 4),
    ({"modulus_bits": 96, "output_factor": 2}, 4), ({"modulus_bits": 60, "target": "jax_words64"}, 2),
])  # fmt: skip
def test_the_words_outside_have_32_bits(asked: dict[str, Any], count: int) -> None:
    assert module(mg.ntt(16, **{"target": "jax", **asked}))["WORDS"] == count


def test_products_of_several_words_are_not_fused_with_what_reads_them() -> None:
    kernel, gpu = (mg.ntt(32, modulus_bits=124, target=target) for target in ("jax", "jax_gpu"))
    own = module(kernel)
    x = tuple(np.zeros((1, 32), np.uint32) for _ in range(4))
    text = own["compiled"].lower(own["create"](kernel.modulus, kernel.root), x).compile().as_text()
    assert text.count(" call(") == 5 and "materialised" not in gpu.source


def test_tables_are_few_arrays() -> None:
    shapes = {"q": ((), 2), "v": ((2, 3), 1)}
    packed_words = packed({"q": [7 << 32 | 5], "v": range(6), "m": "as it is"}, shapes)
    assert packed_words["words"].tolist() == [5, 7, 0, 1, 2, 3, 4, 5]
    found = unpacked(packed_words, shapes)
    assert number(found["q"]) == 7 << 32 | 5 and found["v"][0].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found["m"] == "as it is"
    kernel = mg.ntt(64, moduli=3, modulus_bits=28, target="jax")
    assert {name: each.shape[0] for name, each in kernel.tables.tables.items()} == {"words": 3}


def test_create_refuses_what_is_not_served() -> None:
    kernel = mg.ntt(64, modulus_bits=28, target="jax")
    create = module(kernel)["create"]
    q = kernel.modulus
    for given, root in ((q - 1, 1), (1 << 28 | 1, 1)):
        with pytest.raises(ValueError, match="BAD_MODULUS"):
            create(given, root)
    for root in (1, q + kernel.root):
        with pytest.raises(ValueError, match="BAD_ROOT"):
            create(q, root)


def test_a_mistake_is_found(tmp_path: Path) -> None:
    kernel = mg.ntt(64, modulus_bits=28, target="jax")
    saved = kernel.save(tmp_path) / f"{kernel.name}.py"
    assert mg.load(tmp_path).verify().ok
    saved.write_text(kernel.source.replace("x1[0] * v1[0]", "x1[0] * u1[0]", 1), encoding="utf-8")
    assert not mg.load(tmp_path).verify().ok


@pytest.mark.parametrize("asked", [{"order": "bitrev"}, {"order": "natural"}, {"order": "natural", "inverse": True}])
def test_the_last_axis_is_long(asked: dict[str, Any]) -> None:
    """Where no 32 elements lie side by side beside the legs, an array is transposed."""
    spec = make_spec("ntt", n=4096, modulus_bits=28, target="jax", **asked)
    passes = [*array_passes(ArrayPlan(spec).schedule)]
    found = [each for each in passes if isinstance(each, ArrayPass)]
    assert len(found) == 12 and all(each.shape[-1] >= 32 for each in found)
    assert sum(each.moved is not None for each in found) + (len(passes) > 12) <= 2
    for each in found:
        assert sorted(bit for bits in each.axes for bit in bits) == [*range(12)]


def test_constants_are_what_rules_derive() -> None:
    q, v = (1 << 28) - 57, 123456789
    of_q = [("inverse", 32), ("opposite", 32), ("square", 32), ("below", 40), ("estimate", 40), ("shifted", 3)]
    for op, k, argument in [("over", 32, "v"), ("scaled", 32, "v"), *((op, k, "q") for op, k in of_q)]:
        found = eval(derived_text(op, k, argument), {"q": q, "v": v})
        arguments = (v, q) if argument == "v" else (q,)
        assert (found,) == tuple(CONSTANTS[op].meaning(64, k, *arguments)), op


def test_a_text_needs_no_jax(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    wanted = ["ntt", "--n", "64", "--modulus-bits", "28", "--target", "jax", "--output", str(tmp_path)]
    assert main([*wanted, "--no-verify"]) == 0 and [*tmp_path.glob("*.py")]
    with pytest.raises(MomagenError, match=r"JAX cannot be imported: .*; install it with"):
        mg.ntt(64, modulus_bits=28, target="jax").verify()


REFUSED = [
    ({"n": 64, "coset": 7}, "`coset` is not"), ({"n": 64, "radix": 3}, "one of 2, 4, 8, 16, got 3"),
    ({"n": 64, "quotients": "computed"}, "`quotients` is not"), ({"n": "any"}, "available on jax"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "expected"), REFUSED)
def test_what_is_not_printed_is_refused(asked: dict[str, Any], expected: str) -> None:
    with pytest.raises(MomagenError, match=expected):
        mg.ntt(modulus_bits=28, target="jax", **asked)
