"""The C text on other machines: compiled by the PyPI compiler for each, and run where qemu emulates them."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from support.oracle import result

from momagen.emit import Source, generate
from momagen.kinds.modular.lists import BLAS
from momagen.kinds.modular.make_spec import make_spec
from momagen.runtime import list_compilers
from momagen.runtime.compiler import run
from momagen.targets import load_target

ZIG = next((c for c in list_compilers() if c.kind == "zig"), None)
STRICT = ["-std=c99", "-O1", "-g0", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
ANY_WORD = [
    "aarch64-linux-musl", "riscv64-linux-musl", "wasm32-wasi", "x86_64-windows-gnu", "aarch64-windows-gnu",
    "aarch64-macos", "x86_64-macos", "powerpc64le-linux-musl", "s390x-linux-musl",
]  # fmt: skip
NARROW = ["x86-linux-musl", "arm-linux-musleabihf", "x86-windows-gnu"]
"""Machines without unsigned __int128."""
VECTORS = ["x86_64-windows-gnu", "x86_64-macos"]
MACHINES = {
    "c": ANY_WORD, "c64": ANY_WORD + NARROW, "c32": ANY_WORD + NARROW,
    "avx2": VECTORS, "avx512": VECTORS, "avx512ifma": VECTORS,
}  # fmt: skip
EMULATED = {"aarch64-linux-musl": "qemu-aarch64", "riscv64-linux-musl": "qemu-riscv64", "wasm32-wasi": "node"}
NODE = """
import { WASI } from "node:wasi";
import { readFileSync } from "node:fs";
const wasi = new WASI({ version: "preview1" });
const made = new WebAssembly.Module(readFileSync(process.argv[2]));
process.exit(wasi.start(new WebAssembly.Instance(made, wasi.getImportObject())));
"""
"""What runs a program of wasm32 in node."""
KERNELS: dict[str, tuple[str, dict[str, object]]] = {
    "one word": ("ntt", {"n": 64, "bits": 64}),
    "all of a word": ("ntt", {"n": 64, "modulus": (1 << 64) - (1 << 32) + 1}),
    "two words": ("ntt", {"n": 64, "bits": 128, "inverse": True, "order": "natural"}),
    "negacyclic": ("ntt", {"n": 32, "bits": 256, "negacyclic": True}),
    "polynomials": ("polymul", {"n": 16, "bits": 128, "negacyclic": True}),
    "a flow": ("ntt", {"n": 16, "bits": 64, "options": {"algorithm": "stockham"}}),
    "products": ("vmul", {"bits": 384}),
    "Montgomery": ("vmul", {"bits": 128, "options": {"reduction": "montgomery"}}),
    "by a number": ("axpy", {"bits": 256}),
    "sums": ("vadd", {"bits": 64}),
    "comparisons": ("cmpsub", {"bits": 128}),
}
SCALAR_ONLY = {"a flow"}

CASES = [
    (target, machine, name)
    for target, machines in MACHINES.items()
    for machine in machines
    for name in KERNELS
    if target.startswith("c") or name not in SCALAR_ONLY
]

pytestmark = pytest.mark.skipif(not ZIG, reason="no zig cc, which the extra `cc` brings")


def made(name: str, target: str) -> Source:
    kind, wanted = KERNELS[name]
    return generate(make_spec(kind, target=target, **wanted))  # type: ignore[arg-type]


def zig(machine: str, arguments: Sequence[str | Path]) -> str:
    """What the compiler complains of; "" where it does not."""
    assert ZIG
    done = run([*ZIG.command, "-target", machine, *map(str, arguments)])
    return "" if done.returncode == 0 and not done.stderr else done.stderr or "failed without a message"


def put(kernel: Source, folder: Path) -> Path:
    (folder / f"{kernel.name}.h").write_text(kernel.header, encoding="utf-8")
    (folder / f"{kernel.name}.c").write_text(kernel.source, encoding="utf-8")
    return folder / f"{kernel.name}.c"


@pytest.mark.sampled(25)
@pytest.mark.parametrize(("target", "machine", "name"), CASES)
def test_kernels_compile_without_a_warning(target: str, machine: str, name: str, tmp_path: Path) -> None:
    kernel = made(name, target)
    flags = [*STRICT, *load_target(target).flags]
    assert zig(machine, [*flags, "-c", put(kernel, tmp_path), "-o", tmp_path / "k.o"]) == ""


@pytest.mark.parametrize("machine", ["wasm32-wasi", "x86_64-windows-gnu", "aarch64-macos"])
def test_a_kernel_of_two_words_compiles_everywhere(machine: str, tmp_path: Path) -> None:
    kernel = made("two words", "c")
    assert zig(machine, [*STRICT, "-c", put(kernel, tmp_path), "-o", tmp_path / "k.o"]) == ""


def test_a_machine_without_wide_words_is_told_what_to_take(tmp_path: Path) -> None:
    said = zig("x86-linux-musl", [*STRICT, "-c", put(made("one word", "c"), tmp_path), "-o", tmp_path / "k.o"])
    assert "no unsigned __int128 here: make this kernel with --target c64" in said
    assert zig("x86-linux-musl", [*STRICT, "-c", put(made("one word", "c64"), tmp_path), "-o", tmp_path / "k.o"]) == ""


def literal(name: str, numbers: Sequence[int], words: int, word: int) -> str:
    """An array of residues in C."""
    text = ", ".join(f"{x >> word * w & (1 << word) - 1:#x}u" for x in numbers for w in range(words))
    return f"static const uint{word}_t {name}[] = {{{text}}};\n"


def call(kernel: Source, operands: Sequence[Sequence[int]], at: int) -> str:
    """A function that runs ``kernel`` once and prints its words."""
    spec, name, words, word = kernel.spec, kernel.name, kernel.spec.arith.words, kernel.spec.arith.word
    count = len(operands[-1])
    arrays = literal("q", [spec.modulus], words, word) + (literal("root", [spec.root], words, word) if spec.n else "")
    arrays += "".join(literal(f"x{i}", x, words, word) for i, x in enumerate(operands))
    given = ", ".join(f"x{i}" for i in range(len(operands)))
    return f"""#include "{name}.h"
#include <inttypes.h>
#include <stdio.h>
{arrays}
int run_{at}(void);
int run_{at}(void)
{{
    static uint{word}_t z[{count * words}];
    int why = 0;
    {name}_plan *plan = {name}_create(q, {"root, " if spec.n else ""}&why);
    if (!plan)
        return why;
    {name}_execute(plan, z, {given}, {count if str(spec.kind) in BLAS else 1});
    {name}_destroy(plan);
    for (size_t i = 0; i < {count * words}; i++)
        printf("%" PRIx{word} "%c", z[i], i + 1 < {count * words} ? ' ' : '\\n');
    return 0;
}}
"""


def data(kernel: Source, rng: Random) -> list[list[int]]:
    spec, q = kernel.spec, kernel.spec.modulus
    sizes = [1 if operand in ("a", "bound", "diff") else spec.n or 19 for operand in spec.ranges.operands]
    return [[rng.choice((0, 1, q - 1, rng.randrange(q), rng.randrange(q))) for _ in range(size)] for size in sizes]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("machine", "target"),
    [
        ("aarch64-linux-musl", "c"), ("riscv64-linux-musl", "c64"), ("wasm32-wasi", "c32"),
        pytest.param("x86-linux-musl", "c32", marks=pytest.mark.thorough),
        pytest.param("aarch64-linux-musl", "c64", marks=pytest.mark.slow),
        pytest.param("riscv64-linux-musl", "c", marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_kernels_run_on_other_processors(machine: str, target: str, tmp_path: Path) -> None:
    """All of them in one program without libraries, emulated where this processor does not run it."""
    emulator = shutil.which(EMULATED.get(machine, "env"))
    if not emulator:
        pytest.skip(f"no {EMULATED[machine]}")
    kernels = {name: made(name, target) for name in KERNELS}
    given = {name: data(kernel, Random(name)) for name, kernel in kernels.items()}
    files = [put(kernel, tmp_path) for kernel in kernels.values()]
    for at, (name, kernel) in enumerate(kernels.items()):
        files.append(tmp_path / f"run_{at}.c")
        files[-1].write_text(call(kernel, given[name], at), encoding="utf-8")
    files.append(tmp_path / "main.c")
    declared = "".join(f"int run_{at}(void);\n" for at in range(len(kernels)))
    body = " || ".join(f"run_{at}()" for at in range(len(kernels)))
    files[-1].write_text(f"{declared}int main(void)\n{{\n    return {body};\n}}\n", encoding="utf-8")
    assert zig(machine, ["-std=c99", "-O1", "-g0", "-static", *files, "-o", tmp_path / "program"]) == ""
    (tmp_path / "run.mjs").write_text(NODE, encoding="utf-8")
    ways = [emulator, *(["--no-warnings", tmp_path / "run.mjs"] if machine == "wasm32-wasi" else [])]
    done = subprocess.run([*ways, tmp_path / "program"], capture_output=True, text=True, check=False, timeout=60)
    if "Exec format error" in done.stderr:
        pytest.skip(f"this processor does not run programs for {machine}")
    assert done.returncode == 0, done.stderr
    for (name, kernel), line in zip(kernels.items(), done.stdout.splitlines(), strict=True):
        words, found, bits = kernel.spec.arith.words, [int(w, 16) for w in line.split()], kernel.spec.arith.word
        values = [sum(w << bits * i for i, w in enumerate(found[j : j + words])) for j in range(0, len(found), words)]
        assert values == result(kernel.spec, *given[name]), name
