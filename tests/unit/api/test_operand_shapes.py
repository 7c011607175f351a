"""Operands of other shapes than the first vector: every kind on every target refuses them before anything is read.

What runs a kernel is replaced by a recorder, so that no kernel is built: a call must either raise or hand over vectors
of one shape, and a result that fits them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import momagen as mg
from momagen.api.calls import on_arrays, on_device
from momagen.api.calls.words import callers
from momagen.api.native import resolved
from momagen.cuda.runner import DeviceKernel, DevicePlan
from momagen.emit.jax.running.kernel import ArrayKernel
from momagen.emit.jax.running.tables import ArrayTables
from momagen.errors import MomagenError
from momagen.kinds.modular.kinds.modular_kind import CALLERS
from momagen.kinds.modular.lists import MADE
from momagen.kinds.modular.spec import Spec
from momagen.languages import COMPILED, CUDA, JAX
from momagen.runtime.compiled import Compiled, Plan
from momagen.targets import load_target, names

pytestmark = pytest.mark.compiles

N = 8
SIZES: dict[str, dict[str, Any]] = {
    "ntt": {"n": N}, "polymul": {"n": N}, "basemul": {"n": N, "depth": 2},
    "lde": {"n": N, "blowup": 2, "coset": 3, "input_order": "bitrev"},
}  # fmt: skip
MODULI: dict[str, dict[str, Any]] = {"one word": {"modulus_bits": 14}, "two words": {"modulus_bits": 90},
                                     "several": {"moduli": [97, 193]}}  # fmt: skip
FEW = {"dot": ["one word", "two words"], "lde": ["one word", "two words"], "basemul": ["one word", "two words"]}
EVERYWHERE = {"vadd", "vsub", "vmul", "vmuladd", "axpy"}
"""Kinds with several vectors that every target makes."""


class Recorder:
    """In the place of what runs a kernel: the shapes that it would run on."""

    def __init__(self, *_: object) -> None:
        self.shapes: list[list[tuple[int, ...]]] = []

    def __call__(self, result: Any, start: int, operands: Sequence[object], given: list[Any]) -> None:
        assert result.flags.c_contiguous and start == result.ctypes.data
        self.shapes.append([result.shape, *(rows.shape for rows, _, _ in given)])


def bare(kind: type, **fields: Any) -> Any:
    """An object of that class, not initialised."""
    found = object.__new__(kind)
    found.__dict__.update(fields)
    return found


def host_of(spec: Spec) -> Any:
    """What calls such a kernel on arrays of the host."""
    syntax, name = spec.target.syntax, spec.name
    q = min(spec.basis) if spec.basis else spec.modulus
    if syntax == COMPILED:
        return callers.caller_of(bare(Compiled, spec=spec), bare(Plan, modulus=q))
    if syntax == CUDA:
        program = SimpleNamespace(stride=max(1, 2 * -(-spec.width // 64)), parts=1)
        kernel = bare(DeviceKernel, spec=spec, name=name, program=program)
        found = CALLERS[syntax](kernel, bare(DevicePlan, modulus=q, kernel=kernel))
        assert isinstance(found, on_device.DeviceCaller)
        return found
    if syntax == JAX:
        kernel = bare(ArrayKernel, spec=spec, name=name, names={"WORDS": -(-spec.width // 32)})
        found = CALLERS[syntax](kernel, bare(ArrayTables, spec=spec, modulus=q, tables={}))
        assert isinstance(found, on_arrays.ArraysCaller)
        return found
    return callers.caller_of(SimpleNamespace(spec=spec), SimpleNamespace(modulus=q))  # type: ignore[arg-type]


def lengths(spec: Spec, length: int) -> tuple[int, ...]:
    """The axes of one vector, of so many residues where they may be any number."""
    return (*[len(spec.basis)] * bool(spec.basis), *(spec.axes or (length,)))


def forms(spec: Spec) -> dict[str, Callable[[tuple[int, ...]], Any]]:
    """Zeros of a shape in every form that a vector may have."""
    found: dict[str, Callable[[tuple[int, ...]], Any]] = {
        "words": lambda shape: np.zeros((*shape, spec.row), np.uint64),
        "lists": lambda shape: np.zeros(shape, int).tolist(), "objects": lambda shape: np.zeros(shape, object),
    }  # fmt: skip
    if spec.arith.word in (16, 32):
        count = -(-spec.width // spec.arith.word)
        if spec.target.syntax == CUDA:
            count = max(1, 2 * -(-spec.width // 64))
        dtype = np.dtype(f"u{spec.arith.word // 8}")
        found["own words"] = lambda shape: np.zeros((*shape, count), dtype)
    return found


def wrong_shapes(spec: Spec) -> Iterator[tuple[int, ...]]:
    """Shapes of vectors, where the others have two batches of five residues or of one transform."""
    one = lengths(spec, 5)
    yield from ((3, *one), (1, *one), one, (2, 2, *one), (2, *one[:-1], one[-1] + 1), (2, *one[:-1], 1))


def specs(target: str) -> Iterator[Spec]:
    """All kernels of that target: of each kind with one word, several words, and several moduli."""
    made = set()
    long = {"n": 1024} if target == "b512" else {}
    for kind, size in ((kind, SIZES.get(kind, {})) for kind in MADE):
        for moduli in FEW.get(kind, list(MODULI)):
            try:
                yield resolved(kind, target=target, **size | (long if size else {}), **MODULI[moduli])
            except MomagenError as error:
                assert error.where in ("target", "form", "depth", "n", "moduli"), error
            else:
                made.add(kind)
    assert made >= EVERYWHERE and (load_target(target).syntax != COMPILED or made == set(MADE))


def scalars(spec: Spec) -> list[Any]:
    return [[1] * len(spec.basis) if spec.basis else 1 for _ in spec.ranges.scalars]


@pytest.fixture
def recorders(monkeypatch: pytest.MonkeyPatch) -> None:
    """No kernel runs."""
    for name in ("CheckedCall", "PlanRun", "CopiedRun"):
        monkeypatch.setattr(callers, name, Recorder)


def ran(call: Any) -> list[list[tuple[int, ...]]]:
    """What the recorders of a caller have seen."""
    host = getattr(call, "_host", call)
    parts = [host.wide, host.on_own] if hasattr(host, "wide") else [host]
    return [shapes for part in parts for shapes in part.run.shapes]


@pytest.mark.parametrize("target", names())
def test_every_kind_refuses_vectors_of_different_shapes(target: str, recorders: None) -> None:
    tried = 0
    for spec in specs(target):
        call, given, vectors = host_of(spec), scalars(spec), len(spec.ranges.vectors)
        for make in forms(spec).values():
            fits = [make((2, *lengths(spec, 5))) for _ in range(vectors)]
            call([*given, *fits], None)
            for at in range(1, vectors):
                for shape in wrong_shapes(spec):
                    with pytest.raises(MomagenError, match=f"^{spec.ranges.vectors[at]}: expected "):
                        call([*given, *fits[:at], make(shape), *fits[at + 1 :]], None)
                    tried += 1
        for result, *operands in ran(call):
            shapes = {shape for shape in operands[len(given) :]}
            assert len(shapes) == 1 and len(operands) == len(spec.ranges.operands)
            (shape,) = shapes
            assert np.prod(result) == np.prod(shape) * spec.results // spec.elements // (5 if spec.sums else 1)
        assert len(ran(call)) == len(forms(spec))
    assert tried >= 6 * 3 * 2


@pytest.mark.parametrize("target", names())
def test_every_kind_refuses_results_of_another_shape(target: str, recorders: None) -> None:
    for spec in specs(target):
        call, shape = host_of(spec), (2, *lengths(spec, 5))
        given = [*scalars(spec), *(np.zeros((*shape, spec.row), np.uint64) for _ in spec.ranges.vectors)]
        for wrong in ((3, *shape[1:]), shape[1:], (2, *shape), (*shape[:-1], shape[-1] + 1)):
            with pytest.raises(MomagenError, match=r"^out: expected shape"):
                call(given, np.zeros((*wrong, spec.row), np.uint64))
        assert not ran(call)


@pytest.mark.parametrize("target", names())
def test_every_kind_refuses_scalars_of_another_shape(target: str, recorders: None) -> None:
    for spec in specs(target):
        call, given = host_of(spec), scalars(spec)
        vectors = [np.zeros((*lengths(spec, 5), spec.row), np.uint64) for _ in spec.ranges.vectors]
        right = (len(spec.basis), spec.row) if spec.basis else (spec.row,)
        wrong: list[Any] = [np.zeros((*right[:-1], spec.row + 1), np.uint64), np.zeros((2, *right), np.uint64)]
        wrong += [[1] * (len(spec.basis) + 1), [[1] * len(spec.basis)] * 2, [], None, 1.0]
        for at in range(len(given)):
            for value in wrong:
                with pytest.raises(MomagenError, match=f"^{spec.ranges.scalars[at]}: expected "):
                    call([*given[:at], value, *given[at + 1 :], *vectors], None)
        assert not ran(call)


def test_a_short_vector_is_not_read_beyond_its_end() -> None:
    """The kernels themselves, in every language that runs here without a device."""
    x, short = np.ones((2, 8), np.uint64), np.ones((2, 2), np.uint64)
    for target, layout in (("c", None), ("c", "u32"), ("python", None)):
        k = mg.blas("vmuladd", modulus=2**31 - 1, target=target, layout=layout)
        for given in (x, x.astype(np.uint32), x.tolist()):
            assert np.array(k(given, given, given)).tolist() == [[2] * 8] * 2
        for at in range(3):
            given = [x, x, x]
            given[at] = short
            with pytest.raises(MomagenError, match=f"^{'yyw'[at]}: expected the shape of x"):
                k(*given)
