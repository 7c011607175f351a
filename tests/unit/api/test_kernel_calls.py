"""Kernels called from Python: every kind of operand, in and out of place, saved and loaded, shared by threads."""

from __future__ import annotations

import copy
import gc
import json
import pickle
import random
import re
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import gmpy2
import numpy as np
import numpy.typing as npt
import pytest
from support.oracle import element, points, values

import momagen as mg
from momagen.kinds.modular.options.record import KernelOptions
from momagen.params import from_words, to_words
from momagen.runtime import missing_features
from momagen.targets import load_target

pytestmark = pytest.mark.compiles

Array = npt.NDArray[np.uint64]
N = 8


@pytest.fixture(scope="module")
def wide() -> mg.Kernel:
    return mg.ntt(N, bits=128, order="natural")


@pytest.fixture(scope="module")
def narrow() -> mg.Kernel:
    return mg.ntt(N, modulus="goldilocks", order="natural")


def definition(kernel: mg.Kernel, x: list[int]) -> list[int]:
    return values(x, points(kernel.n, kernel.modulus, kernel.root, order="natural"), kernel.modulus)


def residues(kernel: mg.Kernel, count: int, seed: int = 0) -> list[int]:
    return [random.Random(seed + i).randrange(kernel.modulus) for i in range(count)]


def test_integers(wide: mg.Kernel) -> None:
    x = residues(wide, N)
    assert wide(x) == wide(tuple(x)) == wide([gmpy2.mpz(v) for v in x]) == definition(wide, x)
    assert wide(range(N)) == definition(wide, list(range(N)))
    assert all(type(value) is int for value in wide(x))


def test_batches_of_integers(wide: mg.Kernel) -> None:
    x = [[residues(wide, N, 10 * i + j) for j in range(3)] for i in range(2)]
    assert wide(x) == [[definition(wide, row) for row in block] for block in x]


def test_array(wide: mg.Kernel) -> None:
    x = residues(wide, N)
    y = wide(to_words(x, 2))
    assert y.dtype == np.uint64 and y.shape == (N, 2)
    assert from_words(y) == definition(wide, x)


def test_batches_of_arrays(wide: mg.Kernel) -> None:
    x = residues(wide, 6 * N)
    y = wide(to_words(x, 2).reshape(2, 3, N, 2))
    assert y.shape == (2, 3, N, 2)
    assert from_words(y) == [v for i in range(6) for v in definition(wide, x[i * N : (i + 1) * N])]
    assert wide(np.empty((0, N, 2), np.uint64)).shape == (0, N, 2)
    assert wide(np.empty((3, 0, N, 2), np.uint64)).shape == (3, 0, N, 2)


def test_one_word_with_and_without_its_axis(narrow: mg.Kernel) -> None:
    x = residues(narrow, 3 * N)
    right = [v for i in range(3) for v in definition(narrow, x[i * N : (i + 1) * N])]
    flat = np.array(x, np.uint64).reshape(3, N)
    assert narrow(flat).shape == (3, N) and narrow(flat).ravel().tolist() == right
    assert narrow(flat[..., None]).shape == (3, N, 1) and narrow(flat[..., None]).ravel().tolist() == right


def misaligned(x: Array) -> Array:
    data = bytearray(x.nbytes + 1)
    view = np.frombuffer(data, np.uint64, x.size, 1).reshape(x.shape)
    view[...] = x
    assert not view.flags.aligned
    return view


def spread(x: Array) -> Array:
    wide = np.zeros((*x.shape[:-2], 2 * x.shape[-2], x.shape[-1] + 3), np.uint64)
    view = wide[..., ::2, 1 : 1 + x.shape[-1]]
    view[...] = x
    return view


LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "contiguous": lambda x: x.copy(),
    "spread": spread,
    "reversed": lambda x: x[::-1].copy()[::-1],
    "Fortran": np.asfortranarray,
    "words outside": lambda x: np.moveaxis(np.ascontiguousarray(np.moveaxis(x, -1, 0)), 0, -1),
    "misaligned": misaligned,
    "big-endian": lambda x: x.astype(">u8"),
    "read-only": lambda x: np.frombuffer(x.tobytes(), np.uint64).reshape(x.shape),
    "broadcast": lambda x: np.broadcast_to(x[0], x.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(wide: mg.Kernel, layout: str) -> None:
    x = LAYOUTS[layout](to_words(residues(wide, 3 * N), 2).reshape(3, N, 2))
    before = x.copy()
    y = wide(x)
    for row, result in zip(x, y, strict=True):
        assert from_words(result) == definition(wide, from_words(row.astype(np.uint64)))
    assert (x == before).all() and y.dtype == np.uint64 and y.flags.c_contiguous


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name not in ("read-only", "broadcast")])
def test_out(wide: mg.Kernel, layout: str) -> None:
    x = to_words(residues(wide, 3 * N), 2).reshape(3, N, 2)
    out = LAYOUTS[layout](np.zeros_like(x))
    assert wide(x, out=out) is out
    assert (out == wide(x)).all()


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name not in ("read-only", "broadcast")])
def test_in_place(wide: mg.Kernel, layout: str) -> None:
    x = LAYOUTS[layout](to_words(residues(wide, 3 * N), 2).reshape(3, N, 2))
    right = wide(x)
    assert wide(x, out=x) is x
    assert (x == right).all()


@pytest.mark.parametrize("shift", [0, 2 * N])
def test_out_in_the_same_memory(wide: mg.Kernel, shift: int) -> None:
    memory = np.zeros(6 * N, np.uint64)
    x, out = memory[: 2 * N].reshape(N, 2), memory[shift : shift + 2 * N].reshape(N, 2)
    x[...] = to_words(residues(wide, N), 2)
    right = wide(x.copy())
    wide(x, out=out)
    assert (out == right).all()


def test_out_in_other_shapes(narrow: mg.Kernel) -> None:
    x = np.array(residues(narrow, 2 * N), np.uint64).reshape(2, N)
    for shape in ((2, N), (2, N, 1)):
        out = np.zeros(shape, np.uint64)
        for value in (x, x[..., None], x.tolist()):
            assert narrow(value, out=out) is out
            assert (out.reshape(2, N) == narrow(x)).all()


def test_inverse_undoes() -> None:
    options: dict[str, Any] = {"bits": 381, "negacyclic": True}
    forward, inverse = mg.ntt(16, **options), mg.ntt(16, inverse=True, **options)
    x = residues(forward, 16)
    assert inverse(forward(x)) == x
    assert forward.root == inverse.root and forward.words == 6


BLAS = ("vadd", "vsub", "vmul", "axpy", "scal", "vadds", "vsubs", "vneg", "reduce")


@pytest.mark.parametrize("modulus", ["curve25519", "goldilocks"])
@pytest.mark.parametrize("kind", BLAS)
def test_blas(kind: str, modulus: str) -> None:
    k = mg.blas(kind, modulus=modulus)
    a = residues(k, 1, 99)[0]
    scalar, inputs = [a] * ("a" in k.operands), len(k.operands) - ("a" in k.operands)
    for count in (0, 1, 7, 100):
        x, y = residues(k, count), residues(k, count, 500)
        right = [element(kind, k.modulus, *scalar, *row) for row in zip(*[x, y][:inputs], strict=True)]
        assert k(*scalar, *[x, y][:inputs]) == right
        rows = [to_words(x, k.words), to_words(y, k.words)][:inputs]
        z = k(*scalar, *rows)
        assert z.shape == (count, k.words) and from_words(z) == right
        assert k(*scalar, *rows, out=rows[-1]) is rows[-1] and from_words(rows[-1]) == right
    pairs = [[x, y], [y, x]][:inputs]
    assert k(*scalar, *pairs) == [k(*scalar, *row) for row in zip(*pairs, strict=True)]
    if k.words == 1:
        flat = k(*scalar, *[np.array(v, np.uint64) for v in (x, y)][:inputs])
        assert flat.shape == (100,) and flat.tolist() == right


def test_centring() -> None:
    """What the conditional kernels are for: residues modulo t as ones modulo q, those above t/2 as negative ones."""
    t, q = 2**61 - 1, 2**127 - 1
    lift, back = mg.blas("cmpadd", modulus=q, cmp="nle"), mg.blas("cmpsub", modulus=q, cmp="nle")
    x = [0, 1, t // 2, t // 2 + 1, t - 1]
    assert lift(t // 2, q - t, x) == [0, 1, t // 2, q - t // 2, q - 1]
    assert back(q // 2, (q - t) % q, lift(t // 2, q - t, x)) == x
    assert lift(0, 2**128 - 1, [0, 1, 2**128 - 1]) == [0, 0, 2**128 - 2]


def test_reduce_takes_any_words() -> None:
    for modulus in (3, "goldilocks", "curve25519", 2**127 - 1):
        k = mg.blas("reduce", modulus=modulus)
        top = 2 ** (64 * k.words)
        x = [0, k.modulus - 1, k.modulus, k.modulus + 1, top - 1, top // 3]
        assert k(x) == [v % k.modulus for v in x]


@pytest.mark.parametrize("target", ["c", "avx512"])
def test_a_chain_that_skips_reductions(target: str) -> None:
    """A product of polynomials: transforms leave 4q, the product takes it and leaves 2q, the inverse takes that."""
    options: dict[str, Any] = {"bits": 128, "negacyclic": True, "target": target}
    forward = mg.ntt(64, output_factor=4, limbs="full", **options)
    q = forward.modulus
    product = mg.blas("vmul", modulus=q, input_factor=4, output_factor=2, target=target)
    inverse = mg.ntt(64, modulus=q, negacyclic=True, inverse=True, input_factor=2, target=target)
    x, y = (to_words(residues(forward, 64, seed), 2) for seed in (1, 2))
    assert (inverse(product(forward(x), forward(y))) == mg.polymul(64, **options)(x, y)).all()
    assert any(value >= q for value in from_words(forward(x)))


def test_ranges_are_said() -> None:
    k = mg.ntt(8, bits=128, input_factor=4, output_factor=2)
    assert k.name == "ntt8_in4_out2_124b_c" and "Ranges: x < 4q; y < 2q." in k.source and "x < 4q; y < 2q" in k.header
    assert "x &lt; 4q; y &lt; 2q" in k._repr_html_()
    assert mg.blas("reduce", bits=64).name == "reduce_60b_c"
    assert "bound, x < 2^64; diff < q; z < q" in mg.blas("cmpsub", bits=64, cmp="le", input_factor="any").header
    assert mg.blas("cmpsub", bits=64, cmp="le").operands == ("bound", "diff", "x")


def test_axpy_factor() -> None:
    k = mg.blas("axpy", bits=128)
    a, x, y = residues(k, 1, 9)[0], residues(k, 5), residues(k, 5, 50)
    right = [(a * u + v) % k.modulus for u, v in zip(x, y, strict=True)]
    words = to_words([a], 2)
    for factor in (a, gmpy2.mpz(a), words[0], words[0].astype(">u8")):
        assert k(factor, x, y) == right
    rows = np.concatenate([words, to_words(x[1:], 2)])
    assert from_words(k(rows[0], rows, to_words(y, 2), out=rows)) == [
        (a * u + v) % k.modulus for u, v in zip([a, *x[1:]], y, strict=True)
    ]


def test_mixed_operands_give_an_array() -> None:
    k = mg.blas("vadd", bits=128)
    x, y = residues(k, 5), residues(k, 5, 50)
    for pair in ((x, to_words(y, 2)), (to_words(x, 2), y)):
        z = k(*pair)
        assert isinstance(z, np.ndarray) and from_words(z) == k(x, y)


@pytest.mark.parametrize("negacyclic", [False, True])
def test_polymul(negacyclic: bool) -> None:
    k = mg.polymul(4, bits=64, negacyclic=negacyclic)
    x, y = residues(k, 4), residues(k, 4, 50)
    right = [0] * 4
    for i in range(4):
        for j in range(4):
            right[(i + j) % 4] += (-1 if negacyclic and i + j > 3 else 1) * x[i] * y[j]
    right = [v % k.modulus for v in right]
    assert k(x, y) == right
    assert k([x, y], [y, x]) == [right, right]
    rows = to_words(x, 1)
    assert from_words(k(rows, rows, out=rows)) == k(x, x)


def test_what_a_kernel_says(wide: mg.Kernel) -> None:
    assert (wide.n, wide.words, wide.name) == (N, 2, "ntt8_natural_124b_c")
    assert wide.modulus == wide.spec.modulus and pow(wide.root, N // 2, wide.modulus) == wide.modulus - 1
    assert f"{wide.name}_execute" in wide.source and f"{wide.name}_execute" in wide.header
    assert wide.rules_applied.total() > 0 and wide.operations["mul"] > 0
    line = "<momagen NTT of 8 points, ring x^8 - 1, natural order in and out; 128-bit container, 124-bit modulus, c>"
    assert repr(wide) == line
    assert "(25)" in wide.explain()
    assert mg.blas("axpy", bits=64).root == 0 == mg.blas("axpy", bits=64).n


def test_notebook_display() -> None:
    k = mg.ntt(2, bits=128, target="avx512")
    page = k._repr_html_()
    for text in (
        hex(k.modulus),
        hex(k.root),
        "order 2",
        "2 of 64 bits",
        "AVX-512",
        "rewrite rules applied",
        "notes",
        "<details",
    ):
        assert text in page
    assert "&lt;stdint.h&gt;" in page and "<stdint.h>" not in page


def test_expressions_stand_for_numbers() -> None:
    k = mg.ntt(16, modulus="2^64 - 2^32 + 1", root=hex(mg.ntt(16, modulus="goldilocks").root))
    assert k.modulus == 2**64 - 2**32 + 1
    assert mg.ntt(np.int64(16), bits=64).n == 16


def test_options_reach_the_kernel() -> None:
    plain, other = mg.ntt(16, bits=256), mg.ntt(16, bits=256, multiply="karatsuba", radix=2)
    assert other.spec.options == KernelOptions(multiply="karatsuba", radix=2)
    assert other.operations["mul"] != plain.operations["mul"]


def test_another_modulus_through_the_same_build(wide: mg.Kernel) -> None:
    q = int(gmpy2.next_prime(2**123))
    while q % N != 1:
        q = int(gmpy2.next_prime(q))
    other = wide.with_modulus(q)
    assert other.compiled is wide.compiled and other.modulus == q
    x = residues(other, N)
    assert other(x) == definition(other, x)
    assert other.verify().ok
    x = residues(wide, N)
    assert wide(x) == definition(wide, x)


def test_plan_goes_with_the_kernel() -> None:
    k = mg.ntt(4, bits=64)
    destroy = k.tables.destroy
    assert k.tables is k.tables and destroy.alive
    del k
    gc.collect()
    assert not destroy.alive


def test_threads_share_a_kernel() -> None:
    k = mg.ntt(256, bits=64, negacyclic=True)
    inputs = [to_words(residues(k, 256, i), 1) for i in range(32)]
    with ThreadPoolExecutor(8) as pool:
        plans = {id(plan) for plan in pool.map(lambda _: k.tables, range(8))}
        results = list(pool.map(k, inputs))
    assert len(plans) == 1
    assert all((result == k(x)).all() for result, x in zip(results, inputs, strict=True))
    assert k.verify().ok


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda kernel: pickle.loads(pickle.dumps(kernel))])
def test_copies_and_pickles(wide: mg.Kernel, copied: Callable[[mg.Kernel], mg.Kernel]) -> None:
    again, x = copied(wide), list(range(N))
    assert again(x) == wide(x) == definition(wide, x)
    assert (again.source, again.header, again.spec) == (wide.source, wide.header, wide.spec)


def test_a_target_by_its_path(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('inherits = "c64"\nname = "mine"\ntitle = "mine"\n')
    kernel = mg.ntt(N, bits=60, target=file, order="natural")
    assert str(kernel.spec.target) == str(file)
    assert kernel([1] * N) == definition(kernel, [1] * N)


def test_save_and_load(tmp_path: Path) -> None:
    k = mg.ntt(32, bits=97, inverse=True, negacyclic=True, radix=2)
    folder = k.save(tmp_path / "new" / "folder")
    assert sorted(path.name for path in folder.iterdir()) == [f"{k.name}{suffix}" for suffix in (".c", ".h", ".json")]
    assert (folder / f"{k.name}.c").read_text() == k.source
    manifest = json.loads((folder / f"{k.name}.json").read_text())
    assert int(manifest["spec"]["modulus"], 16) == k.modulus and manifest["command"] == k.spec.command()
    for path in (folder, str(folder), folder / f"{k.name}.json"):
        loaded = mg.load(path)
        assert (loaded.spec, loaded.source, loaded.header) == (k.spec, k.source, k.header)
        assert (loaded.rules_applied, loaded.operations, loaded.notes) == (k.rules_applied, k.operations, k.notes)
    assert loaded.verify().ok
    assert k.save(folder) == folder


OTHERS = [
    mg.blas("axpy", bits=64), mg.polymul(8, modulus="97"), mg.blas("cmpsub", bits=64, cmp="ne", input_factor="any"),
    mg.blas("cmpadd", bits=64), mg.blas("reduce", bits=64, output_factor=2), mg.ntt(8, bits=64, output_factor=4),
]  # fmt: skip


@pytest.mark.parametrize("kernel", OTHERS, ids=lambda kernel: kernel.name)
def test_save_and_load_other_kinds(kernel: mg.Kernel, tmp_path: Path) -> None:
    loaded = mg.load(kernel.save(tmp_path))
    assert loaded.spec == kernel.spec and loaded.verify().ok


def test_loaded_text_counts(tmp_path: Path) -> None:
    """Somebody changes the saved C file: verification sees it."""
    k = mg.ntt(32, bits=64)
    path = k.save(tmp_path) / f"{k.name}.c"
    text, factor = path.read_text(), "powers + half, c);"
    assert text.count(factor) == 1
    path.write_text(text.replace(factor, f"(half == 8) + {factor}"))
    assert not mg.load(tmp_path).verify().ok


def test_bench(wide: mg.Kernel) -> None:
    result = wide.bench(repetitions=3, seconds=0.05)
    assert result.unit == "butterfly" and 0 < result.ns.median < 10_000


@pytest.mark.parametrize(
    ("target", "hidden"), [("avx2", "avx2"), ("avx512", "avx512f"), ("avx512", "avx512f,avx512dq")]
)
def test_emulation(target: str, hidden: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = {*missing_features(load_target(target).features), *hidden.split(",")}
    monkeypatch.setenv("MOMAGEN_DISABLE", hidden)
    k = mg.ntt(64, bits=128, target=target, order="natural")
    assert k.emulated and repr(k).endswith(f"{target}, emulated>") and "emulated in plain C" in k._repr_html_()
    x = residues(k, 64)
    assert k(x) == definition(k, x)
    report = k.verify()
    assert report.ok and set(report.emulated) == lacking
    assert hidden.split(",")[0] in str(report) and "emulated in plain C" in str(report)
    assert mg.ntt(64, bits=128).emulated is False


@pytest.mark.skipif(not shutil.which("objdump"), reason="needs objdump")
@pytest.mark.parametrize("target, feature", [("avx2", "avx2"), ("avx512", "avx512f")])
def test_emulation_uses_none_of_the_registers(target: str, feature: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOMAGEN_DISABLE", feature)
    for kernel in (mg.ntt(64, bits=128, target=target), mg.blas("vmul", bits=128, target=target)):
        library = kernel.compiled.library._name
        code = subprocess.run(["objdump", "-d", library], capture_output=True, text=True, check=True).stdout
        assert "ret" in code and not re.search("%[yz]mm|%k1", code)


def test_compile_with_a_chosen_compiler() -> None:
    k = mg.ntt(4, bits=64)
    found = k.compile()
    assert mg.ntt(4, bits=64).compile(found.compiler).compiler == found.compiler
    assert k.compile() is found is k.compiled
