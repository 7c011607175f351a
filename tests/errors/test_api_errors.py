"""What a user of the Python interface reads after a mistake: one line with what was expected, what came, and where."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import momagen as mg
from momagen import files
from momagen.kinds.modular.lists import BLAS

pytestmark = pytest.mark.compiles

Q = 2**64 - 2**32 + 1


def message(call: Callable[[], object]) -> str:
    with pytest.raises(mg.MomagenError) as caught:
        call()
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture(scope="module")
def wide() -> mg.Kernel:
    return mg.ntt(8, bits=128)


@pytest.fixture(scope="module")
def narrow() -> mg.Kernel:
    return mg.ntt(8, modulus=Q)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: mg.ntt(8), "modulus: the modulus is missing; specify `modulus`, `modulus_bits` or `bits`"),
        (
            lambda: mg.ntt(8, modulus=15),
            "modulus: 15 is composite, and momagen finds roots of unity only modulo a prime",
        ),
        (lambda: mg.ntt(8, modulus=2**64), "modulus: expected an odd modulus below 2^2048, got the even number"),
        (lambda: mg.ntt(8, modulus="2^64 -"), "modulus '2^64 -', character 7: expected a number"),
        (lambda: mg.ntt(8, modulus=17.0), "modulus: expected an integer or an expression such as '2^255-19', got 17.0"),
        (lambda: mg.ntt(8.0, bits=64), "n: expected an integer or an expression such as '2^255-19', got 8.0"),
        (lambda: mg.ntt(12, bits=64), "n: expected a power of two from 2 to 67108864, got 12"),
        (lambda: mg.ntt(1, bits=64), "n: expected a power of two from 2 to 67108864, got 1"),
        (lambda: mg.ntt(2**27, bits=64), "n: expected a power of two from 2 to 67108864, got 134217728"),
        (lambda: mg.ntt(32, modulus=17), "n: expected a cyclic size n such that n divides q - 1, got 32 (the largest"),
        (
            lambda: mg.ntt(16, modulus=17, negacyclic=True),
            "n: expected a negacyclic size n such that 2n divides",
        ),
        (
            lambda: mg.ntt(8, modulus=17, root=3),
            "root: expected a primitive 8-th root of unity modulo q, got 3 (3 is a generator: use ",
        ),
        (
            lambda: mg.ntt(8, modulus=17, root=17),
            "root: expected a primitive 8-th root of unity modulo q, got 17, which",
        ),
        (lambda: mg.ntt(8, bits=4), "bits: expected between 8 and 2048 bits, got 4"),
        (
            lambda: mg.ntt(8, bits=64, modulus=2**127 - 1),
            "modulus: expected a modulus of at most 64 bits, got 127 bits",
        ),
        (lambda: mg.ntt(8, bits=64, target="vax"), "target: expected a target such as c, "),
        (lambda: mg.ntt(8, bits=64, target="nowhere.toml"), "nowhere.toml: the target file cannot be read (No such"),
        (lambda: mg.ntt(8, bits=64, order="sorted"), "order: expected one of bitrev, natural, got sorted"),
        (lambda: mg.blas("vadd", bits=64).inverse(), "vadd_60b_c: expected a transform, got a kernel of the kind v"),
        (lambda: mg.polymul(8, bits=64).order, "polymul8_60b_c: expected a transform, got a kernel of the kind p"),
        (lambda: mg.blas("vadd", bits=64).points(), "vadd_60b_c: expected a transform, got a kernel of the kind v"),
        (lambda: mg.ntt(8, bits=64, speed=3), "ntt(): expected one of the arguments n, preset, "),
        (lambda: mg.ntt(8, bits=64, radix=3), "radix: expected one of 2, 4, 8, 16, got 3"),
        (lambda: mg.ntt(8, bits=64, multiply="fast"), "multiply: expected one of "),
        (lambda: mg.ntt(8, bits=64, reduction="fast"), "reduction: expected one of "),
        (
            lambda: mg.ntt(8, modulus=Q, reduction="lazy"),
            "reduction: expected a modulus of at most 62 bits for the reduction lazy, got 64",
        ),
        (
            lambda: mg.blas("vdiv", bits=64),
            f"kernel: did you mean vinv? Expected one of the kernels {', '.join(BLAS)}, got vdiv",
        ),
        (lambda: mg.blas("ntt", bits=64), f"kernel: expected one of the kernels {', '.join(BLAS)}, got ntt"),
        (lambda: mg.ntt(8, bits=64, input_factor=3), "input_factor: expected one of 1, 2, 4, 8, 16, got 3"),
        (lambda: mg.ntt(8, bits=64, output_factor="any"), "output_factor: expected one of 1, 2, 4, 8, 16, got any"),
        (lambda: mg.blas("vadd", bits=64, input_factor="any"), "input_factor: expected one of 1, 2, 4, 8, 16, got any"),
        (
            lambda: mg.blas("cmpadd", bits=64, output_factor=1),
            "`output_factor` does not apply to cmpadd",
        ),
        (
            lambda: mg.ntt(8, modulus=Q, input_factor=2),
            "input_factor: expected a factor of at most 1 for a modulus of 64 bits in 1 word, got 2",
        ),
        (
            lambda: mg.polymul(8, bits=130, output_factor=8),
            "output_factor: expected a factor of at most 4 for a modulus of 126 bits in 2 words, got 8",
        ),
        (
            lambda: mg.blas("cmpsub", modulus=2**255 - 19, input_factor=4),
            "input_factor: expected a factor of at most 2 for a modulus of 255 bits in 4 words, got 4",
        ),
        (lambda: mg.blas("vadd", bits=64, cmp="lt"), "`cmp` does not apply to vadd; omit `cmp`"),
        (lambda: mg.blas("cmpadd", bits=64, cmp="gt"), "cmp: expected one of eq, lt, le, ne, nlt, nle, true, false"),
        (lambda: mg.ntt(8, bits=64, target=64), "target: expected the name of a target or a TOML file, got 64"),
        (lambda: mg.ntt(8, bits=64, inverse="no"), "inverse: expected True or False, got 'no'"),
        (lambda: mg.polymul(8, bits=64, negacyclic="-"), "negacyclic: expected True or False, got '-'"),
        (lambda: mg.library("mine", [mg.ntt(8, bits=64)]), "kernel 1: expected a string such as "),
        (lambda: mg.ntt(8, bits=64, wisdom=3), "wisdom: expected a string or a path, got 3"),
        (lambda: mg.ntt(8, bits=64, wisdom="a\0b"), "wisdom: expected a path without null characters, got"),
        (lambda: mg.ntt(8, bits=64).verify(progress=3), "progress: expected a function of two arguments, the "),
        (lambda: mg.library("mine", ["vadd:bits=64"], progress=0), "progress: expected a function of two "),
        (lambda: mg.ntt(8, bits=64).compile(3), "compiler: expected a compiler's name or command line, got 3"),
        (lambda: mg.ntt(8, bits=64).compile("a\0b"), "compiler: expected a working C compiler, got a"),
        (lambda: mg.ntt(8, bits=64).save("a\0b"), "save: expected a path without null characters, got"),
        (lambda: mg.ntt(8, bits=64).save(3), "save: expected a string or a path, got 3"),
        (lambda: mg.load(3), "load: expected a string or a path, got 3"),
        (lambda: mg.library("mine", 3), "kernels: expected a list of kernels, got 3"),
        (lambda: mg.polymul(0, bits=64), "n: expected a power of two from 2 to 67108864, got 0"),
    ],
)
def test_requests(call: Callable[[], object], text: str) -> None:
    assert message(call).startswith(text)


BIG = 2**130
ARRAY = np.zeros((8, 2), np.uint64)
KIND = "x: expected a uint64 array of shape (…, 8, 2), integers of shape (…, 8), or bytes, "
RANGE = "expected residues below the modulus 21267647932558653966460912964485512497, "


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.zeros((8, 3), np.uint64), KIND + "got shape (8, 3)"),
        (np.zeros((7, 2), np.uint64), KIND + "got shape (7, 2)"),
        (np.zeros(8, np.uint64), KIND + "got shape (8,) (use x.astype(object) if each element is a residue)"),
        (np.zeros((8, 2), np.int64), KIND + "got int64 of shape (8, 2)"),
        (np.zeros((8, 2), np.float64), KIND + "got float64 of shape (8, 2)"),
        (np.zeros((8, 2), object), KIND + "got object of shape (8, 2)"),
        (np.zeros((8, 2), np.uint32), KIND + "got uint32 of shape (8, 2)"),
        (5, KIND + "got a int"),
        (None, KIND + "got a NoneType"),
        ("12345678", KIND + "got a str"),
        (iter(range(8)), KIND + "got a range_iterator"),
        ([1] * 7, KIND + "got a sequence of shape (7,)"),
        ([], KIND + "got a sequence of shape (0,)"),
        ([[1] * 8, [1] * 7], KIND + "got sequences of different lengths"),
        ([ARRAY, ARRAY[:, :1]], KIND + "got sequences of different lengths"),
        ([1] * 5 + [BIG] + [1] * 2, f"x[5]: {RANGE}got {BIG}"),
        ([1] * 7 + [-1], f"x[7]: {RANGE}got -1"),
        ([1.5] + [1] * 7, f"x[0]: {RANGE}got 1.5"),
        (["1"] * 8, f"x[0]: {RANGE}got '1'"),
        ([[1]] * 8, KIND + "got a sequence of shape (8, 1)"),
        ([[1] * 8, [1] * 3 + [BIG] + [1] * 4], f"x[1][3]: {RANGE}got {BIG}"),
    ],
)
def test_operands(wide: mg.Kernel, value: object, text: str) -> None:
    assert message(lambda: wide(value)) == text


def test_first_array_value_out_of_range(wide: mg.Kernel, narrow: mg.Kernel) -> None:
    x = np.zeros((3, 8, 2), np.uint64)
    x[1, 6] = x[2, 0] = [wide.modulus & (2**64 - 1), wide.modulus >> 64]
    assert message(lambda: wide(x)).startswith("x[1, 6]: expected residues below the modulus ")
    assert message(lambda: wide(x)).endswith(f", got {wide.modulus}")
    flat = np.full((2, 8), Q - 1, np.uint64)
    flat[1, 2] = Q
    for value in (flat, flat[..., None]):
        assert message(lambda value=value: narrow(value)) == (  # type: ignore[misc]
            f"x[1, 2]: expected residues below the modulus {Q}, got {Q}"
        )


def test_one_word_shapes_named(narrow: mg.Kernel) -> None:
    assert message(lambda: narrow(np.zeros(9, np.uint64))) == (
        "x: expected a uint64 array of shape (…, 8, 1) or (…, 8), integers of shape (…, 8), or bytes, got shape (9,)"
    )


@pytest.mark.parametrize(
    ("operands", "text"),
    [
        ((), "axpy_60b_c: expected 3 operands (a, x, y), got 0"),
        (([1], [2]), "axpy_60b_c: expected 3 operands (a, x, y), got 2"),
        ((1, [1, 2], [1]), "y: expected the shape of x, (2,), got (1,)"),
        ((2**64, [1], [1]), "a: expected residues below the modulus "),
        ((0.5, [1], [1]), "a: expected residues below the modulus "),
        ((np.zeros(2, np.uint64), [1], [1]), "a: expected an integer or an array of its 1 words, got shape (2,)"),
        ((1, [1], [2**60]), "y[0]: expected residues below the modulus "),
    ],
)
def test_several_operands(operands: Sequence[Any], text: str) -> None:
    assert message(lambda: mg.blas("axpy", bits=64)(*operands)).startswith(text)


OUT_OF_RANGE: dict[str, tuple[Callable[[], object], str]] = {
    "a stays a residue": (
        lambda: mg.blas("axpy", bits=64, input_factor=8)(2**60, [1], [1]),
        "a: expected residues below the modulus 1152921504606846883, got 1152921504606846976",
    ),
    "a multiple of q": (
        lambda: mg.blas("vneg", bits=64, input_factor=2)([1, 2 * (2**60 - 93) - 1, 2 * (2**60 - 93)]),
        "x[2]: expected residues below 2 times the modulus 1152921504606846883, got 2305843009213693766",
    ),
    "an array": (
        lambda: mg.ntt(2, modulus=17, input_factor=4)(np.array([67, 68], np.uint64)),
        "x[1]: expected residues below 4 times the modulus 17, got 68",
    ),
    "no word": (
        lambda: mg.blas("reduce", bits=64)([1, 2**64]),
        "x[1]: expected numbers below 2^64, got 18446744073709551616",
    ),
    "a negative bound": (
        lambda: mg.blas("cmpadd", bits=128)(-1, 1, [1]),
        "bound: expected numbers below 2^128, got -1",
    ),
    "diff is a residue": (
        lambda: mg.blas("cmpsub", modulus=17, input_factor="any")(2**64 - 1, 17, [2**64 - 1]),
        "diff: expected residues below the modulus 17, got 17",
    ),
    "too few operands": (
        lambda: mg.blas("cmpsub", modulus=17)(1, [1]),
        "cmpsub_nle_5b_c: expected 3 operands (bound, diff, x), got 2",
    ),
    "too many operands": (
        lambda: mg.blas("vneg", modulus=17)([1], [1]),
        "vneg_5b_c: expected 1 operand (x), got 2",
    ),
}


@pytest.mark.parametrize("case", OUT_OF_RANGE)
def test_ranges(case: str) -> None:
    call, text = OUT_OF_RANGE[case]
    assert message(call) == text


def test_partial_overlap(wide: mg.Kernel) -> None:
    memory = np.zeros((24, 2), np.uint64)
    text = "`out` partially overlaps x; use x itself, or an array that shares no memory with it"
    for x, out in (
        (memory[:8], memory[1:9]),
        (memory[4:12], memory[:8]),
        (memory[:8], memory[7::-1]),
        (memory[:16:2], memory[:8]),
        (memory[:16].reshape(2, 8, 2), memory[8:].reshape(2, 8, 2)),
    ):
        assert message(lambda x=x, out=out: wide(x, out=out)) == text  # type: ignore[misc]
    for x, out in ((memory[:8], memory[8:16]), (memory[:16:2], memory[1:16:2]), (memory[:8], memory[:8])):
        assert wide(x, out=out) is out
    add = mg.blas("vadd", bits=128)
    assert message(lambda: add(memory[:8], memory[8:16], out=memory[9:17])) == text.replace(" x", " y")
    assert not memory.any()


def read_only() -> Any:
    array = np.zeros((8, 2), np.uint64)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("out", "got"),
    [
        (np.zeros((8, 3), np.uint64), "shape (8, 3)"),
        (np.zeros((8, 2)), "float64 of shape (8, 2)"),
        ([0] * 8, "a list"),
        (read_only(), "read-only uint64 of shape (8, 2)"),
    ],
)
def test_out(wide: mg.Kernel, out: Any, got: str) -> None:
    text = message(lambda: wide(ARRAY, out=out))
    assert text.startswith("out: expected ") and "(8, 2)" in text and text.endswith(f", got {got}")


def test_another_modulus(wide: mg.Kernel) -> None:
    longer = "modulus: expected a modulus of at most 124 bits, got 125 bits"
    assert message(lambda: wide.with_modulus(2**125 - 1, 2)).startswith("root: ")
    assert message(lambda: mg.blas("vadd", bits=128).with_modulus(2**125 - 1)) == longer
    assert message(lambda: wide.with_modulus(2**124 - 1)).endswith("specify `root`, or use a prime `modulus`")
    assert message(lambda: mg.ntt(64, bits=128, target="avx2").with_modulus(193)) == (
        "modulus: expected a modulus that ntt64_124b_avx2 supports, every odd q from 2^100 to 2^124, got 193"
    )


def test_plan_refusals(wide: mg.Kernel) -> None:
    """What create itself answers to arguments that no one has checked."""
    q = wide.modulus
    assert message(lambda: wide.compiled.plan(2**125 - 9, 1)) == (
        f"modulus: expected a modulus that ntt8_124b_c supports, every odd q below 2^124, got {2**125 - 9}"
    )
    assert message(lambda: wide.compiled.plan(q - 1, wide.root)).startswith("modulus: expected a modulus that")
    assert message(lambda: wide.compiled.plan(q, 1)).startswith("root: expected a root of order 8 modulo ")
    for root in (q, -1, 2**128):
        assert message(lambda root=root: wide.compiled.plan(q, root)).startswith("root: expected a root of order 8 mod")
    assert message(lambda: wide.compiled.plan(2**128, 1)).endswith(f"below 2^124, got {2**128}")
    product = mg.blas("vmul", bits=64)
    assert message(lambda: product.compiled.plan(2**60 + 1, 0)) == (
        f"modulus: expected a modulus that vmul_60b_c supports, every q below 2^60, got {2**60 + 1}"
    )
    doubles = mg.ntt(64, bits=128, target="avx2")
    assert message(lambda: doubles.compiled.plan(193, 125)) == (
        "modulus: expected a modulus that ntt64_124b_avx2 supports, every odd q from 2^100 to 2^124, got 193"
    )


def test_unwritable_folder(wide: mg.Kernel, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("kept")
    for folder in (blocked, blocked / "below", Path("/proc/none")):
        assert message(
            lambda folder=folder: wide.save(folder)
        ).startswith(  # type: ignore[misc]
            f"save: expected a folder that can be written, got {folder}"[:60]
        )
    assert blocked.read_text() == "kept" and list(tmp_path.iterdir()) == [blocked]


def test_save_that_fails_halfway(wide: mg.Kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full at the second file: nothing is left."""
    write = files._fill

    def full(path: Path, text: str) -> None:
        if path.suffix == ".h":
            raise OSError(28, "No space left on device")
        write(path, text)

    monkeypatch.setattr(files, "_fill", full)
    assert message(lambda: wide.save(tmp_path)).endswith("(No space left on device)")
    assert list(tmp_path.iterdir()) == []


def test_load(wide: mg.Kernel, tmp_path: Path) -> None:
    assert message(lambda: mg.load(tmp_path)).startswith(
        "load: expected a folder with exactly one manifest (*.json), got 0 manifests"
    )
    assert message(lambda: mg.load(tmp_path / "absent")).startswith("load: expected a saved kernel, got ")
    wide.save(tmp_path)
    mg.ntt(4, bits=64).save(tmp_path)
    assert "got 2 manifests" in message(lambda: mg.load(tmp_path))
    (tmp_path / f"{wide.name}.c").unlink()
    missing = f"got {tmp_path / wide.name}.c (No such file or directory)"
    assert missing in message(lambda: mg.load(tmp_path / f"{wide.name}.json"))


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("{", "[", "expected a manifest in JSON, got "),
        ('"format": 6', '"format": 2', "expected a manifest of format 6, got format 2"),
        ('"spec"', '"specs"', "expected the key “spec”"),
        ('"n": 8', '"n": 9', "n: expected a power of two"),
        ('"root": "0x', '"root": "0x1', "root: expected a primitive 8-th root"),
        ('"modulus": "0x', '"modulus": "zz', "spec: expected modulus and root in hexadecimal, got "),
        ('"inverse"', '"backwards"', "spec: expected only the keys"),
        ('"target": "c"', '"target": null', "spec, target: expected a string, got None"),
        ('"target": "c"', '"target": 3', "spec, target: expected a string, got 3"),
        ('"target": "c"', '"target": ["c"]', "spec, target: expected a string, got ['c']"),
        ('"kind": "ntt"', '"kind": "fft"', "kernel: expected one of the kernels ntt, "),
        ('"kind": "ntt"', '"kind": "vmul"', "`n` does not apply"),
        ('"n": 8', '"n": true', "spec, n: expected an integer, got True"),
        ('"options": {}', '"options": {"radix": 4}', "options: expected options whose values are strings"),
        ('"notes": [', '"notes": ' + "[" * 5000, "expected a manifest in JSON, got maximum recursion depth exceeded"),
        ('"momagen": "', '"momagen": "\\ud800', "expected valid Unicode text, got "),
        ('"name": "', '"name": "../', "name: expected the name of a kernel, got ../"),
        ('"target": "c"', '"target": "vax"', "target: expected a target such as c, "),
    ],
)
def test_broken_manifest(wide: mg.Kernel, tmp_path: Path, old: str, new: str, text: str) -> None:
    path = wide.save(tmp_path) / f"{wide.name}.json"
    content = path.read_text()
    assert old in content
    path.write_text(content.replace(old, new))
    assert text in message(lambda: mg.load(path))


def test_no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Generating still works; the first call says what is missing."""
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("MOMAGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    k = mg.ntt(8, bits=64)
    assert "execute" in k.source
    for call in (lambda: k([1] * 8), k.verify, k.bench, k.compile):
        assert message(call).startswith(
            "compiler: expected a C compiler ($CC, clang, gcc or the ziglang wheel), got none"
        )


def test_features_without_stand_ins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    target = tmp_path / "future.toml"
    target.write_text('inherits = "c"\nname = "future"\ntitle = "C with a feature"\nfeatures = ["bmi9"]\n')
    k = mg.ntt(8, bits=64, target=str(target))
    expected = "target future: this CPU lacks bmi9, and the target has no stand-ins that emulate it"
    assert message(lambda: k([1] * 8)) == expected


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda k: k.verify(seed="x"), "seed 'x', character 1: expected a number"),
        (lambda k: k.verify(seed=1.5), "seed: expected an integer or an expression such as '2^255-19', got 1.5"),
        (lambda k: k.verify(seed=-1), "seed: expected at least 0, got -1"),
        (lambda k: k.bench(repetitions="x"), "repetitions 'x', character 1: expected a number"),
        (lambda k: k.bench(repetitions=0), "repetitions: expected at least 1, got 0"),
        (lambda k: k.bench(seconds="x"), "seconds: expected a positive number of seconds, got 'x'"),
        (lambda k: k.bench(seconds=-1), "seconds: expected a positive number of seconds, got -1"),
        (lambda k: k.bench(seconds=float("nan")), "seconds: expected a positive number of seconds, got nan"),
        (lambda k: mg.tune("vadd", bits=64, seconds="x"), "seconds: expected a positive number of seconds, got 'x'"),
        (lambda k: mg.sweep(seconds=None), "seconds: expected a positive number of seconds, got None"),
        (lambda k: mg.sweep(modulus_bits=64), "modulus_bits: expected a list of integers, got 64"),
        (lambda k: mg.sweep(n=[2.0]), "n: expected an integer or an expression such as '2^255-19', got 2.0"),
        (lambda k: mg.sweep(targets="c"), "targets: expected a list of targets, got 'c'"),
        (lambda k: mg.library("tiny", ["vadd:bits=64"]).verify(seed=-1), "seed: expected at least 0, got -1"),
        (lambda k: mg.ntt(8, bits=64, inverse=np.array([1, 0])), "inverse: expected True or False, got array([1, 0])"),
    ],
)
def test_numbers_and_lists_of_calls(narrow: mg.Kernel, call: Callable[[mg.Kernel], object], text: str) -> None:
    assert message(lambda: call(narrow)).startswith(text)
