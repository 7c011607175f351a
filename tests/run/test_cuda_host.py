"""The host's part of CUDA files: plans, launches and every error, on a stand-in for CUDA's runtime that computes."""

from __future__ import annotations

import ctypes
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable
from ctypes import POINTER, c_char_p, c_int, c_size_t, c_uint32, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpz, powmod
from support.cuda_runtime import ILLEGAL_ADDRESS, MANAGED, PINNED, CudaRuntime, Words32, cpp

from momagen.cli import main
from momagen.cuda.nvrtc import nvrtc_version
from momagen.cuda.places import program
from momagen.emit import Source, generate
from momagen.emit.codes import CUDA_CODES
from momagen.formula.transforms import digit_reversal
from momagen.kinds.modular.make_spec import make_spec
from momagen.params.words import to_words

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "gpu.md"
CODES = [*CUDA_CODES]
NO_MEMORY, NO_DEVICE, OLD_DRIVER, NO_IMAGE, LAUNCH_FAILURE = 2, 100, 35, 209, 719
"""Of CUDA's errors, by driver_types.h."""


class Host:
    """The functions of one kernel, by ctypes."""

    def __init__(self, folder: Path, kind: str = "ntt", **asked: Any) -> None:
        if nvrtc_version() is None or cpp() is None:
            pytest.skip("there is no NVRTC, or no C++ compiler")
        self.source: Source = generate(make_spec(kind, **asked))
        self.spec, self.program = self.source.spec, self.source.program
        self.runtime = CudaRuntime(self.source, folder)
        library, name, sizes = self.runtime.library, self.source.name, [c_size_t] * bool(self.spec.basis)
        kinds = {
            "create": (c_void_p, [*sizes, POINTER(c_uint32), POINTER(c_uint32), POINTER(c_int)]),
            "room": (c_size_t, [c_void_p, c_size_t]), "destroy": (None, [c_void_p]), "error_text": (c_char_p, [c_int]),
            "execute": (c_int, [c_void_p] * (2 + len(self.spec.ranges.operands)) + [c_size_t, c_void_p, c_void_p]),
        }  # fmt: skip
        for verb, (result, given) in kinds.items():
            function = getattr(library, f"{name}_{verb}")
            function.restype, function.argtypes = result, given
            setattr(self, verb, function)

    create: Any
    room: Any
    execute: Any
    destroy: Any
    error_text: Any

    def words(self, numbers: list[int]) -> Words32:
        """Residues as the kernel keeps them; the word that it does not read is junk."""
        stride, used = self.program.stride, self.spec.arith.words
        found = np.full((len(numbers), stride), 0xDEADBEEF, "<u4")
        found[:, :used] = to_words(numbers, stride // 2 + 1).view("<u4").reshape(len(numbers), -1)[:, :used]
        return found

    def plan(self, moduli: list[int] | None = None, roots: list[int] | None = None) -> tuple[int | None, str]:
        """A plan and the code; by default for the moduli of the specification."""
        basis, given = self.spec.basis or [self.spec.modulus], self.spec.roots or [self.spec.root]
        q, root = (self.words([*each]) for each in (moduli or basis, roots or given))
        sizes, why = [len(q)] * bool(self.spec.basis), c_int(-1)
        pointers = [each.ctypes.data_as(POINTER(c_uint32)) for each in (q, root)]
        found = self.create(*sizes, *pointers, ctypes.byref(why))
        return found, CODES[why.value]


def transformed(host: Host, x: list[int], q: int, root: int) -> list[int]:
    """What the transform is by definition, in the order of the specification."""
    spec, n = host.spec, host.spec.n
    places = range(n) if spec.order == "natural" else [digit_reversal(j, n) for j in range(n)]
    points = [powmod(root, 2 * j + 1 if spec.negacyclic else j, q) for j in places]
    if spec.inverse:
        return [int(y) for y in interpolated(x, places, q, root)]
    sums = []
    for point in points:
        total = mpz(0)
        for each in reversed(x):
            total = (total * point + each) % q
        sums.append(int(total))
    return sums


def interpolated(values: list[int], places: Iterable[int], q: int, root: int) -> list[mpz]:
    """The coefficients of the cyclic inverse by definition: value j is that at root^places[j]."""
    n, less = len(values), powmod(root, -1, q)
    terms = [*zip(places, values, strict=True)]
    return [sum(y * powmod(less, i * j, q) for j, y in terms) * powmod(n, -1, q) % q for i in range(n)]


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    """A small transform on 64 bits."""
    return Host(tmp_path_factory.mktemp("host"), n=16, bits=64, target="cuda")


@pytest.fixture
def fresh(host: Host) -> Host:
    """The same on a device without a past, and without memory in use."""
    host.runtime.reset()
    host.runtime.memory.clear()
    return host


KERNELS = {
    "one launch": {"n": 16, "bits": 64},
    "negacyclic, a spare word": {"n": 16, "bits": 96, "negacyclic": True, "order": "natural"},
    "five words in six": {"n": 16, "bits": 160, "inverse": True},
    "one word": {"n": 32, "modulus_bits": 31},
    "two launches": {"n": 64, "bits": 128},
    "two launches and room": {"n": 64, "bits": 128, "order": "natural"},
}
SMALL = ("two launches", "two launches and room")
MACHINE = """inherits = "cuda"
name = "small"
title = "a machine whose blocks share 1 KiB"

[[memory]]
name = "shared memory"
bytes = 1024
line = 128

[[memory]]
name = "cache"
bytes = 65536
line = 32
"""
"""That on which those run."""


@pytest.mark.parametrize("name", KERNELS)
def test_it_computes(name: str, tmp_path: Path) -> None:
    asked = {"target": "cuda", **KERNELS[name]}
    if name in SMALL:
        target = tmp_path / "small.toml"
        target.write_text(MACHINE)
        asked["target"] = str(target)
    host = Host(tmp_path, **asked)
    assert len(host.program.run) == 1 + (name in SMALL)
    assert bool(host.program.room) == name.endswith("room")
    batch, spec, q = 3, host.spec, host.spec.modulus
    plan, code = host.plan()
    assert code == "OK" and plan
    x = [pow(3, i + 1, q) for i in range(batch * spec.n)]
    given = host.runtime.given(host.words(x))
    result = host.runtime.given(host.words([0] * len(x)))
    size = host.room(plan, batch)
    assert size == (batch * spec.n * host.program.stride * 4 if host.program.room else 0)
    room = host.runtime.given(np.zeros(size // 4, np.uint32)) if size else None
    assert host.execute(plan, result, given, batch, room, 77) == 0
    assert host.runtime.streams == 77
    expected = [y for b in range(batch) for y in transformed(host, x[b * spec.n : (b + 1) * spec.n], q, spec.root)]
    used = spec.arith.words
    taken = host.runtime.taken(result).reshape(-1, host.program.stride)
    assert (taken[:, :used] == host.words(expected)[:, :used]).all()
    assert not taken[:, used:].any()  # the word that numbers do not take
    assert host.execute(plan, given, given, batch, room, None) == 0  # in place
    assert (host.runtime.taken(given).reshape(taken.shape) == taken).all()
    host.destroy(plan)
    assert host.runtime.memory.keys() == {each for each in (given, result, room) if each}


@pytest.mark.thorough
def test_a_plan_serves_several_moduli(tmp_path: Path) -> None:
    from momagen.api.native import resolved

    spec = resolved("ntt", n=16, moduli=3, modulus_bits=60, target="cuda")
    host = Host(tmp_path, n=16, basis=spec.basis, roots=spec.roots, target="cuda")
    plan, code = host.plan()
    assert code == "OK"
    x = [[[pow(5, 16 * b + i, q) for i in range(16)] for q in spec.basis] for b in range(2)]
    given = host.runtime.given(host.words([each for rows in x for row in rows for each in row]))
    assert host.execute(plan, given, given, 2, None, None) == 0
    expected = [y for rows in x for row, q, root in zip(rows, spec.basis, spec.roots, strict=True)
                for y in transformed(host, row, q, root)]  # fmt: skip
    assert (host.runtime.taken(given).reshape(-1, 2) == host.words(expected)).all()
    plan, code = host.plan([*spec.basis[1:]], [*spec.roots[1:]])  # other moduli, and another number of them
    row = x[0][1]
    given = host.runtime.given(host.words([*row, *row] * 2))
    assert code == "OK" and host.execute(plan, given, given, 2, None, None) == 0
    rows = [transformed(host, row, q, root) for q, root in zip(spec.basis[1:], spec.roots[1:], strict=True)]
    assert (host.runtime.taken(given).reshape(-1, 2) == host.words([*rows[0], *rows[1]] * 2)).all()
    wrong = [*spec.basis[:2], spec.basis[2] + 1]
    assert host.plan(wrong) == (None, "BAD_MODULUS")
    assert host.plan(None, [*spec.roots[:2], 1]) == (None, "BAD_ROOT")
    assert host.plan([*spec.basis] * 30000) == (None, "TOO_LONG")


@pytest.mark.thorough
def test_a_product_works_in_room_that_the_caller_brings(tmp_path: Path) -> None:
    host = Host(tmp_path, "polymul", n=16, bits=64, negacyclic=True, target="cuda")
    plan, code = host.plan()
    q, n, batch = host.spec.modulus, 16, 2
    x, y = ([pow(g, i + 1, q) for i in range(batch * n)] for g in (3, 5))
    a, b = (host.runtime.given(host.words(each)) for each in (x, y))
    room = host.runtime.given(np.zeros(host.room(plan, batch) // 4, np.uint32))
    assert code == "OK" and host.runtime.memory[room].nbytes == batch * n * 8
    assert CODES[host.execute(plan, a, a, b, batch, None, None)] == "NULL_POINTER"
    assert CODES[host.execute(plan, a, a, b, batch, room, None)] == "OK"
    expected = [0] * (batch * n)
    for at in range(0, batch * n, n):
        for i in range(n):
            for j in range(n):
                sign = -1 if i + j >= n else 1
                expected[at + (i + j) % n] += sign * x[at + i] * y[at + j]
    assert (host.runtime.taken(a).reshape(-1, 2) == host.words([each % q for each in expected])).all()


@pytest.mark.thorough
def test_more_shared_memory_is_asked_for(tmp_path: Path) -> None:
    host = Host(tmp_path, n=1 << 14, bits=32, target="cuda_sm90")
    (launch,) = (each for each in host.program.run if each.shared > 48 << 10)
    plan, code = host.plan()
    assert (code, host.runtime.opted_in) == ("OK", {launch.kernel: launch.shared})
    host.destroy(plan)
    host.runtime.most_shared = launch.shared - 1
    assert host.plan() == (None, "BAD_DEVICE")


CREATE = [
    ("device", NO_DEVICE, "NO_DEVICE"), ("device", OLD_DRIVER, "NO_DEVICE"), ("device", 999, "NO_DEVICE"),
    ("kernel", NO_IMAGE, "BAD_DEVICE"), ("kernel", 98, "BAD_DEVICE"), ("kernel", 222, "BAD_DEVICE"),
    ("attribute", 999, "FAILED"), (("allocate", 0), NO_MEMORY, "NO_MEMORY"), (("allocate", 1), NO_MEMORY, "NO_MEMORY"),
    (("allocate", 2), NO_MEMORY, "NO_MEMORY"), (("copy", 0), LAUNCH_FAILURE, "FAILED"),
    (("copy", 1), LAUNCH_FAILURE, "FAILED"), (("copy", 2), LAUNCH_FAILURE, "FAILED"),
    (("launch", 0), LAUNCH_FAILURE, "FAILED"), (("launch", 1), LAUNCH_FAILURE, "FAILED"),
    ("wait", ILLEGAL_ADDRESS, "FAILED"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "error", "code"), CREATE)
def test_create_says_why_not_and_leaves_nothing(fresh: Host, what: Any, error: int, code: str) -> None:
    fresh.runtime.failing = {what: error}
    assert fresh.plan() == (None, code)
    assert not fresh.runtime.memory


@pytest.mark.parametrize("change", [1, 2])
def test_create_refuses_moduli_and_roots(fresh: Host, change: int) -> None:
    q = fresh.spec.modulus
    assert fresh.plan([q + 1])[1] == "BAD_MODULUS"
    assert fresh.plan([(1 << 64) - 1])[1] == "BAD_MODULUS"
    assert fresh.plan(None, [q])[1] == "BAD_ROOT"
    assert fresh.plan(None, [pow(fresh.spec.root, 2 * change, q)])[1] == "BAD_ROOT"
    assert not fresh.runtime.memory
    why = c_int()
    assert fresh.create(None, None, ctypes.byref(why)) is None and CODES[why.value] == "NULL_POINTER"
    assert fresh.create(None, None, None) is None


@pytest.fixture
def ready(fresh: Host) -> tuple[Host, int, int]:
    """A plan, and the address of one transform."""
    plan, code = fresh.plan()
    assert code == "OK" and plan
    return fresh, plan, fresh.runtime.given(fresh.words([*range(32)]))


def answered(host: Host, plan: int | None, y: int | None, x: int | None, batch: int = 1) -> str:
    """The code of execute; with another one than OK nothing was launched."""
    host.runtime.calls.clear()
    code = CODES[host.execute(plan, y, x, batch, None, None)]
    if code != "OK" and not host.runtime.failing:
        assert "launch" not in host.runtime.calls
    return code


def test_execute_checks_before_it_launches(ready: tuple[Host, int, int]) -> None:
    host, plan, x = ready
    on_host = np.zeros(64, np.uint32)
    here = on_host.ctypes.data + -on_host.ctypes.data % 16
    assert answered(host, plan, x, x) == "OK"
    assert answered(host, None, x, x) == "NULL_POINTER"
    assert answered(host, plan, None, x) == answered(host, plan, x, None) == "NULL_POINTER"
    assert answered(host, plan, None, None, 0) == "OK"
    assert answered(host, plan, x + 8, x) == answered(host, plan, x, x + 4) == "MISALIGNED"
    assert answered(host, plan, here, x) == answered(host, plan, x, here) == "HOST_POINTER"
    assert answered(host, plan, x, x, 1 << 31) == answered(host, plan, x, x, 1 << 60) == "TOO_LONG"
    host.runtime.kinds[x] = PINNED
    assert answered(host, plan, x, x) == "HOST_POINTER"
    host.runtime.kinds[x] = MANAGED
    assert answered(host, plan, x, x) == "OK"
    host.runtime.kinds.clear()
    host.runtime.devices[x] = 1
    assert answered(host, plan, x, x) == "OTHER_DEVICE"
    host.runtime.devices.clear()
    host.runtime.number = 1
    assert answered(host, plan, x, x) == "OTHER_DEVICE"


FAILING = [("device", "NO_DEVICE"), ("pointer", "FAILED"), ("launch", "FAILED")]


@pytest.mark.parametrize(("what", "code"), FAILING)
def test_a_failure_is_never_ok(ready: tuple[Host, int, int], what: str, code: str) -> None:
    host, plan, x = ready
    before = host.runtime.taken(x)
    host.runtime.failing = {what: LAUNCH_FAILURE}
    assert answered(host, plan, x, x) == code
    assert (host.runtime.taken(x) == before).all()
    host.runtime.failing = {}
    host.runtime.lost = ILLEGAL_ADDRESS  # an earlier kernel went wrong, and every function says so
    assert answered(host, plan, x, x) != "OK"


def test_codes_have_texts(host: Host) -> None:
    texts = [host.error_text(number).decode() for number in range(len(CODES))]
    assert texts == [*CUDA_CODES.values()]
    assert host.error_text(len(CODES)) == host.error_text(-1) == b"unknown error code"
    assert all(f"{host.source.name.upper()}_{code}" in host.source.header for code in CODES)


def blocks(language: str) -> str:
    """The text of docs/guides/gpu.md in a language."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return str(found)


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the page's program consists of."""
    folder = tmp_path_factory.mktemp("example")
    (command,) = re.findall(r"^    momagen (ntt .*) --output here$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert main([*shlex.split(command), "--output", str(folder), "--no-verify"]) == 0
    for name, language in {"main.cpp": "cpp", "Makefile": "make", "CMakeLists.txt": "cmake"}.items():
        (folder / name).write_text(blocks(language), encoding="utf-8")
    return folder


@pytest.mark.thorough
def test_the_program_of_the_page_computes(example: Path, capfd: pytest.CaptureFixture[str]) -> None:
    if nvrtc_version() is None or cpp() is None:
        pytest.skip("there is no NVRTC, or no C++ compiler")
    source = generate(make_spec("ntt", n=1024, bits=64, target="cuda"))
    runtime = CudaRuntime(source, example, ["main.cpp"])
    assert runtime.library.main() == 0
    ctypes.CDLL(None).fflush(None)
    assert "256 transforms of 1024 points; the last one agrees with the definition" in capfd.readouterr().out
    assert not runtime.memory
    runtime.failing = {"launch": LAUNCH_FAILURE}
    assert runtime.library.main() == 1


def test_nvcc_takes_it_all(example: Path) -> None:
    nvcc, make = program("nvcc"), shutil.which("make")
    if nvcc is None or make is None:
        pytest.skip("there is no nvcc, or no make")
    arch = ["ARCH=sm_90", f"NVCC={nvcc} -L{nvcc.parents[1] / 'lib'}"]
    done = subprocess.run([make, *arch], cwd=example, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    ran = subprocess.run([example / "main"], capture_output=True, text=True)
    said = "agrees with the definition" if ran.returncode == 0 else CUDA_CODES["NO_DEVICE"]
    assert said in ran.stdout + ran.stderr


def test_the_program_that_checks_a_gpu_asks_for_what_there_is(tmp_path: Path) -> None:
    """On a machine with a GPU ``scripts/check_cuda_host.py run`` builds and runs it."""
    script = Path(__file__).resolve().parents[2] / "scripts" / "check_cuda_host.py"
    subprocess.run([sys.executable, script, "prepare", tmp_path], check=True)
    text = (tmp_path / "check.cu").read_text(encoding="utf-8")
    (header,) = (each.read_text(encoding="utf-8") for each in tmp_path.glob("ntt*.h"))
    verbs, words = (set(re.findall(rf"\b{macro}\((\w+)\)", text)) for macro in ("NTT", "CODE"))
    assert verbs == {"plan", "create", "room", "execute", "destroy", "error_text"}
    assert set(CODES) - words == {"OTHER_DEVICE", "FAILED"} and {"N", "WORDS"} <= words
    assert all(re.search(rf"\w+_{verb}\b", header) for verb in verbs | words)
    nvcc = program("nvcc")
    if nvcc is not None:
        command = [nvcc, "-arch=sm_90", f"-L{nvcc.parents[1] / 'lib'}", "-o", "check", *tmp_path.glob("*.cu")]
        subprocess.run(command, cwd=tmp_path, check=True)


def test_the_page_has_every_code() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"`{code}`" in text for code in CODES)
