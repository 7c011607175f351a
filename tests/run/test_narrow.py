"""Kernels on words of 16 and 32 bits, of every kind and at odd parameters, against gmpy2 and the definition."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import gmpy2
import numpy as np
import pytest
from support.oracle import result

import momagen as mg
from momagen.cli import main
from momagen.data import folder
from momagen.kinds.modular.lists import ANY_MODULUS
from momagen.runtime.native import candidates, tuned_candidates
from momagen.targets import load_target

WIDTHS = {16: (12, 14, 15, 16), 32: (17, 28, 30, 31, 32)}
"""Bits of moduli by the bits of words: with room for many multiples, for one, for none."""
TARGETS = {word: [f"{vectors}_words{word}" for vectors in ("avx2", "avx512")] for word in WIDTHS}
SIZES = (2, 4, 8, 16, 256, 2048)
WAYS: dict[str, dict[str, Any]] = {
    "cyclic": {}, "inverse": {"inverse": True}, "negacyclic": {"negacyclic": True}, "natural": {"order": "natural"},
    "back": {"inverse": True, "negacyclic": True, "order": "natural"}, "three": {"columns": 3},
    "columns": {"columns": 16, "negacyclic": True}, "columns_back": {"columns": 33, "inverse": True},
    "factors": {"input_factor": 2, "output_factor": 2}, "factors_back": {"input_factor": 2, "inverse": True},
    "window": {"output_factor": 16}, "window_back": {"output_factor": 16, "inverse": True, "negacyclic": True},
    "windows": {"input_factor": 16, "output_factor": 16}, "windows_back": {"input_factor": 16, "inverse": True},
    "depth": {"levels": 1, "negacyclic": True}, "depth_back": {"levels": 1, "inverse": True},
}  # fmt: skip
"""Options of transforms; "levels": so many fewer than there are."""


def prime(bits: int, order: int) -> int:
    """The largest prime of so many bits with a root of that order; 0 where there is none."""
    first = ((1 << bits) - 2) // order * order + 1
    return next((q for q in range(first, 1 << bits - 1, -order) if gmpy2.is_prime(q)), 0)


def transforms() -> Iterator[tuple[str, int, int, str]]:
    """Target, points, modulus, and the way, wherever there is such a prime and the words hold what factors ask for."""
    for word, widths in WIDTHS.items():
        for target, bits, n, way in product(TARGETS[word], widths, SIZES, WAYS):
            q, room = prime(bits, 2 * n), word - bits
            fits = max(WAYS[way].get(f"{end}put_factor", 1) for end in ("in", "out")) <= 1 << room
            if q and fits and not ("depth" in way and n < 4):
                yield target, n, q, way


def transform(target: str, n: int, q: int, way: str) -> mg.Kernel:
    options = {**WAYS[way]}
    if fewer := options.pop("levels", 0):
        options["depth"] = n.bit_length() - 1 - fewer
    return mg.ntt(n, modulus=q, target=target, **options)


@pytest.mark.sampled(200)
@pytest.mark.parametrize(("target", "n", "q", "way"), [*transforms()])
def test_transforms(target: str, n: int, q: int, way: str) -> None:
    report = transform(target, n, q, way).verify(seed=n)
    assert report.ok, str(report)


@pytest.mark.thorough
def test_a_target_without_rounded_products(tmp_path: Path) -> None:
    """Products by 1 reduce results there; a rule makes differences as words with signs where only those are missing."""
    rows = (folder("targets") / "avx2_words16.toml").read_text(encoding="utf-8").splitlines()
    for without in (("mulhrs", "sublos"), ("sublos",)):
        kept = [row for row in rows if not row.startswith(without)]
        assert len(kept) == len(rows) - len(without)
        target = tmp_path / f"plain{len(without)}.toml"
        target.write_text("\n".join(kept).replace('"avx2_words16"', f'"{target.stem}"'), encoding="utf-8")
        kernel = mg.ntt(256, modulus=3329, depth=7, negacyclic=True, target=str(target))
        assert ("residue_by_rounded_quotient" in kernel.generated.source) == ("mulhrs" not in without)
        assert kernel.verify().ok


@pytest.mark.parametrize(("kind", "target"), [
    ("ntt", "avx2_words16"), ("vmul", "avx2_words32"), ("vmul", "avx512_words16"), ("ntt", "avx512_words32"),
])  # fmt: skip
def test_emulated(kind: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A CPU without the target's features."""
    monkeypatch.setenv("MOMAGEN_DISABLE", ",".join(load_target(target).features))
    q = 3329 if load_target(target).word == 16 else 8380417
    kernel = mg.ntt(128, modulus=q, negacyclic=True, target=target) if kind == "ntt" else mg.blas(
        kind, modulus=q, target=target)  # fmt: skip
    assert kernel.emulated
    report = kernel.verify()
    assert report.ok, str(report)


@pytest.mark.sampled(16)
@pytest.mark.parametrize(("word", "bits"), [(word, bits) for word in WIDTHS for bits in WIDTHS[word]])
@pytest.mark.parametrize("vectors", ["avx2", "avx512"])
@pytest.mark.parametrize("n", [2, 16, 32])
def test_arrays_of_own_words(n: int, vectors: str, word: int, bits: int) -> None:
    """Arrays of uint16 and uint32 by the definition, there and back, whatever else is taken."""
    rng, ring = random.Random(n + bits), {"negacyclic": bits % 2 == 0, "order": "natural" if bits % 3 else "bitrev"}
    k = mg.ntt(n, modulus=prime(bits, 2 * n), target=f"{vectors}_words{word}", **ring)  # type: ignore[arg-type]
    q, own = k.modulus, np.dtype(f"u{word // 8}")
    rows = [[rng.choice((0, 1, q - 1, rng.randrange(q))) for _ in range(n)] for _ in range(3)]
    x, right = np.array(rows, own), [result(k.spec, row) for row in rows]
    y = k(x)
    assert y.dtype == own and y.tolist() == right == k(rows)
    wide = k(x.astype(np.uint64))
    assert wide.dtype == np.uint64 and wide.tolist() == right
    back = k.inverse()(y)
    assert back.dtype == own and back.tolist() == rows
    assert k(x, out=x) is x and x.tolist() == right


@pytest.mark.sampled(80)
@pytest.mark.parametrize(("word", "bits"), [(word, bits) for word in WIDTHS for bits in WIDTHS[word]])
@pytest.mark.parametrize("vectors", ["avx2", "avx512"])
@pytest.mark.parametrize("kind", ANY_MODULUS)
def test_vectors(kind: str, vectors: str, word: int, bits: int) -> None:
    report = mg.blas(kind, modulus=(1 << bits) - 1, target=f"{vectors}_words{word}").verify()
    assert report.ok, str(report)


@pytest.mark.parametrize(("target", "bits", "options"), [
    ("avx2_words16", 12, {"reduction": "montgomery"}), ("avx512_words16", 13, {"form": "montgomery"}),
    ("avx2_words32", 31, {"bake": "yes"}), ("avx512_words32", 28, {"input_factor": 4, "output_factor": 2}),
    ("avx2_words32", 23, {"input_factor": 2, "reduction": "montgomery"}), ("c16", 16, {}),
], ids=str)  # fmt: skip
def test_options_of_vectors(target: str, bits: int, options: dict[str, Any]) -> None:
    report = mg.blas("vmul", modulus=(1 << bits) - 3, target=target, **options).verify()
    assert report.ok, str(report)


@pytest.mark.parametrize("target", ["avx2", "avx512"])
@pytest.mark.parametrize("length", [1, 7, 33])
def test_lengths_of_vectors(length: int, target: str) -> None:
    """Whole registers and what is left, by plain integers."""
    rng, q = random.Random(length), 12289
    add, scaled = mg.blas("vadd", modulus=q, target=target), mg.blas("axpy", modulus=q, target=target)
    x, y = (np.array([rng.choice((0, q - 1, rng.randrange(q))) for _ in range(length)], np.uint16) for _ in range(2))
    pairs = [*zip(x.tolist(), y.tolist(), strict=True)]
    assert add.spec.layout == "u16" and add(x, y).dtype == np.uint16
    assert add(x, y).tolist() == [(a + b) % q for a, b in pairs]
    assert scaled(7, x, y).tolist() == [(7 * a + b) % q for a, b in pairs]
    assert scaled(np.uint16(7), x, y).dtype == np.uint16


def multiplied(x: list[int], y: list[int], q: int, sign: int) -> list[int]:
    """The product modulo x^n - sign."""
    n, found = len(x), [0] * len(x)
    for i, j in product(range(n), repeat=2):
        found[(i + j) % n] += x[i] * y[j] * (sign if i + j >= n else 1)
    return [each % q for each in found]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("target", "bits", "n"), [
    ("avx2_words16", 12, 16), ("avx2_words16", 15, 128), ("avx512_words16", 14, 64), ("avx512_words16", 16, 32),
    ("avx2_words32", 31, 64), ("avx2_words32", 32, 16), ("avx512_words32", 30, 128), ("avx512_words32", 17, 4),
    ("avx512ifma_words32", 31, 512),
])  # fmt: skip
@pytest.mark.parametrize("negacyclic", [False, True])
def test_products_of_polynomials(negacyclic: bool, target: str, bits: int, n: int) -> None:
    k, rng = mg.polymul(n, modulus=prime(bits, 2 * n), negacyclic=negacyclic, target=target), random.Random(n)
    q, own = k.modulus, np.dtype(f"u{load_target(target).word // 8}")
    x, y = ([rng.choice((0, q - 1, rng.randrange(q))) for _ in range(n)] for _ in range(2))
    z = k(np.array(x, own), np.array(y, own))
    assert z.dtype == own and z.tolist() == multiplied(x, y, q, -1 if negacyclic else 1)
    assert k.verify().ok


@pytest.mark.thorough
@pytest.mark.parametrize("target", ["avx2", "avx512"])
def test_the_product_of_a_standard(target: str) -> None:
    """ML-KEM's: transforms of seven levels, products of remainders, in 16-bit words all the way."""
    given = {"preset": "ml-kem", "target": target, "layout": "u16"}
    there, base = mg.ntt(**given), mg.basemul(**given)  # type: ignore[arg-type]
    rng = np.random.default_rng(1)
    x, y = (rng.integers(0, 3329, 256, np.uint16) for _ in range(2))
    z = there.inverse()(base(there(x), there(y)))
    assert z.dtype == np.uint16 and z.tolist() == multiplied(x.tolist(), y.tolist(), 3329, -1)


def test_extensions() -> None:
    """Four times as many values come out, of a batch, in the words of the values."""
    k = mg.lde(16, blowup=4, columns=3, modulus="babybear", coset=31, target="avx2", layout="u32", order="natural")
    x = np.random.default_rng(2).integers(0, k.modulus, (2, 16, 3), np.uint32)
    y = k(x)
    assert y.dtype == np.uint32 and y.shape == (2, 64, 3) and k.verify().ok
    assert (y == k(x.astype(np.uint64))).all()
    out = np.zeros((2, 64, 3), np.uint32)
    assert k(x, out=out) is out and (out == y).all()


CHOICES: dict[int, tuple[str, str]] = {
    12: ("avx2_words16", "avx512_words16"), 15: ("avx2_words16", "avx512_words16"),
    16: ("avx2_words32", "avx512_words32"), 31: ("avx2_words32", "avx512_words32"), 32: ("avx2", "avx512"),
    60: ("avx2", "avx512"),
}  # fmt: skip


@pytest.mark.parametrize("bits", CHOICES)
def test_the_width_chooses(bits: int) -> None:
    made = [mg.ntt(16, modulus_bits=bits, target=target) for target in ("avx2", "avx512")]
    assert tuple(str(k.spec.target) for k in made) == CHOICES[bits]
    assert {str(mg.blas("vmul", modulus_bits=bits, target="avx2").spec.target)} == {CHOICES[bits][0]}
    assert str(mg.ntt(16, modulus_bits=bits, target="c").spec.target) == "c"


@pytest.mark.parametrize(("target", "layout", "found"), [
    ("avx2", "u64", "avx2"), ("avx2", "u32", "avx2_words32"), ("avx2", "u16", "avx2_words16"), ("c", "u16", "c16"),
    ("c", "u32", "c32"), ("avx512ifma", "u64", "avx512ifma"), ("avx512ifma", "u16", "avx512_words16"),
])  # fmt: skip
def test_a_layout_that_users_ask_for(target: str, layout: str, found: str, capsys: pytest.CaptureFixture[str]) -> None:
    """By every maker, and by the command that a kernel is made again with."""
    given: dict[str, Any] = {"modulus": 7681, "target": target, "layout": layout}
    made = [mg.ntt(16, **given), mg.polymul(16, **given), mg.basemul(16, depth=3, **given), mg.blas("vmul", **given),
            mg.lde(8, blowup=2, **given)]  # fmt: skip
    for k in made:
        assert (str(k.spec.target), k.spec.layout) == (found, layout)
        assert main([*k.spec.command().split()[1:], "--no-verify", "--no-bench", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["name"] == k.name


def test_native_hands_short_moduli_on_and_keeps_long_ones() -> None:
    assert mg.ntt(16, modulus_bits=60, target="native").spec.target.word == 64
    best = str(tuned_candidates()[0])
    short, long = (mg.ntt(16, modulus_bits=31, target=target) for target in ("native", best))
    assert short.spec == long.spec
    assert not {f"avx2_words{word}" for word in WIDTHS} & {*map(str, candidates())}
