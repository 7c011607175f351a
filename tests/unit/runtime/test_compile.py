"""Compiling C with every compiler found here: what comes out computes, means the same ISA, and is cached by content."""

from __future__ import annotations

import ctypes
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from momagen.errors import MomagenError
from momagen.runtime import Compiler, compile_program, compile_shared, find_compiler, list_compilers, load
from momagen.runtime import compile as compiling
from momagen.runtime.compile import driver_flags
from momagen.runtime.compiler import run

pytestmark = pytest.mark.compiles

COMPILERS = list_compilers()
each_compiler = pytest.mark.parametrize("compiler", COMPILERS, ids=lambda compiler: " ".join(compiler.command[-2:]))
x86_only = pytest.mark.skipif(platform.machine() != "x86_64", reason="the -m flags are those of x86-64")
HIGH = "#include <stdint.h>\nuint64_t high(uint64_t x, uint64_t y) { return ((unsigned __int128)x * y) >> 64; }\n"


def number(source: str, flags: Sequence[str], compiler: Compiler) -> int:
    """The value of ``int f(void)`` in ``source``."""
    return int(load(compile_shared(source, name="probe", flags=flags, compiler=compiler)).f())


@each_compiler
def test_shared_library_computes(compiler: Compiler) -> None:
    library = load(compile_shared(HIGH, name="high", flags=["-std=c99"], compiler=compiler))
    library.high.restype, library.high.argtypes = ctypes.c_uint64, [ctypes.c_uint64] * 2
    x, y = 0xFEDCBA9876543210, 0xFFFFFFFFFFFFFFFF
    assert library.high(x, y) == x * y >> 64


@each_compiler
def test_headers_and_libraries(compiler: Compiler) -> None:
    source = (
        '#include <math.h>\n#include "seven.h"\nint f(void) { volatile double x = SEVEN; return (int)cbrt(x * x * x); }'
    )
    path = compile_shared(
        source, name="k", flags=["-std=c99", "-lm"], includes={"seven.h": "#define SEVEN 7\n"}, compiler=compiler
    )
    assert load(path).f() == 7


@each_compiler
def test_options_in_the_compilers_own_command_count(compiler: Compiler) -> None:
    """As in CC="clang -DN=5": another command, another library."""
    source = "#ifndef N\n#define N 4\n#endif\nint f(void) { return N; }\n"
    other = replace(compiler, command=(*compiler.command, "-DN=5"))
    assert [number(source, ["-std=c99"], each) for each in (compiler, other, compiler)] == [4, 5, 4]


# what an ISA flag switches on is what the compiler's macros say, here one bit each
ISA = "\n".join(
    f"#ifdef __{macro}__\n#define B{i} {1 << i}\n#else\n#define B{i} 0\n#endif"
    for i, macro in enumerate(("SSE4_2", "AVX2", "BMI2", "AVX512F", "AVX512DQ", "AVX512IFMA"))
)
ISA += "\nint f(void) { return B0 | B1 | B2 | B3 | B4 | B5; }\n"


@x86_only
@each_compiler
@pytest.mark.parametrize(
    ("flags", "bits"),
    [
        ([], 0b000000),
        (["-mavx512f"], 0b001011),
        (["-mavx512f", "-mavx512dq"], 0b011011),
        (["-mbmi2"], 0b000100),
        (["-march=x86-64-v2"], 0b000001),
        (["-march=x86-64-v3", "-mtune=native"], 0b000111),
        (["-mtune=native"], 0b000000),
    ],
)
def test_flags_mean_the_same_instruction_sets_to_all(compiler: Compiler, flags: list[str], bits: int) -> None:
    assert number(ISA, flags, compiler) == bits


@each_compiler
def test_no_trap_and_no_silent_ndebug(compiler: Compiler) -> None:
    shift = "int g(int x) { return x << 1; }\nint f(void) { volatile int x = -3; return g(x); }\n"
    assert number(shift, ["-O0"], compiler) == -6
    asserting = "#ifdef NDEBUG\nint f(void) { return 1; }\n#else\nint f(void) { return 2; }\n#endif\n"
    assert number(asserting, [], compiler) == 2
    assert number(asserting, ["-DNDEBUG"], compiler) == 1


@pytest.mark.parametrize(
    ("flags", "for_zig"),
    [
        (["-std=c99", "-g"], ["-mcpu=baseline", "-UNDEBUG", "-fno-sanitize=undefined", "-g0", "-std=c99", "-g"]),
        (["-march=x86-64-v4"], ["-mcpu=x86_64_v4", "-UNDEBUG", "-fno-sanitize=undefined", "-g0"]),
        (["-march=native", "-mtune=native"], ["-mcpu=native", "-UNDEBUG", "-fno-sanitize=undefined", "-g0"]),
    ],
)
def test_driver_flags(flags: list[str], for_zig: list[str]) -> None:
    zig = Compiler(("zig", "cc"), "zig", "clang version 22", Path("zig"))
    assert driver_flags(zig, flags) == for_zig
    assert driver_flags(replace(zig, kind="gcc"), flags) == flags


def test_same_content_is_compiled_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MOMAGEN_CACHE", str(tmp_path))
    compiler, calls = find_compiler(), list[list[str]]()

    def counted(command: list[str], **given: Any) -> subprocess.CompletedProcess[str]:
        calls.append(command)
        return run(command, **given)

    monkeypatch.setattr(compiling, "run", counted)
    first = compile_shared(HIGH, name="high", flags=["-std=c99"], compiler=compiler)
    assert len(calls) == 2
    assert compile_shared(HIGH, name="high", flags=["-std=c99"], compiler=compiler) == first
    assert len(calls) == 2
    assert sorted(path.name for path in first.parent.iterdir()) == sorted(["high.c", "high.sealed", first.name])


def test_any_change_of_content_is_another_library() -> None:
    compiler = find_compiler()
    newer = replace(compiler, version=compiler.version + "+")
    paths = {
        compile_shared(HIGH, name="k", flags=["-std=c99"], compiler=compiler),
        compile_shared(HIGH + "\n", name="k", flags=["-std=c99"], compiler=compiler),
        compile_shared(HIGH, name="k", flags=["-std=gnu99"], compiler=compiler),
        compile_shared(HIGH, name="k", flags=["-std=c99"], compiler=newer),
        compile_shared(HIGH, name="k", flags=["-std=c99"], compiler=compiler, includes={"a.h": ""}),
        compile_shared(HIGH, name="k", flags=["-std=c99"], compiler=compiler, includes={"a.h": "\n"}),
        compile_shared(HIGH, name="k", flags=["-std=c99"], compiler=compiler, includes={"b.h": ""}),
    }
    assert len(paths) == 7


def test_processes_may_compile_the_same_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MOMAGEN_CACHE", str(tmp_path))
    text = f"""
from momagen.runtime import compile_shared, load
path = compile_shared({HIGH!r} + "int f(void) {{ return 5; }}", name="k", flags=["-std=c99"])
print(path, load(path).f())
"""
    workers = [subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True) for _ in range(4)]
    answers = {worker.communicate()[0].strip() for worker in workers}
    assert len(answers) == 1
    path, value = answers.pop().split()
    assert value == "5"
    assert sorted(file.name for file in Path(path).parent.iterdir()) == sorted(["k.c", "k.sealed", Path(path).name])
    assert not list((tmp_path / "work").iterdir())


@each_compiler
def test_program_of_several_sources(compiler: Compiler, tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    header, main, lib = tmp_path / "inc" / "lib.h", tmp_path / "main.c", tmp_path / "lib.c"
    header.write_text("int twice(int x);\n#define START 20\n")
    lib.write_text('#include "lib.h"\nint twice(int x) { return 2 * x; }\n')
    main.write_text(
        '#include <stdio.h>\n#include "lib.h"\nint main(void) { return printf("%d", twice(START)) != 2; }\n'
    )

    def answer() -> str:
        program = compile_program(
            [main, lib], name="twice", flags=["-std=c99"], include_dirs=[header.parent], compiler=compiler
        )
        return subprocess.run([program], capture_output=True, text=True, check=True).stdout

    assert answer() == "40"
    header.write_text("int twice(int x);\n#define START 21\n")
    assert answer() == "42"


@pytest.mark.thorough
@pytest.mark.skipif(not any(compiler.command[1:3] == ("-m", "ziglang") for compiler in COMPILERS), reason="no ziglang")
def test_the_wheel_alone_is_enough(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No compiler on the PATH, no home to write in."""
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", "/nonexistent")
    monkeypatch.setenv("MOMAGEN_CACHE", str(tmp_path / "cache"))
    compiler = find_compiler()
    assert compiler.kind == "zig"
    assert number("#include <stdlib.h>\nint f(void) { return abs(-9); }\n", ["-std=c99"], compiler) == 9


@pytest.mark.thorough
@each_compiler
def test_a_compiler_out_of_time_leaves_nothing(
    compiler: Compiler, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MOMAGEN_CACHE", str(tmp_path))
    with pytest.raises(MomagenError, match=r"slow\.c: .* took longer than the limit of 0\.001 s"):
        compile_shared(HIGH, name="slow", flags=["-std=c99"], compiler=compiler, seconds=0.001)
    assert not list(tmp_path.rglob("*.so")) and not list(tmp_path.rglob("*.o"))
    assert compile_shared(HIGH, name="slow", flags=["-std=c99"], compiler=compiler).exists()


def test_a_program_out_of_time_ends_with_its_children(tmp_path: Path) -> None:
    """The shell's child would hold the pipes open for ten minutes; it stops with the shell."""
    note = tmp_path / "pid"
    with pytest.raises(subprocess.TimeoutExpired):
        run(["sh", "-c", f"sleep 600 & echo $! > {note}.new; mv {note}.new {note}; wait"], seconds=1.0)
    child = Path("/proc") / note.read_text().strip() / "stat"
    for _ in range(200):  # the signal is sent; the kernel ends the process when it comes to run
        if ended(child):
            return
        time.sleep(0.05)
    pytest.fail(f"expected the child to end within ten seconds, got {child.read_text()}")


def ended(stat: Path) -> bool:
    """Whether the process whose /proc/…/stat this is, is gone or waits only to be reaped."""
    try:
        return stat.read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True
