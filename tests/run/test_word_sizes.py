"""Words of 32 bits: every kind of kernel on the target c32, from 8 to 1024 bits, and Python's arrays on its border."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import momagen as mg
from momagen.emit import generate
from momagen.errors import MomagenError
from momagen.kinds.modular.lists import ANY_MODULUS
from momagen.kinds.modular.make_spec import make_spec
from momagen.params.words import from_words, to_words
from momagen.runtime import compile_program, list_compilers
from momagen.runtime.border import Border
from momagen.runtime.call import compile_kernel

SAMPLE = (8, 12, 30, 31, 32, 33, 50, 60, 63, 64, 65, 90, 96, 97, 124, 128, 160, 252, 256, 290, 381)
"""Bits of moduli: each side of one, two, three, four, five, eight and nine words, odd and even numbers of them."""
KINDS: dict[str, dict[str, Any]] = {
    "cyclic": {}, "negacyclic": {"negacyclic": True}, "inverse": {"inverse": True}, "natural": {"order": "natural"},
    "both": {"inverse": True, "negacyclic": True, "order": "natural"},
}
SOME = [(bits, list(KINDS)[at % len(KINDS)]) for at, bits in enumerate(SAMPLE)]
ALL = [(bits, kind) for bits in (*SAMPLE, 512, 521, 753, 992, 1020, 1023, 1024) for kind in KINDS]
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused-function", "-O1"]
COMPILERS = {compiler.kind: compiler for compiler in list_compilers()}


def points(bits: int) -> int:
    """Few, where q − 1 is a multiple of few powers of two."""
    return 4 if bits < 12 else 16


def transform(bits: int, kind: str) -> mg.Kernel:
    return mg.ntt(points(bits), modulus_bits=bits, target="c32", **KINDS[kind])


@pytest.mark.parametrize(("bits", "kind"), SOME)
def test_transforms(bits: int, kind: str) -> None:
    assert transform(bits, kind).verify()


@pytest.mark.slow
@pytest.mark.parametrize(("bits", "kind"), ALL)
def test_transforms_at_every_width(bits: int, kind: str) -> None:
    assert transform(bits, kind).verify()


@pytest.mark.parametrize("bits", [16, 32, 60, 90, 256, pytest.param(1024, marks=pytest.mark.slow)])
@pytest.mark.parametrize("negacyclic", [False, True])
def test_products_of_polynomials(bits: int, negacyclic: bool) -> None:
    assert mg.polymul(16, modulus_bits=bits, target="c32", negacyclic=negacyclic).verify()


@pytest.mark.sampled(44)
@pytest.mark.parametrize("bits", [2, *SAMPLE, 512, 753])
@pytest.mark.parametrize("kind", ANY_MODULUS)
def test_vectors(kind: str, bits: int) -> None:
    assert mg.blas(kind, modulus=(1 << bits) - 1, target="c32").verify()


@pytest.mark.parametrize(("kind", "options"), [
    ("vmul", {"reduction": "montgomery"}), ("vmul", {"input_factor": 4, "output_factor": 2}), ("axpy", {"bake": "yes"}),
    ("axpy", {"reduction": "montgomery"}), ("scal", {"reduction": "wide"}), ("cmpsub", {"input_factor": "any"}),
    ("vadd", {"unroll": 4}), ("vmul", {"multiply": "karatsuba"}), ("vmul", {"multiply": "karatsuba_words"}),
], ids=str)  # fmt: skip
@pytest.mark.parametrize("bits", [29, 60, 90])
def test_options_of_vectors(kind: str, options: dict[str, Any], bits: int) -> None:
    assert mg.blas(kind, modulus=(1 << bits) - 3, target="c32", **options).verify()


@pytest.mark.parametrize("options", [
    {"algorithm": "stockham"}, {"algorithm": "pease", "order": "natural"}, {"reduction": "montgomery"}, {"bake": "yes"},
    {"radix": 2}, {"input_factor": 4, "output_factor": 2}, {"multiply": "karatsuba"}, {"carry": "signed"},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("bits", [28, 90])
def test_options(options: dict[str, Any], bits: int) -> None:
    assert mg.ntt(32, modulus_bits=bits, target="c32", **options).verify()


@pytest.mark.thorough
def test_a_longer_transform_and_one_of_any_size() -> None:
    assert mg.ntt(1024, bits=128, target="c32").verify()
    assert mg.ntt("any", max_n=64, modulus_bits=31, target="c32").verify()


@pytest.mark.parametrize("family", sorted(COMPILERS))
@pytest.mark.parametrize("bits", [31, 60, 124])
def test_every_compiler(family: str, bits: int) -> None:
    kernel = mg.ntt(64, modulus_bits=bits, target="c32")
    kernel.compile(COMPILERS[family])
    assert kernel.verify()


@pytest.mark.parametrize("bits", [31, 60, 90, 124])
def test_python_takes_and_gives_the_same_arrays_as_on_c(bits: int) -> None:
    own, usual = (mg.ntt(16, modulus_bits=bits, target=target) for target in ("c32", "c"))
    rng = np.random.default_rng(bits)
    numbers = [int(v) % own.modulus for v in rng.integers(0, 1 << 62, 48)]
    x = to_words(numbers, own.words).reshape(3, 16, own.words)
    assert own.words == usual.words and (own(x) == usual(x)).all()
    assert own(x.tobytes()) == usual(x.tobytes()) and own(numbers[:16]) == usual(numbers[:16])
    out = x.copy()
    assert own(out, out=out) is out and (out == usual(x)).all()
    assert (own(x[::2]) == usual(x[::2])).all()
    assert own.inverse()(own(numbers[:16])) == numbers[:16]


@pytest.mark.parametrize("bits", [31, 60, 90, 124])
def test_python_calls_kernels_of_vectors_as_on_c(bits: int) -> None:
    own, usual = (mg.blas("axpy", modulus=(1 << bits) - 1, target=target) for target in ("c32", "c"))
    x, y = (to_words([pow(b, i, own.modulus) for i in range(21)], own.words) for b in (3, 5))
    right = usual(7, x, y)
    assert (own(7, x, y) == right).all() and (own(to_words([7], own.words)[0], x, y) == right).all()
    assert own(7, x, y, out=y) is y and (y == right).all()


@pytest.mark.parametrize("bits", [31, 60, 90])
def test_a_number_out_of_range_is_named(bits: int) -> None:
    kernel = mg.ntt(8, modulus_bits=bits, target="c32")
    with pytest.raises(MomagenError, match=r"x\[3\]: expected residues below the modulus"):
        kernel([0, 1, 2, kernel.modulus, 4, 5, 6, 7])
    with pytest.raises(MomagenError, match="modulus"):
        kernel.compiled.plan(kernel.modulus + 2**bits, kernel.root)


@pytest.mark.parametrize("bits", [20, 60, 90])
def test_c_takes_words_of_32_bits_and_no_more(bits: int) -> None:
    """In C a residue is as many 32-bit words as it needs: what stands beside the result stays."""
    spec = make_spec("ntt", n=8, modulus_bits=bits, target="c32")
    source, words = generate(spec), -(-bits // 32)
    assert f"_WORDS {words} /* 32-bit words per residue */" in source.header and "uint64_t" not in source.header
    compiled = compile_kernel(source)
    plan, numbers = compiled.plan(spec.modulus, spec.root), [pow(3, i, spec.modulus) for i in range(8)]
    x = np.array([v >> 32 * w & 2**32 - 1 for v in numbers for w in range(words)], np.uint32)
    y = np.full(8 * words + 4, 0xC0FFEE01, np.uint32)
    execute = compiled.library[f"{spec.name}_execute"]
    execute.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_size_t]
    assert execute(plan.address, y.ctypes.data + 8, x.ctypes.data, 1) == 0
    got = [sum(int(y[2 + i * words + w]) << 32 * w for w in range(words)) for i in range(8)]
    assert got == mg.ntt(8, modulus=spec.modulus, root=spec.root, target="c")(numbers)
    assert (y[[0, 1, -2, -1]] == 0xC0FFEE01).all()


@pytest.mark.parametrize("bits", [1, 32, 33, 64, 65, 90, 128])
def test_rows_become_words_and_words_rows(bits: int) -> None:
    border = Border(make_spec("vadd", modulus=(1 << bits) - 1 if bits > 1 else 3, target="c32"))
    numbers = [(1 << bits) - 1, 1, (1 << bits) // 3]
    rows = to_words(numbers, border.spec.row)
    own = border.own(rows)
    assert own.shape == (3, border.spec.arith.words) and own.dtype == np.uint32
    assert [sum(int(w) << 32 * i for i, w in enumerate(row)) for row in own] == numbers
    found = np.full_like(rows, 7)
    border.back(own, found)
    assert from_words(found) == numbers
    first, second, third = border.copies([rows, found, rows])
    assert first is third and first is not second


@pytest.mark.thorough
def test_a_library_has_one_word(tmp_path: Path) -> None:
    kernels = ["ntt:n=16,modulus_bits=90", "ntt:n=16,modulus_bits=90,inverse", "ntt:n=any,max_n=32,modulus_bits=31"]
    expected = r"targets with words of the same size, .* got c \(64 bits\), c32 \(32 bits\)"
    with pytest.raises(MomagenError, match=expected):
        mg.library("tiny", kernels, targets=["c", "c32"])
    kernels += ["polymul:n=16,bits=32", "vmul:modulus_bits=31", "axpy:modulus_bits=90"]
    made = mg.library("tiny", kernels, targets=["c32"])
    assert "words of 32 bits" in made.header and "uint64_t" not in made.header
    made.save(tmp_path / "tiny")
    parts = [tmp_path / "tiny" / part for part in ("include", "tests", "src")]
    sources = [*sorted(parts[2].glob("*.c")), parts[1] / "kernels.c", parts[1] / "test.c"]
    test = compile_program(sources, flags=STRICT, include_dirs=parts)
    done = subprocess.run([test], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def target(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(f'inherits = "c32"\nname = "mine"\n{text}', encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(("text", "said"), [
    ("word = 8", "target mine: expected words of 16, 32 or 64 bits on targets in c, got 8 bits"),
    ("word = 128", "target mine: expected words of 16, 32 or 64 bits on targets in c, got 128 bits"),
    ("digit = 52", "mine.toml, word: expected 64, because the target has reduced-radix limbs (`digit`), got 32"),
    ("lanes = 4",
     "mine.toml, [moves]: expected an entry `lanes` whose value is a string, got only load, broadcast, store"),
    ('syntax = "forth"', "mine.toml, syntax: expected one of the languages c, cuda, python, jax, b512, got forth"),
])  # fmt: skip
def test_words_that_nothing_prints(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(MomagenError) as error:
        mg.ntt(8, bits=64, target=target(tmp_path, text))
    assert str(error.value) == said


def test_it_is_timed() -> None:
    assert mg.ntt(64, modulus_bits=31, target="c32").bench(repetitions=3).ns.median > 0
    assert mg.blas("axpy", modulus_bits=60, target="c32").bench(repetitions=3).ns.median > 0
