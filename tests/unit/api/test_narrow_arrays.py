"""NumPy arrays of kernels with 16- and 32-bit words: which are taken, what comes back, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import momagen as mg
from momagen.errors import MomagenError

pytestmark = pytest.mark.compiles

N, Q = 32, 2013265921
Array = npt.NDArray[Any]


@pytest.fixture(scope="module")
def k() -> mg.Kernel:
    return mg.ntt(N, modulus=Q, target="avx2", layout="u32")


@pytest.fixture(scope="module")
def axpy() -> mg.Kernel:
    return mg.blas("axpy", modulus=Q, target="avx2", layout="u32")


@pytest.fixture(scope="module")
def x() -> Array:
    return np.random.default_rng(1).integers(0, Q, (3, N), np.uint32)


FORMS: dict[str, Callable[[Array], Any]] = {
    "as it is": lambda x: x,
    "with an axis of words": lambda x: x[..., None],
    "big-endian": lambda x: x.astype(">u4"),
    "every other row": lambda x: np.repeat(x, 2, axis=0)[::2],
    "every other number": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "backwards": lambda x: x[:, ::-1].copy()[:, ::-1],
    "in Fortran's order": np.asfortranarray,
    "unaligned": lambda x: np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.uint32).reshape(x.shape),
    "read-only": lambda x: np.frombuffer(x.tobytes(), np.uint32).reshape(x.shape),
    "of a class of its own": lambda x: x.view(np.matrix) if x.ndim == 2 else x,
}


@pytest.mark.parametrize("form", FORMS)
def test_arrays_of_own_words(form: str, k: mg.Kernel, x: Array) -> None:
    right = k(x.astype(np.uint64))
    given = FORMS[form](x)
    before = given.copy()
    found = k(given)
    assert type(found) is np.ndarray and found.dtype == np.dtype(np.uint32) and found.dtype.isnative
    assert found.shape == given.shape and (found.reshape(x.shape) == right).all() and (given == before).all()


@pytest.mark.parametrize("dtype", ["u1", "u2", "u8", ">u8", "i4", "i8"])
def test_other_integers_come_back_as_ever(dtype: str, k: mg.Kernel, x: Array) -> None:
    small = x % 100
    found = k(small.astype(dtype))
    assert found.dtype == np.uint64 and (found == k(small)).all()


def test_lists_and_bytes_come_back_as_ever(k: mg.Kernel, x: Array) -> None:
    right = k(x).tolist()
    assert k(x.tolist()) == right and k(x.astype(object)).tolist() == right
    assert np.frombuffer(k(x.astype("<u8").tobytes()), "<u8").reshape(x.shape).tolist() == right


def test_results_go_where_they_are_wanted(k: mg.Kernel, x: Array) -> None:
    right = k(x)
    for out in (np.empty_like(x), np.empty((3, 2 * N), np.uint32)[:, ::2], np.empty(x.shape, ">u4"),
                np.empty((3, N, 1), np.uint32)):  # fmt: skip
        assert k(x, out=out) is out and (out.reshape(x.shape) == right).all()
    same = x.copy()
    assert k(same, out=same) is same and (same == right).all()
    strided = np.repeat(x, 2, axis=1)[:, ::2]
    assert k(strided, out=strided) is strided and (strided == right).all()


@pytest.mark.parametrize("shape", [(0, N), (2, 0, N)])
def test_nothing_gives_nothing(shape: tuple[int, ...], k: mg.Kernel, axpy: mg.Kernel) -> None:
    assert k(np.zeros(shape, np.uint32)).shape == shape and k(np.zeros(shape, np.uint32)).dtype == np.uint32
    empty = np.zeros(0, np.uint32)
    assert axpy(3, empty, empty).shape == (0,)


def test_vectors_of_two_kinds_are_words_of_64_bits(axpy: mg.Kernel, x: Array) -> None:
    wide = x.astype(np.uint64)
    for given in ((x, wide), (wide, x)):
        found = axpy(3, *given)
        assert found.dtype == np.uint64 and (found == (3 * wide + wide) % Q).all()


def test_columns_are_rows_of_own_words() -> None:
    k = mg.ntt(8, modulus=12289, columns=3, target="avx2")
    x = np.arange(2 * 8 * 3, dtype=np.uint16).reshape(2, 8, 3)
    one = mg.ntt(8, modulus=12289, root=k.root, target="avx2")
    found = k(x)
    assert found.dtype == np.uint16 and k(x[..., None]).shape == (2, 8, 3, 1)
    assert all((found[:, :, at] == one(x[:, :, at])).all() for at in range(3))


def test_several_moduli_and_sums_answer_in_own_words() -> None:
    k = mg.ntt(8, moduli=[12289, 7681], target="avx2")
    x = np.arange(32, dtype=np.uint16).reshape(2, 2, 8)
    found, out = k(x), np.empty((2, 2, 8), np.uint16)
    assert k.spec.layout == "u16" and found.dtype == np.uint16 and (found == k(x.astype(np.uint64))).all()
    assert k(x, out=out) is out and (out == found).all()
    scaled = mg.blas("axpy", moduli=[12289, 7681], target="avx2")
    rows = x[0]
    for scalars in ([2, 3], np.array([2, 3], np.uint16)):
        again = scaled(scalars, rows, rows)
        assert again.dtype == np.uint16 and again.tolist() == [(3 * rows[0]).tolist(), (4 * rows[1]).tolist()]
    dot = mg.blas("dot", modulus=12289, target="avx2")
    total = dot(rows, rows)
    assert total.dtype == np.uint16 and total.tolist() == [sum(int(a) ** 2 for a in row) % 12289 for row in rows]


def test_any_size_takes_own_words() -> None:
    k = mg.ntt("any", max_n=16, modulus="babybear", target="avx2")
    x = np.arange(16, dtype=np.uint32)
    assert k(x).dtype == np.uint32 and (k.at(16).inverse()(k(x)) == x).all()


def zeros(*shape: int, dtype: Any = np.uint32) -> Array:
    return np.zeros(shape, dtype)


def fixed(array: Array) -> Array:
    array.flags.writeable = False
    return array


ARRAYS = "a uint32 array of shape (…, 32, 1) or (…, 32)"
TAKEN = "a uint32 or uint64 array of shape (…, 32, 1) or (…, 32), integers of shape (…, 32), or bytes"
OUT = "out: expected a writeable uint32 array of shape (32, 1) or (32,), got"
REFUSED: list[tuple[Callable[[mg.Kernel], object], str]] = [
    (lambda k: k(zeros(31)), f"x: expected {ARRAYS}, got shape (31,)"),
    (lambda k: k(zeros()), f"x: expected {ARRAYS}, got shape ()"),
    (lambda k: k(zeros(0)), f"x: expected {ARRAYS}, got shape (0,)"),
    (lambda k: k(zeros(31, dtype=np.uint64)), f"x: expected {TAKEN}, got shape (31,)"),
    (lambda k: k(zeros(32, dtype=np.float32)), f"x: expected {TAKEN}, got float32 of shape (32,)"),
    (lambda k: k(zeros(32, dtype=bool)), f"x: expected {TAKEN}, got bool of shape (32,)"),
    (lambda k: k("0" * 32), f"x: expected {TAKEN}, got a str"),
    (lambda k: k(bytes(4 * N)), "x: expected a multiple of 256 bytes, with 8 for each number, got 128 bytes"),
    (lambda k: k(np.ma.masked_array(zeros(32))), "x: expected an array without a mask, got a masked array"),
    (lambda k: k(np.full((2, N), [[0], [Q]], np.uint32)), f"x[1, 0]: expected residues below the modulus {Q}, got {Q}"),
    (lambda k: k(np.full((N, 1), 2**32 - 1, np.uint32)),
     f"x[0]: expected residues below the modulus {Q}, got 4294967295"),
    (lambda k: k(np.full(N, -1, np.int32)), f"x[0]: expected residues below the modulus {Q}, got -1"),
    (lambda k: k(zeros(32), out=zeros(32, dtype=np.uint64)), f"{OUT} uint64 of shape (32,)"),
    (lambda k: k(zeros(32), out=fixed(zeros(32))), f"{OUT} read-only uint32 of shape (32,)"),
    (lambda k: k(zeros(32), out=[0] * 32), f"{OUT} a list"),
    (lambda k: k(zeros(32), out=zeros(31)), "out: expected shape (32, 1) or (32,), got shape (31,)"),
    (lambda k: k(zeros(32, dtype=np.uint64), out=zeros(32)),
     "out: expected a writeable uint64 array of shape (32, 1) or (32,), got uint32 of shape (32,)"),
    (lambda k: k(zeros(32), zeros(32)), "ntt32_31b_avx2_words32: expected 1 operand (x), got 2"),
    (lambda k: k(), "ntt32_31b_avx2_words32: expected 1 operand (x), got 0"),
]  # fmt: skip


@pytest.mark.parametrize("at", range(len(REFUSED)))
def test_what_is_refused(at: int, k: mg.Kernel) -> None:
    call, text = REFUSED[at]
    with pytest.raises(MomagenError) as error:
        call(k)
    assert str(error.value).startswith(text)


def test_overlaps_and_other_shapes_are_refused(k: mg.Kernel, axpy: mg.Kernel) -> None:
    memory = zeros(2 * N)
    with pytest.raises(MomagenError, match=r"^`out` partially overlaps x; use x itself, or an array"):
        k(memory[:N], out=memory[4 : N + 4])
    with pytest.raises(MomagenError, match=r"^y: expected the shape of x, \(5,\), got \(4,\)"):
        axpy(1, zeros(5), zeros(4))
    with pytest.raises(MomagenError, match=rf"^a: expected residues below the modulus {Q}, got {Q}"):
        axpy(Q, zeros(5), zeros(5))
    with pytest.raises(MomagenError, match=rf"^y\[4\]: expected residues below the modulus {Q}, got {Q}"):
        axpy(1, zeros(5), np.array([0, 0, 0, 0, Q], np.uint32))


LAYOUTS: list[tuple[Callable[[], object], str]] = [
    (lambda: mg.ntt(16, modulus_bits=20, target="avx2", layout="u16"),
     '`layout="u16"` is not available for a modulus of 20 bits on `avx2`; use u32 or u64'),
    (lambda: mg.blas("vmul", modulus_bits=20, target="avx512", layout="u8"),
     "layout: expected one of the layouts u32, u64, got u8"),
    (lambda: mg.polymul(16, modulus_bits=124, target="avx2", layout="u32"),
     '`layout="u32"` is not available for a modulus of 124 bits on `avx2`; use u64'),
    (lambda: mg.lde(16, blowup=2, modulus_bits=14, target="python", layout="u16"),
     '`layout="u16"` is not available for a modulus of 14 bits on `python`; use u64'),
    (lambda: mg.polymul(16, modulus_bits=14, target="jax", layout="u16"),
     '`layout="u16"` is not available for a modulus of 14 bits on `jax`; use u32'),
]  # fmt: skip


@pytest.mark.parametrize("at", range(len(LAYOUTS)))
def test_layouts_that_there_are_not(at: int) -> None:
    make, text = LAYOUTS[at]
    with pytest.raises(MomagenError) as error:
        make()
    assert str(error.value) == text
