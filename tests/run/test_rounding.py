"""Kernels on doubles round to nearest whatever options a user compiles them with and whatever state a caller has set.

Options either leave a right kernel or are refused by the compiler. Associative sums gave wrong numbers where nothing
spoke against them: `(x + c) - c` is x then, and no longer x rounded.
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from support.oracle import result

import momagen as mg
from momagen.emit import Source, generate
from momagen.errors import MomagenError
from momagen.kinds.modular.lists import BLAS
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.spec import Spec
from momagen.params import from_words, to_words
from momagen.runtime import Compiler, compile_shared, list_compilers, load, missing_features
from momagen.runtime.call import compile_kernel
from momagen.runtime.compile import driver_flags
from momagen.runtime.compiled import Compiled
from momagen.runtime.compiler import run
from momagen.targets import load_target
from momagen.verify import verify

FAMILIES: dict[str, tuple[str, dict[str, object]]] = {
    "three digits": ("ntt", {"n": 512, "bits": 124, "negacyclic": True}),
    "inverse": ("ntt", {"n": 64, "bits": 124, "inverse": True}),
    "six digits": ("ntt", {"n": 64, "bits": 256}),
    "one double": ("ntt", {"n": 64, "bits": 54}),
    "one double inverse": ("ntt", {"n": 64, "bits": 54, "inverse": True, "negacyclic": True}),
    "polynomials": ("polymul", {"n": 64, "bits": 54}),
    "product in digits": ("vmul", {"bits": 124}),
    "product in six digits": ("vmul", {"bits": 256}),
    "product": ("vmul", {"bits": 54}),
    "product by a number": ("axpy", {"bits": 54}),
}
"""Every way to compute in doubles: a kind and what it is made for."""
ASSOCIATIVE = [
    "-ffast-math", "-ffast-math -fno-finite-math-only", "-funsafe-math-optimizations",
    "-fassociative-math -fno-signed-zeros -fno-trapping-math", "-freciprocal-math", "-ffp-contract=fast",
    "-ffp-contract=off", "-ffinite-math-only", "-fno-signed-zeros", "-fno-rounding-math",
]  # fmt: skip
"""What would change sums of doubles, or might; against it stand pragmas, and code stays as it is."""
OTHERS = [
    "-Ofast", "-Ofast -fno-finite-math-only", "-frounding-math", "-mfpmath=387", "-mfpmath=both", "-ffp-model=fast",
    "-ffp-model=strict", "-fsingle-precision-constant", "-ffloat-store", "-flto", "-flto -ffast-math", "-ftrapv",
    "-fwrapv", "-fno-strict-aliasing", "-O0", "-O1", "-Os", "-march=native -ffast-math", "-fsignaling-nans",
    "-fexcess-precision=fast", "-fnon-call-exceptions", "-funsigned-char -fshort-enums", "-mno-fma -mno-avx2",
    "-ffreestanding", "-fstack-protector-all",
]  # fmt: skip
COMPILERS = {c.kind: c for c in reversed(list_compilers()) if c.kind != "other"}
"""One of each kind, the first that there is."""
CASES = [
    pytest.param(name, flags, c, id=f"{name}, {flags}, {c.kind}")
    for name in FAMILIES
    for flags in [*ASSOCIATIVE, *OTHERS]
    for c in COMPILERS.values()
]
KNOWN = {"three digits": ("gcc", "clang", "zig"), "product": ("gcc",), "product by a number": ("clang",)}
"""Where sums were reordered before anything spoke against it."""
ROWS: dict[str, Callable[[int], mg.Kernel]] = {
    "convert": lambda bits: mg.convert(3, to=2, modulus_bits=bits, target="avx2"),
    "corrected": lambda bits: mg.convert(3, to=2, modulus_bits=bits, target="avx2", method="corrected"),
    "rescale": lambda bits: mg.rescale(3, modulus_bits=bits, target="avx2"),
    "moddown": lambda bits: mg.moddown(4, drop=2, modulus_bits=bits, target="avx2"),
    "keyswitch": lambda bits: mg.keyswitch(3, modulus_bits=bits, target="avx2"),
}
"""Kernels on the rows of a basis, by kind or method."""
MODES = {"nearest": 0x0000, "down": 0x2000, "up": 0x4000, "to zero": 0x6000}
CALM, INEXACT, FLUSH = 0x1F80, 0x1000, 0x8040
"""No exception stops the program, that of rounding among them; numbers near zero are zero, as -ffast-math has it."""

needs_avx2 = pytest.mark.skipif(bool(missing_features(load_target("avx2").features)), reason="no AVX2 and FMA")
needs_x86 = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="no x86-64")


def source(name: str, target: str = "avx2") -> Source:
    kind, wanted = FAMILIES[name]
    made = generate(make_spec(kind, target=target, **wanted))  # type: ignore[arg-type]
    assert re.search("floating-point limb", " ".join(made.notes)), made.notes
    return made


@dataclass(frozen=True)
class Built:
    """What verify takes."""

    compiled: Compiled
    spec: Spec


def compiled(made: Source, compiler: Compiler, flags: str) -> Compiled:
    """The kernel built as a user would, whose options come last."""
    options = ["-std=c99", *made.spec.target.flags, *flags.split()]
    path = compile_shared(
        made.source, name=made.name, flags=options, includes={f"{made.name}.h": made.header}, compiler=compiler
    )
    return Compiled(made.spec, made.name, load(path), compiler, (), made.moduli)


def aside(work: Callable[[], object]) -> object:
    """What ``work`` gives in a thread of its own: the start of a library linked with -ffast-math changes its state."""
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]


def outcome(name: str, flags: str, compiler: Compiler) -> str:
    made = source(name)

    def work() -> str:
        try:
            built = compiled(made, compiler, flags)
        except MomagenError as error:
            return f"refused: {error}"
        report = verify(Built(built, made.spec))
        return "right" if report.ok else f"wrong: {report.mismatch}"

    return str(aside(work))


@needs_avx2
@pytest.mark.sampled(300)
@pytest.mark.parametrize(("name", "flags", "compiler"), CASES)
def test_right_or_refused(name: str, flags: str, compiler: Compiler) -> None:
    got = outcome(name, flags, compiler)
    assert got == "right" or (got.startswith("refused") and flags in OTHERS), got


@needs_avx2
@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name, kinds in KNOWN.items() for kind in kinds])
def test_right_where_sums_were_once_reordered(name: str, kind: str) -> None:
    if kind not in COMPILERS:
        pytest.skip(f"no {kind}")
    assert outcome(name, "-Ofast -fno-finite-math-only", COMPILERS[kind]) == "right"


@needs_avx2
@pytest.mark.skipif("gcc" not in COMPILERS, reason="no gcc")
def test_single_precision_is_refused_by_name() -> None:
    got = outcome("product in six digits", "-fsingle-precision-constant", COMPILERS["gcc"])
    assert got.startswith("refused") and "compile_without_single_precision_constant" in got


def assembly(made: Source, compiler: Compiler, flags: str, place: Path) -> str:
    (place / f"{made.name}.h").write_text(made.header, encoding="utf-8")
    (place / "kernel.c").write_text(made.source, encoding="utf-8")
    options = driver_flags(compiler, ["-std=c99", "-O3", *made.spec.target.flags, *flags.split()])
    done = run([*compiler.command, *options, "-S", f"{place}/kernel.c", "-o", f"{place}/kernel.s"])
    assert done.returncode == 0, done.stderr
    return (place / "kernel.s").read_text(encoding="utf-8")


@needs_x86
@pytest.mark.parametrize("compiler", COMPILERS.values(), ids=COMPILERS)
def test_options_change_no_instruction_of_eight_lanes(compiler: Compiler, tmp_path: Path) -> None:
    made = source("product by a number", "avx512")
    plain = assembly(made, compiler, "", tmp_path)
    assert "vfmadd" in plain and "zmm" in plain
    assert assembly(made, compiler, "-funsafe-math-optimizations", tmp_path) == plain


@pytest.mark.slow
@needs_x86
@pytest.mark.parametrize("compiler", COMPILERS.values(), ids=COMPILERS)
@pytest.mark.parametrize("name", FAMILIES)
def test_no_option_changes_an_instruction_of_eight_lanes(name: str, compiler: Compiler, tmp_path: Path) -> None:
    made = source(name, "avx512")
    plain = assembly(made, compiler, "", tmp_path)
    for flags in ASSOCIATIVE:
        assert assembly(made, compiler, flags, tmp_path) == plain, flags


STATE = """#include <xmmintrin.h>
unsigned state(void) { return _mm_getcsr(); }
void set(unsigned state) { _mm_setcsr(state); }
"""


def caller() -> ctypes.CDLL:
    """What reads and sets the state of the thread that calls."""
    own = load(compile_shared(STATE, name="state", flags=["-std=c99"]))
    own.set.argtypes, own.set.restype, own.state.restype = [ctypes.c_uint], None, ctypes.c_uint
    return own


@needs_avx2
@pytest.mark.parametrize("name", [name for name in FAMILIES if name != "three digits"])
def test_any_state_of_the_caller_is_borne_and_kept(name: str) -> None:
    """In every rounding mode, with and without numbers near zero: plans and results are right, the state is kept."""
    made, rng = source(name), Random(name)
    kernel, own = compile_kernel(made), caller()
    spec, words, count = made.spec, made.spec.arith.words, made.spec.n or 43
    q = spec.modulus
    sizes = [1 if operand == "a" else count for operand in spec.ranges.operands]
    before = own.state()
    for mode in MODES.values():
        for state in (CALM | mode, CALM | FLUSH | mode):
            operands = [[rng.choice((0, 1, q - 1, rng.randrange(q))) for _ in range(k)] for k in sizes]
            given, z = [to_words(x, words) for x in operands], to_words([0] * count, words)
            own.set(state)
            plan = kernel.plan(q, spec.root)
            plan.execute(z, *given, count=count if str(spec.kind) in BLAS else 1)
            after = own.state()
            own.set(before)
            assert after & ~0x3F == state & ~0x3F
            assert from_words(z) == result(spec, *operands)


@needs_avx2
@pytest.mark.parametrize("bits", [50, 60])
@pytest.mark.parametrize("kind", ROWS)
def test_any_state_of_the_caller_is_borne_and_kept_on_rows(kind: str, bits: int) -> None:
    """The same for the plans and results of kernels on the rows of a basis, which are compared with gmpy2."""
    own = caller()
    before = own.state()
    for mode in MODES.values():
        for state in (CALM | mode, CALM | FLUSH | mode):
            kernel = ROWS[kind](bits)  # whose plan is created in this state
            assert kernel.compiled
            own.set(state)
            ok, after = kernel.verify().ok, own.state()
            own.set(before)
            assert ok and after & ~0x3F == state & ~0x3F


@needs_avx2
@pytest.mark.parametrize("name", [name for name in FAMILIES if name != "three digits"])
def test_rounding_does_not_stop_a_caller_who_traps_it(name: str) -> None:
    """Sums that round raise an exception of their own, which some programs have made fatal."""
    folders = [str(Path(__file__).parents[at]) for at in (0, 1)]
    code = f"import sys; sys.path[:0] = {folders}; from test_rounding import trapped"
    code += f"; trapped({name!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def trapped(name: str) -> None:
    """In a process of its own: a call that an exception would end."""
    kernel, own = compile_kernel(source(name)), caller()
    spec, words, count = kernel.spec, kernel.spec.arith.words, kernel.spec.n or 43
    plan, x = kernel.plan(spec.modulus, spec.root), to_words([spec.modulus - 1] * count, words)
    given, z = [x[:1] if operand == "a" else x for operand in spec.ranges.operands], x.copy()
    own.set(CALM & ~INEXACT)
    plan.execute(z, *given, count=count if str(spec.kind) in BLAS else 1)
    os._exit(0)
