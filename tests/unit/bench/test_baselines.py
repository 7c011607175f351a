"""The baselines compute what they are timed on: every kernel that each offers, against the definition."""

from __future__ import annotations

import functools
import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path

import gmpy2
import pytest
from support.oracle import result

from momagen.bench.measure.baselines import LIBRARIES, Baseline, BaselineRow, linked, load_baseline
from momagen.bench.measure.fresh import REFILLED
from momagen.data import folder
from momagen.errors import MomagenError
from momagen.kinds.modular.lists import BLAS
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.spec import Spec
from momagen.params import from_words, to_words
from momagen.runtime import compile_shared, list_compilers

pytestmark = pytest.mark.compiles

COMPILERS = list_compilers()
each_compiler = pytest.mark.parametrize("compiler", COMPILERS, ids=lambda compiler: " ".join(compiler.command[-2:]))
HAND = {"scalar_word": (40, 66), "scalar_shoup": (100, 128)}
"""The hand-written ones need nothing: here they must work. Bits as make_spec takes them."""

def definition(spec: Spec, a: int, x: list[int], y: list[int]) -> list[int]:
    """Return the result of the kernel; the operands that it does not have are ignored."""
    return result(spec, *[{"a": [a], "x": x, "y": y}[name] for name in spec.ranges.operands])


def vectors(q: int, n: int) -> Iterator[list[int]]:
    yield from ([0] * n, [q - 1] * n, [1] + [0] * (n - 1), [0] * (n - 1) + [q - 1])
    state = gmpy2.random_state(n)
    yield [int(gmpy2.mpz_random(state, q)) for _ in range(n)]


def check(baseline: Baseline) -> None:
    """Every vector against every next one."""
    spec, words = baseline.spec, baseline.spec.arith.words
    inputs = list(vectors(spec.modulus, baseline.n))
    for x, y in itertools.pairwise([*inputs, inputs[0]]):
        z, a = to_words(x, words), spec.modulus - 2
        if str(spec.kind) == "ntt":
            baseline.transform(z)
        else:
            z = baseline.apply(to_words([a], words), z, to_words(y, words))
        expected, got = definition(spec, a, x, y), from_words(z)
        assert sorted(got) == sorted(expected) if baseline.unordered and str(spec.kind) == "ntt" else got == expected


def check_next(baseline: Baseline) -> None:
    """What a vector kernel works on after each call: of x and y the younger becomes x, the result y."""
    spec, words = baseline.spec, baseline.spec.arith.words
    renewal = baseline._renewal()
    if str(spec.kind) not in BLAS or renewal["fresh"] == REFILLED:
        return
    q, a = spec.modulus, 3
    x, y = (list(vectors(q, baseline.n))[-1][::step] for step in (1, -1))
    baseline.put(to_words([a], words), to_words(x, words), to_words(y, words))
    z, two = to_words([0] * baseline.n, words), len(spec.ranges.vectors) == 2
    call = baseline.call({"x": z})
    for _ in range(4):
        call.once()
        call.renew()
        x, y = (y, definition(spec, a, x, y)) if two else (definition(spec, a, x, y), y)
    call.once()
    baseline._function("store", 2)(z.ctypes.data, baseline.plan)
    assert from_words(z) == definition(spec, a, x, y)


@each_compiler
@pytest.mark.parametrize(("name", "bits"), [(name, bits) for name, widths in HAND.items() for bits in widths])
@pytest.mark.parametrize("negacyclic", [False, True])
@pytest.mark.parametrize("inverse", [False, True])
def test_hand_written_transforms(name: str, bits: int, negacyclic: bool, inverse: bool, compiler) -> None:  # type: ignore[no-untyped-def]
    for n in (2, 8, 64):
        check(Baseline(name, make_spec("ntt", n=n, bits=bits, negacyclic=negacyclic, inverse=inverse), compiler))


@functools.cache
def refusal(name: str) -> str:
    """Why a library cannot be used here; nothing where it can."""
    try:
        load_baseline(name)
    except MomagenError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", [name for name in LIBRARIES if name not in HAND])
@pytest.mark.parametrize("bits", [40, 64, 128, 381])
def test_libraries(name: str, bits: int) -> None:
    if why := refusal(name):
        pytest.skip(f"{name} is not installed: {why}")
    offered = 0
    rings = [*itertools.product(("ntt", "polymul"), (False, True), (False,)), ("ntt", False, True), ("ntt", True, True)]
    for kind, negacyclic, inverse in [*rings, *((name, False, False) for name in BLAS)]:
        spec = make_spec(kind, n=0 if kind in BLAS else 16, bits=bits, negacyclic=negacyclic, inverse=inverse)
        try:
            baseline = Baseline(name, spec, length=5)
        except MomagenError as refused:
            assert "does not offer the kernel " in str(refused)
            continue
        check(baseline)
        check_next(baseline)
        offered += 1
    assert offered >= 2 or (name in ("flint_nmod", "hexl") and bits > 64)


@pytest.mark.parametrize("change", [{"order": "natural"}, {"bits": 256}, {"bits": 64}])
def test_baselines_refuse_what_they_cannot(change: dict[str, object]) -> None:
    with pytest.raises(MomagenError, match="the baseline scalar_shoup does not offer the kernel"):
        Baseline("scalar_shoup", make_spec("ntt", **{"n": 8, "bits": 128, **change}))  # type: ignore[arg-type]
    with pytest.raises(MomagenError, match="the baseline scalar_shoup does not offer the kernel"):
        Baseline("scalar_shoup", make_spec("vadd", bits=128), length=4)


def test_a_library_of_ones_own(tmp_path: Path) -> None:
    source = (folder("scripts/baselines") / "scalar_word.c").read_text().replace("scalar_word_", "mine_")
    path = shutil.copy(compile_shared(source, name="mine", flags=["-std=gnu99"]), tmp_path / "libmine.so")
    baseline = Baseline(str(path), make_spec("ntt", n=8, bits=64))
    assert (baseline.title, baseline.unordered) == ("mine", False)
    check(baseline)


def test_a_library_without_the_functions(tmp_path: Path) -> None:
    built = compile_shared("int nothing(void) { return 0; }\n", name="none", flags=[])
    path = shutil.copy(built, tmp_path / "libnone.so")
    with pytest.raises(MomagenError, match="none: the library does not export the function none_run"):
        Baseline(str(path), make_spec("ntt", n=8, bits=64))


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LIBRARIES, "gmp_mpz", BaselineRow("GMP mpz", libraries=("-lmomagen_nowhere",)))
    assert list(linked(LIBRARIES["gmp_mpz"])) == [("-lmomagen_nowhere",)]
    with pytest.raises(MomagenError, match=r"momagen_nowhere|gmp\.h"):
        load_baseline("gmp_mpz")


def test_a_library_where_its_variable_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = BaselineRow("mine", libraries=("-lmine", "-lm"), root="MINE_ROOT")
    monkeypatch.delenv("MINE_ROOT", raising=False)
    assert list(linked(row)) == [("-lmine", "-lm")]
    monkeypatch.setenv("MINE_ROOT", str(tmp_path))
    (tmp_path / "include").mkdir()
    first, second, *_ = linked(row)
    assert first == (f"-I{tmp_path}/include", f"-L{tmp_path}/lib", f"-Wl,-rpath,{tmp_path}/lib", "-lmine", "-lm")
    assert second == (*first[:3], "-lmine", "-lcpu_features", "-lm")


def test_a_library_whose_headers_name_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = BaselineRow("mine", libraries=("-lmine",), root="MINE_ROOT", folders=("mine", "mine/core"))
    monkeypatch.delenv("MINE_ROOT", raising=False)
    monkeypatch.setattr("momagen.bench.measure.baselines.PREFIXES", (tmp_path / "none", tmp_path))
    (tmp_path / "include/mine/core").mkdir(parents=True)
    headers = (f"-I{tmp_path}/include/mine", f"-I{tmp_path}/include/mine/core")
    assert list(linked(row)) == [(*headers, "-lmine")]
    monkeypatch.setenv("MINE_ROOT", str(tmp_path))
    assert next(linked(row))[:3] == (f"-I{tmp_path}/include", *headers)


def test_hexl_where_it_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEXL_ROOT", str(tmp_path))
    with pytest.raises(MomagenError, match="expected an installation prefix with the folders include and lib for"):
        load_baseline("hexl")
