"""An RNS context in C: its operations beside their definitions, its package as users build it, CKKS as momagen.he."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import momagen as mg
from momagen.bench.x86.single_step import follow, obstacle
from momagen.cli import main
from momagen.errors import MomagenError
from momagen.params.primes import prime_basis
from momagen.params.roots import primitive_root
from momagen.rns_context import RnsPackage
from momagen.rns_context.bound import BoundContext
from momagen.rns_context.verification import compile_context, verify_context
from momagen.runtime import compile_program, missing_features
from momagen.runtime.load import load
from momagen.targets import load_target

LONGEST = 1024
LENGTHS = (28, 60)
CMAKE, CXX = shutil.which("cmake"), shutil.which(os.environ.get("CXX", "c++")) or shutil.which("g++")
needs_cmake = pytest.mark.skipif(not (CMAKE and CXX), reason="there is no cmake, or no C++ compiler")


def targets() -> list[str]:
    """Plain C, and the best vectors that this processor has."""
    best = [name for name in ("avx512ifma", "avx512", "avx2") if not missing_features(load_target(name).features)]
    return ["c", *best[:1]]


def package(
    mod_up: str = "exact", mod_down: str = "exact", lengths: Sequence[int] = LENGTHS, **options: Any
) -> RnsPackage:
    options = {"max_n": LONGEST, "targets": targets(), **options}
    return mg.rns_context("fhe", modulus_bits=lengths, mod_up=mod_up, mod_down=mod_down, **options)


def verified(made: RnsPackage) -> Any:
    return verify_context(made.library, made.files, made.name, made.methods, made.lengths, made.max_n)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("method", "lengths"), [("exact", (28, 40)), ("corrected", (40, 60)), ("fast", (61, 62))], ids=str
)
def test_every_operation_is_its_definition(method: str, lengths: tuple[int, ...]) -> None:
    report = verified(package(method, method, lengths, max_n=16))
    assert report.ok, report
    assert len(report.methods) == 16


@pytest.mark.sampled(2)
@pytest.mark.thorough
@pytest.mark.parametrize("max_n", [2, 8])
def test_small_contexts_are_verified_and_pass_their_own_test(max_n: int, tmp_path: Path) -> None:
    made = package("corrected", "corrected", (28,), max_n=max_n, targets=["c"])
    assert verified(made).ok
    made.save(tmp_path / "fhe")
    folders = [tmp_path / "fhe" / "include", tmp_path / "fhe" / "kernels" / "include"]
    sources = [*(tmp_path / "fhe").rglob("src/*.c"), tmp_path / "fhe" / "tests" / "test.c"]
    program = compile_program(sources, flags=["-std=gnu99"], include_dirs=folders)
    assert called([program]).splitlines()[-1].endswith(" 0 failures")


@pytest.mark.parametrize(
    ("file", "right", "wrong"),
    [
        ("switching", "context->p_inverse, x, r, level", "context->p_inverse, r, r, level"),
        ("switching", "key + j * whole", "key + j * n"),
        ("rows", "x[i * n + order[j]]", "x[i * n + j]"),
        ("context", "level, context->q, 1, 1, 1)", "level, context->q, 1, 1, 3)"),
    ],
)  # fmt: skip
def test_a_wrong_context_fails(file: str, right: str, wrong: str) -> None:
    made = package("corrected", "corrected", (28,), max_n=16, targets=["c"])
    path = f"src/fhe_{file}.c"
    assert made.files[path].count(right) == 1
    spoilt = replace(made, files={**made.files, path: made.files[path].replace(right, wrong)})
    try:
        assert not verified(spoilt).ok
    except MomagenError as error:  # create refuses: conversions to a digit's own modulus, plans of no moduli
        assert "fhe" in str(error)


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    made = package("corrected", "corrected", (40,), max_n=16, targets=["c"])
    return load(compile_context(made.library, made.files, made.name))


Q = prime_basis(4, 40, 16)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"n": 3}, "out of range"), ({"n": 0}, "out of range"), ({"n": 32}, "out of range"),
        ({"q": ()}, "out of range"),
        ({"digits": 0}, "out of range"), ({"digits": 3}, "out of range"), ({"q": (Q[0], Q[0])}, "two moduli are equal"),
        ({"p": Q[:1]}, "two moduli are equal"), ({"q": (Q[0], 0)}, "not prime"), ({"q": (Q[0], 97 * 193)}, "not prime"),
        ({"q": prime_basis(2, 51, 16)}, "out of range"), ({"q": (1_000_003,)}, "does not divide"),
        ({"roots": [1, 1, 1]}, "does not have order 2n"), ({"q": Q * 17}, "out of range"),
        ({"q": (Q[0], 97 * 193), "roots": [primitive_root(32, Q[0]), 5, 5]}, "not prime"),
        ({"q": (1_000_003,), "roots": [5, 5]}, "does not divide"),
    ],
    ids=str,
)  # fmt: skip
def test_create_refuses_what_it_cannot_serve(library: ctypes.CDLL, arguments: Mapping[str, Any], said: str) -> None:
    with pytest.raises(MomagenError, match=said):
        BoundContext(library, "fhe", **{"n": 16, "q": Q[:2], "p": Q[2:3], "digits": 1, **arguments})


def test_roots_of_the_user_and_the_smallest_ones(library: ctypes.CDLL) -> None:
    usual = [primitive_root(32, q) for q in Q[:3]]
    assert BoundContext(library, "fhe", 16, Q[:2], Q[2:3]).roots == usual
    others = [pow(root, 3, q) for root, q in zip(usual, Q, strict=False)]
    assert BoundContext(library, "fhe", 16, Q[:2], Q[2:3], 1, others).roots == others


@pytest.mark.parametrize("level", [0, 3, 2**63])
def test_levels_out_of_range(library: ctypes.CDLL, level: int) -> None:
    context = BoundContext(library, "fhe", 16, Q[:2], Q[2:3])
    x = np.zeros((3, 16), np.uint64)
    for call in (
        lambda: context._call("ntt", x, x, ctypes.c_size_t(level), ctypes.c_int(0)),
        lambda: context._call("rescale", x, x, ctypes.c_size_t(level)),
        lambda: context._call("mod_down", x, x, ctypes.c_size_t(level)),
        lambda: context._call("decompose", x, x, ctypes.c_size_t(level)),
        lambda: context._call("keyswitch", x, x, x, x, ctypes.c_size_t(level)),
    ):
        with pytest.raises(MomagenError, match="level is out of range"):
            call()


def test_null_pointers_even_numbers_and_missing_special_moduli(library: ctypes.CDLL) -> None:
    context, alone = BoundContext(library, "fhe", 16, Q[:2], Q[2:3]), BoundContext(library, "fhe", 16, Q[:2])
    x, level = np.zeros((3, 16), np.uint64), ctypes.c_size_t(2)
    with pytest.raises(MomagenError, match="pointer is NULL"):
        context._call("ntt", x, None, level, ctypes.c_int(0))
    for g in (2, 32, 33):
        with pytest.raises(MomagenError, match="out of range"):
            context.apply("automorphism", x, level=2, g=g)
    with pytest.raises(MomagenError, match="no special moduli"):
        alone._call("keyswitch", x, x, x, x, level)
    with pytest.raises(MomagenError, match="level is out of range"):
        context.rescale(x, 1)


def test_results_may_be_operands(library: ctypes.CDLL) -> None:
    context = BoundContext(library, "fhe", 16, Q[:3], Q[3:])
    rng = np.random.default_rng(4)
    moduli = np.array([*Q[:3], Q[3]], np.uint64)[:, None]
    x, key = rng.integers(0, moduli, (4, 16), np.uint64), rng.integers(0, moduli, (1, 2, 4, 16), np.uint64)
    level, whole = ctypes.c_size_t(3), ctypes.c_int(1)
    for operation, sized in {"ntt": True, "intt": True, "rescale": False, "mod_down": False}.items():
        apart, own = np.zeros_like(x), x.copy()
        flags = [level, whole] if sized else [level]
        context._call(operation, apart, x, *flags)
        context._call(operation, own, own, *flags)
        kept = 4 if sized else 2 if operation == "rescale" else 3
        assert (apart[:kept] == own[:kept]).all()
    right, own, second = context.keyswitch(x[:3].copy(), key, 3), x[:3].copy(), np.zeros((3, 16), np.uint64)
    context._call("keyswitch", own, second, own, key, level)
    assert (right == [own, second]).all()


def test_threads_share_a_context(library: ctypes.CDLL) -> None:
    """Calls at the same time, at levels that need different amounts of scratch memory."""
    context = BoundContext(library, "fhe", 16, Q[:3], Q[3:], 3)
    rng = np.random.default_rng(7)
    moduli = np.array(Q, np.uint64)[:, None]
    x, key = rng.integers(0, moduli, (4, 16), np.uint64), rng.integers(0, moduli, (3, 2, 4, 16), np.uint64)

    def switched(level: int) -> Any:
        return context.keyswitch(np.ascontiguousarray(x[:level]), key, level)

    right, levels = {level: switched(level) for level in (1, 2, 3)}, [1 + i % 3 for i in range(600)]
    with ThreadPoolExecutor(4) as pool:
        for level, found in zip(levels, pool.map(switched, levels), strict=True):
            assert (found == right[level]).all()
        terms = [1 + i % 5 for i in range(300)]
        for count, found in zip(terms, pool.map(lambda k: context.dot([x] * k, [x] * k, 3, True), terms), strict=True):
            squares = [[count * int(a) ** 2 % q for a in row] for row, q in zip(x, Q, strict=True)]
            assert found.tolist() == squares


TRACED = """
#include "fhe.h"
typedef struct { const fhe_context *context; uint64_t *z, *x, *key; size_t operation; } job;
void traced(job *call)
{
    const fhe_context *c = call->context;
    uint64_t *z = call->z, *x = call->x, *key = call->key;
    const uint64_t *const both[] = {x, x};
    switch (call->operation) {
    case 0: fhe_keyswitch(c, z, z + 64, x, key, 3); break;
    case 1: fhe_decompose(c, z, x, 3); break;
    case 2: fhe_keyswitch_digits(c, z, z + 64, key, 5, key, 3); break;
    case 3: fhe_rescale(c, z, x, 3); break;
    case 4: fhe_mod_down(c, z, x, 3); break;
    case 5: fhe_automorphism(c, z, x, 5, 3, 1); break;
    case 6: fhe_automorphism_coefficients(c, z, x, 5, 3, 1); break;
    case 7: fhe_neg(c, z, x, 3, 1); break;
    case 8: fhe_axpy(c, z, key, x, x, 3, 1); break;
    default: fhe_dot(c, z, both, both, 2, 3, 1);
    }
}
"""
"""A function that runs the operation with a number."""


@pytest.mark.sampled(2)
@pytest.mark.skipif(bool(obstacle()), reason=obstacle())
def test_no_instruction_depends_on_residues() -> None:
    """Zeros, the largest residues, and random ones, through every operation that does more than call one kernel."""
    made = package("corrected", "corrected", (40, 60), max_n=16)
    functions = load(compile_context(made.library, {**made.files, "src/traced.c": TRACED}, made.name))
    q, p = [*prime_basis(2, 60, 16), *Q[:1]], prime_basis(3, 60, 16)[2:]
    context, rng = BoundContext(functions, "fhe", 16, q, p, 3), np.random.default_rng(8)
    moduli = np.array([*q, *p], np.uint64)[:, None]

    class Job(ctypes.Structure):
        _fields_ = [(name, ctypes.c_void_p) for name in ("context", "z", "x", "key")] + [("operation", ctypes.c_size_t)]

    x, key, z = np.zeros((4, 16), np.uint64), np.zeros((3, 2, 4, 16), np.uint64), np.zeros((3, 4, 16), np.uint64)
    for operation in range(10):
        job = Job(context._context, z.ctypes.data, x.ctypes.data, key.ctypes.data, operation)
        functions.traced(ctypes.byref(job))
        found = set()
        for draw in (lambda: moduli * 0, lambda: moduli - 1, lambda: rng.integers(0, moduli, (4, 16), np.uint64)):
            x[...] = draw()
            key[...] = draw()
            found.add(follow(functions.traced, ctypes.byref(job)))
        assert len(found) == 1 and found.pop().instructions > 200, operation


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_n": 3}, "a power of two from 2 to 2\\^20"), ({"max_n": 2**21}, "a power of two"),
        ({"lengths": (19,)}, "bit lengths from 20 to 62"), ({"lengths": (63,)}, "bit lengths from 20 to 62"),
        ({"mod_up": "quick"}, "one of the methods"), ({"mod_down": "quick"}, "one of the methods"),
        ({"targets": ["cuda"]}, "."), ({"targets": ["nothing"]}, "."),
    ],
    ids=str,
)  # fmt: skip
def test_bad_requests(options: Mapping[str, Any], said: str) -> None:
    with pytest.raises(MomagenError, match=said):
        package(**options)


def test_the_command_refuses_names_and_lengths(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "fhe"
    for words in (["--name", "Fhe"], ["--modulus-bits", "60;40"], ["--mod-up", "quick"], ["--max-n", "100"]):
        assert main(["rns", "--output", str(place), *words]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert not place.exists()


def called(command: Sequence[str | Path | None], **environment: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, check=False)  # type: ignore[arg-type]
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The build folder of a package with OpenMP, installed beside it at ``prefix``."""
    place = tmp_path_factory.mktemp("rns")
    package().save(place / "fhe")
    quick = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O1", "-DCMAKE_CXX_FLAGS_RELEASE=-O1"]
    strict = ["-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror"]
    where = [f"-DCMAKE_INSTALL_PREFIX={place / 'prefix'}", "-DFHE_OPENMP=ON"]
    called([CMAKE, "-S", place / "fhe", "-B", place / "build", *quick, *strict, *where])
    called([CMAKE, "--build", place / "build", "--parallel", "2"])
    called([CMAKE, "--install", place / "build"])
    return place / "build"


@pytest.mark.parametrize("methods", [("corrected", "fast"), ("exact", "corrected")], ids=str)
def test_the_readme_lists_every_option(methods: tuple[str, str]) -> None:
    made = package(*methods, lengths=(40, 60), targets=["c"])
    readme = made.files["README.md"]
    options = re.findall(r"^option\((\w+)", made.files["CMakeLists.txt"], re.MULTILINE)
    assert re.findall(r"^\| `(FHE_\w+)`", readme, re.MULTILINE) == options and len(options) == 5
    rows = dict(re.findall(r"^\| `(--[\w-]+)` \| (\S+) \|", readme, re.MULTILINE))
    up, down = methods
    assert rows == {
        "--max-n": str(LONGEST), "--modulus-bits": "40,60", "--mod-up": up, "--mod-down": down, "--targets": "c"
    }  # fmt: skip
    meanings = [f"- `--mod-up {up}`: a digit of x is ", f"- `--mod-down {down}`: the quotient of x is "]
    assert all(meaning in readme for meaning in meanings)


@pytest.mark.sampled(2)
@pytest.mark.thorough
@needs_cmake
def test_its_own_tests_pass(built: Path) -> None:
    said = called([built / "fhe_test"])
    assert said.splitlines()[-1].endswith(" 0 failures")
    assert [line for line in said.splitlines() if line.endswith(": tested")] == [
        f"{name}: tested" for name in targets()[::-1]
    ]
    assert "PASS" in called([built / "fhe_ckks"], OMP_NUM_THREADS="2")


@pytest.mark.thorough
@needs_cmake
def test_an_installed_package_serves_c_and_cpp(built: Path, tmp_path: Path) -> None:
    program = """
        #include <fhe.hpp>
        int main() {
          const auto q = fhe::find_primes(3, 28, 64);
          const fhe::Context context(64, {q[0], q[1]}, {q[2]});
          fhe::Polynomial x(context.size(2), 1);
          if (context.intt(context.ntt(x, 2), 2) != x) return 1;
          const fhe::Conversion conversion({q[0], q[1]}, {q[2]});
          if (conversion.convert(x, 64) != fhe::Polynomial(64, 1)) return 2;
          try {
            fhe::Context wrong(63, q);
          } catch (const fhe::Error& error) {
            return error.code() == FHE_BAD_SIZE ? 0 : 3;
          }
          return 4;
        }"""
    (tmp_path / "main.cpp").write_text(program, encoding="utf-8")
    (tmp_path / "main.c").write_text("#include <fhe.h>\nint main(void) { return FHE_OK; }\n", encoding="utf-8")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(user C CXX)\nfind_package(fhe 1 REQUIRED)\n"
        "add_executable(user main.cpp)\ntarget_link_libraries(user fhe::fhe)\n"
        "add_executable(plain main.c)\ntarget_link_libraries(plain fhe::fhe)\n",
        encoding="utf-8",
    )
    called([CMAKE, "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={built.parent / 'prefix'}"])
    called([CMAKE, "--build", tmp_path / "build"])
    called([tmp_path / "build" / "user"])


@pytest.mark.sampled(2)
@pytest.mark.thorough
@needs_cmake
def test_ckks_agrees_with_momagen_he_bit_by_bit(built: Path, tmp_path: Path) -> None:
    """The same integers multiplied, relinearised, rescaled and rotated by the C++ example and by momagen.he."""
    pytest.importorskip("jax", reason="JAX is missing")
    from momagen.he import Ckks, preset
    from momagen.he.operators import galois

    scheme = Ckks(preset("small"), seed=5, compiled=False)
    parameters, rng = scheme.parameters, np.random.default_rng(6)
    x, y = (scheme.encrypt(z) for z in rng.uniform(-1, 1, (2, parameters.slots)))
    product = scheme.multiply(x, y)
    rescaled = scheme.rescale(product)
    expected = [product, rescaled, scheme.rotate(rescaled, 3)]

    n, moduli, special = parameters.degree, parameters.moduli, parameters.auxiliary
    keys = [scheme.keys.relinearisation(), scheme.keys.rotation(3)]
    numbers = [n, len(moduli), len(special), len(keys[0]), x.limbs, galois(n, 3)]
    roots = [primitive_root(2 * n, q) for q in (*moduli, *special)]
    head = np.array([*numbers, *moduli, *special, *roots], np.uint64)
    words = [head, *(np.asarray(each).astype(np.uint64).ravel() for each in (x.parts, y.parts, *keys))]
    (tmp_path / "input").write_bytes(np.concatenate(words).tobytes())
    called([built / "fhe_replay", tmp_path / "input", tmp_path / "output"])
    got = np.fromfile(tmp_path / "output", np.uint64)
    right = np.concatenate([np.asarray(each.parts).astype(np.uint64).ravel() for each in expected])
    assert (got == right).all()
