"""What timed calls work on: kernels by definition, behind function pointers, note every operand. Nothing is timed."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import gmpy2
import numpy as np
import pytest

from momagen.bench.measure.fresh import CHAINED, REFILLED, fresh, limit_of, scalars
from momagen.bench.measure.kernel import not_zero, timed_call
from momagen.kinds.modular.derived.meaning import meaning
from momagen.kinds.modular.lists import ANY_MODULUS
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.spec import Spec
from momagen.params import from_words, to_words

COUNT = 256
"""Residues of each vector."""
BITS, WIDE = 60, 100
SPECS = {
    **{kind: make_spec(kind, bits=WIDE) for kind in ANY_MODULUS},
    **{f"{kind}, one word": make_spec(kind, bits=BITS) for kind in ANY_MODULUS},
    "ntt": make_spec("ntt", n=8, bits=WIDE), "inverse ntt": make_spec("ntt", n=8, bits=BITS, inverse=True),
    "natural ntt": make_spec("ntt", n=8, bits=BITS, order="natural"),
    "polymul": make_spec("polymul", n=8, bits=BITS),
    "reduce, below 4q": make_spec("reduce", bits=BITS, options={"input_factor": "4"}),
}  # fmt: skip


def computed(spec: Spec, scalars: list[int], vectors: list[list[int]]) -> list[int]:
    """The kernel by its definition; of transforms and products on 8 points each, in any order."""
    q = spec.modulus
    if str(spec.kind) in ANY_MODULUS:
        return [int(meaning(spec, q, *scalars, *each)) for each in zip(*vectors, strict=True)]
    parts = [[vector[at : at + 8] for vector in vectors] for at in range(0, COUNT, 8)]
    if str(spec.kind) == "ntt":
        powers = [int(gmpy2.powmod(spec.root, i, q)) for i in range(8)]
        return [sum(v * powers[i * j % 8] for j, v in enumerate(x)) % q for (x,) in parts for i in range(8)]
    return [sum(x[j] * y[i - j] for j in range(8)) % q for x, y in parts for i in range(8)]


class Watched:
    """A kernel that notes the operands of every call."""

    def __init__(self, spec: Spec) -> None:
        self.spec, self.seen = spec, list[tuple[list[int], list[list[int]]]]()
        arguments = [ctypes.c_void_p] * (2 + len(spec.ranges.operands)) + [ctypes.c_size_t]
        kind = ctypes.CFUNCTYPE(ctypes.c_int, *arguments)
        self.compiled: Any = SimpleNamespace(spec=spec, name="k", library={"k_execute": kind(self._execute)})
        self.tables: Any = SimpleNamespace(modulus=spec.modulus, address=0)

    def _execute(self, plan: int | None, z: int, *rest: int) -> int:
        numbers = len(self.spec.ranges.scalars)
        fixed = [from_words(self._words(at, 1))[0] for at in rest[:numbers]]
        vectors = [from_words(self._words(at, COUNT)) for at in rest[numbers:-1]]
        self.seen.append((fixed, vectors))
        self._words(z, COUNT)[...] = to_words(computed(self.spec, fixed, vectors), self.spec.arith.words)
        return 0

    def _words(self, address: int, count: int) -> Any:
        words = self.spec.arith.words
        return np.ctypeslib.as_array((ctypes.c_uint64 * (count * words)).from_address(address)).reshape(count, words)


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("name", SPECS)
def test_every_call_has_operands_of_its_own(name: str, in_place: bool) -> None:
    spec = SPECS[name]
    kernel = Watched(spec)
    timed_call(kernel, COUNT // max(spec.n, 1), in_place=in_place).time(30)
    limits = {name: limit_of(spec, spec.modulus, name) for name in spec.ranges.operands}
    vectors = [limits[name] for name in spec.ranges.vectors]
    assert len(kernel.seen) >= 20
    for place, limit in enumerate(vectors):
        found = [given[place] for _, given in kernel.seen]
        assert len({tuple(vector) for vector in found}) == len(found)
        for vector in found:
            assert all(0 <= value < limit for value in vector) and len(set(vector)) > 0.9 * COUNT
            assert 0.4 < sum(vector) / COUNT / limit < 0.6
    for place, limit in enumerate(limits[name] for name in spec.ranges.scalars):
        found_scalars = [fixed[place] for fixed, _ in kernel.seen]
        assert len(set(found_scalars)) == len(found_scalars) and 0 < min(found_scalars) < max(found_scalars) < limit


def test_both_vectors_of_a_call_differ() -> None:
    for in_place in (False, True):
        kernel = Watched(SPECS["vsub"])
        timed_call(kernel, COUNT, in_place=in_place).time(24)
        assert all(x != y for _, (x, y) in kernel.seen)


@pytest.mark.parametrize(
    ("spec", "way"),
    [
        (make_spec("vadd", bits=64, options={"input_factor": "2", "output_factor": "2"}), CHAINED),
        (make_spec("vadd", bits=64, options={"input_factor": "4", "output_factor": "2"}), REFILLED),
        (make_spec("ntt", n=8, bits=64, options={"output_factor": "2"}), REFILLED),
        (SPECS["ntt"], CHAINED), (SPECS["polymul"], CHAINED), (SPECS["axpy"], CHAINED), (SPECS["vneg"], REFILLED),
        (SPECS["vmul"], CHAINED), (SPECS["cmpadd"], REFILLED),
    ],
)  # fmt: skip
def test_results_are_operands_where_they_lie_alike_and_never_come_to_rest(spec: Spec, way: int) -> None:
    assert fresh(spec, spec.modulus) == way


def test_products_modulo_a_composite_number_could_end_in_zeros() -> None:
    assert fresh(SPECS["vmul"], 3**40) == fresh(SPECS["scal"], 3**40) == REFILLED
    assert fresh(SPECS["vadd"], 3**40) == CHAINED


def test_scalars_fill_a_page_at_most() -> None:
    assert scalars(make_spec("scal", bits=64)) * 8 == 4096
    assert scalars(make_spec("scal", bits=2048)) == 16


def test_few_residues_would_recur() -> None:
    kernel = Watched(make_spec("scal", modulus=13))
    timed_call(kernel, COUNT).time(100)
    assert len({tuple(vector) for _, (vector,) in kernel.seen}) == len(kernel.seen) > 100
    assert fresh(make_spec("scal", modulus=2**16 + 1), 2**16 + 1) == CHAINED


def test_a_factor_is_never_zero() -> None:
    assert not_zero(np.array([[0, 0], [5, 0], [0, 7]], np.uint64)).tolist() == [[1, 0], [5, 0], [0, 7]]
