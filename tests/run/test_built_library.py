"""A library as its users meet it: built with CMake and by hand, tested, installed, found, called from C and C++."""

from __future__ import annotations

import json
import os
import platform
import random
import re
import shutil
import stat
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

import momagen as mg
from momagen.cli import main
from momagen.errors import MomagenError
from momagen.runtime import compile_program, find_compiler, missing_features

CMAKE = shutil.which("cmake")
CC = shutil.which(os.environ.get("CC", "cc")) or shutil.which("cc")
"""What CMake compiles with: a program, while momagen also takes a family's name."""
needs_cmake = pytest.mark.skipif(not (CMAKE and CC), reason="there is no cmake, or no cc that it could use")
KERNELS = [
    "ntt:n=16,bits=128", "ntt:n=16,bits=128,inverse", "ntt:n=16,bits=64,order=natural,name=nat",
    "polymul:n=16,bits=64,negacyclic,name=product", "axpy:bits=64",
    "cmpsub:bits=128,input_factor=any,output_factor=4", "ntt:n=16,bits=64,input_factor=2,output_factor=4,name=lazy",
    "vneg:bits=64", "ntt:n=any,max_n=64,bits=64,negacyclic,inverse,name=any",
    "ntt:n=16,moduli=2,modulus_bits=50,negacyclic,inverse,name=rns", "axpy:moduli=3,bits=64,name=rows",
    "ntt:n=8,columns=5,bits=64,name=matrix", "ntt:n=8,columns=3,moduli=2,bits=64,name=matrices",
    "vmuladd:bits=64,form=montgomery,name=fma", "vinv:modulus_bits=61,name=inverses", "dot:bits=64",
    "dot:moduli=2,modulus_bits=50,name=dots",
    "moddown:moduli=4,modulus_bits=60,drop=2,scale=3,plaintext_modulus=65537,name=down",
    "lde:n=8,blowup=4,coset=7,columns=3,bits=64,name=extend", "rescale:moduli=3,modulus_bits=50,name=divide",
    "keyswitch:moduli=3,modulus_bits=60,input_factor=4,digits=2,name=switch",
    "convert:moduli=3,to=2,modulus_bits=50,method=fast,name=convert",
]  # fmt: skip
ROWS = len(KERNELS) + 1
"""What its own test tries: of the kernel of any size two."""
TARGETS = ["c", "c64", "avx512"]
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused-function", "-O1"]

pytestmark = [
    pytest.mark.skipif(platform.system() == "Windows", reason="POSIX threads and shells"), pytest.mark.alike,
]  # fmt: skip


@pytest.fixture(scope="module")
def tiny() -> mg.Library:
    return mg.library("tiny", KERNELS, targets=TARGETS, version="1.2.3")


@pytest.fixture(scope="module")
def least(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a library of the same name with one of the kernels."""
    place = tmp_path_factory.mktemp("least") / "tiny"
    mg.library("tiny", KERNELS[:1], targets=TARGETS).save(place)
    return place


@pytest.fixture(scope="module")
def folder(tiny: mg.Library, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("library") / "tiny"
    tiny.save(place)
    return place


def works(library: mg.Library) -> list[str]:
    """The variants that this processor has, best first."""
    return [variant.name for variant in library.variants if not missing_features(variant.target.features)]


def program(folder: Path, name: str, flags: Sequence[str] = ()) -> Path:
    """The library and one of its programs, compiled in one go without CMake and without any -m flag."""
    sources = [*sorted((folder / "src").glob("*.c")), folder / "tests" / "kernels.c", folder / name]
    return compile_program(
        sources, flags=[*STRICT, *flags], include_dirs=[folder / "include", folder / "tests", folder / "src"]
    )


def called(command: Sequence[str | Path], code: int = 0, **environment: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def tried(said: str) -> set[str]:
    return {line.split()[-1] for line in said.splitlines() if "tested in" in line}


@pytest.mark.thorough
def test_its_own_test_passes_in_every_variant_of_this_processor(tiny: mg.Library, folder: Path) -> None:
    said = called([program(folder, "tests/test.c")])
    assert tried(said) == set(works(tiny))
    assert [line.split()[-1] for line in said.splitlines() if "create selects" in line] == [works(tiny)[0]] * ROWS
    assert int(said.splitlines()[-1].split()[0]) > 100


@pytest.mark.parametrize("disabled", [["avx512"], ["c"], ["avx512", "c"], ["c64", "avx512", "c"]], ids=",".join)
def test_the_environment_disables_variants(tiny: mg.Library, folder: Path, disabled: list[str]) -> None:
    left = [name for name in works(tiny) if name not in disabled]
    said = called([program(folder, "tests/test.c")], TINY_DISABLE=",".join(disabled))
    assert tried(said) == set(left)
    assert said.count(f"create selects {left[0] if left else 'nothing'}") == ROWS


@pytest.mark.thorough
@pytest.mark.sampled(3)
def test_its_own_test_says_what_it_leaves_out_for_time(folder: Path, tmp_path: Path) -> None:
    """With no time at all, every kernel has the least in every variant; all brings the rest back."""
    hurried = tmp_path / "tiny"
    shutil.copytree(folder, hurried)
    test = hurried / "tests" / "test.c"
    text = test.read_text(encoding="utf-8")
    assert text.count("enum { SECONDS = 30 };") == 1
    test.write_text(text.replace("SECONDS = 30", "SECONDS = 0"), encoding="utf-8")
    done = program(hurried, "tests/test.c")
    least, everything, choice = (called([done, *how]).splitlines() for how in ([], ["all"], ["choice"]))
    assert tried("\n".join(least)) == tried("\n".join(everything))
    assert least[-2].startswith("after 0 s, the further checks of ") and not everything[-2].startswith("after")
    counts = [int(said[-1].split()[0]) for said in (choice, least, everything)]
    assert counts == sorted(set(counts)) and not tried("\n".join(choice))


def test_names_that_are_no_variant_disable_nothing(tiny: mg.Library, folder: Path) -> None:
    said = called([program(folder, "tests/test.c")], TINY_DISABLE="avx,c6,,c644, avx5122")
    assert tried(said) == set(works(tiny))


BREAKS = {
    "src/tiny_axpy_60b_c64.c": ("by_1(z, x, y, numbers, n);", "z[n * WORDS - 1] ^= 1;"),
    "src/tiny_ntt16_124b_c64.c": ("transform(y, x, c, tables);", "y[31] ^= 1;"),
    "src/tiny_product_c64.c": ("product(z, t, z, c, 16);", "z[15] ^= 1;"),
    "src/tiny_extend_c64.c": ("give_room(&plan->room, t);", "y[-1] ^= 1;"),
    "src/tiny_divide_c64.c": (
        "run_division(z, z_rows, x, x_rows, plan->tables, t, plan->moduli, n, me, team);",
        "if (z) z[(plan->moduli - 1) * n - 1] ^= 1;",
    ),
    "src/tiny_switch_c64.c": (
        "order, plan->tables, t, plan->moduli, plan->digits, n, me, team);",
        "if (z) z[2 * plan->moduli * n - 1] ^= 1;",
    ),
    "src/tiny_convert_c64.c": (
        "run_conversion_by_sums(z, z_rows, x, x_rows, plan->tables, t, plan->moduli, plan->goals, n, me, team);",
        "if (z) z[plan->goals * n - 1] ^= 1;",
    ),
}


BROKEN = ("axpy_60b", "ntt16_124b", "product", "extend", "divide", "switch", "convert")


@pytest.mark.thorough
@pytest.mark.sampled(3)
def test_its_own_test_finds_wrong_variants(tiny: mg.Library, tmp_path: Path) -> None:
    """One bit of the last word is wrong: in the output of most kernels, in the transformed product of one.

    In the variant that every processor has and that comes last: the first is what the others are compared with.
    """
    tiny.save(tmp_path)
    for path, (call, more) in BREAKS.items():
        text = (tmp_path / path).read_text(encoding="utf-8")
        assert text.count(call) == 1
        (tmp_path / path).write_text(text.replace(call, f"{call} {more}"), encoding="utf-8")
    said = called([program(tmp_path, "tests/test.c")], code=1)
    wrong = {line.partition(":")[0] for line in said.splitlines() if line.startswith("FAIL")}
    following = {f"FAIL intt16_124b in {name}" for name in works(tiny)}  # a wrong inverse of a right inverse
    assert wrong == {f"FAIL {name} in c64" for name in BROKEN} | following


@pytest.mark.thorough
def test_a_kernel_in_c_gives_what_python_gives(tiny: mg.Library, least: Path, tmp_path: Path) -> None:
    forward = next(kernel for kernel in tiny.kernels() if kernel.name == "tiny_ntt16_124b_c")
    x = [(3 * i + 1) ** 40 % forward.modulus for i in range(16)]
    source = tmp_path / "main.c"
    source.write_text(consumer(forward, x), encoding="utf-8")
    sources = [*sorted((least / "src").glob("*.c")), source]
    includes = [least / "include", least / "src"]
    said = called([compile_program(sources, flags=STRICT, include_dirs=includes)]).split()
    assert said[0] == works(tiny)[0]
    assert [int(word, 16) for word in said[1:]] == [y >> 64 * w & (1 << 64) - 1 for y in forward(x) for w in (0, 1)]


def consumer(kernel: mg.Kernel, x: Sequence[int]) -> str:
    """A program that includes tiny.h alone; it prints the variant, then the transform's words."""

    def words(value: int) -> str:
        return ", ".join(f"UINT64_C({value >> 64 * w & (1 << 64) - 1:#x})" for w in (0, 1))

    return f"""#include <tiny.h>
#include <stdio.h>

int main(void)
{{
    const uint64_t q[2] = {{{words(kernel.modulus)}}}, root[2] = {{{words(kernel.root)}}};
    uint64_t x[32] = {{{", ".join(map(words, x))}}};
    int why = -1;
    tiny_ntt16_124b_plan *plan = tiny_ntt16_124b_create(q, root, &why);
    if (!plan || why != TINY_OK || tiny_ntt16_124b_execute(plan, x, x, 1) != TINY_OK)
        return 1;
    printf("%s\\n", tiny_variant_name(tiny_ntt16_124b_variant(plan)));
    for (int i = 0; i < 32; i++)
        printf("%llx\\n", (unsigned long long)x[i]);
    tiny_ntt16_124b_destroy(plan);
    return 0;
}}
"""


ON_ROWS = """#include <tiny.h>
#include <stdio.h>

enum {{ N = {n}, MODULI = 3, DIGITS = 2 }};
static const uint64_t q[MODULI] = {{ {moduli} }}, d[] = {{ {digits} }}, k[] = {{ {keys} }};
static const size_t order[N] = {{ {order} }};
static uint64_t z[2 * MODULI * N], rows[2 * MODULI][N];

int main(void)
{{
    const uint64_t *d_rows[DIGITS * MODULI], *k_rows[2 * DIGITS * MODULI];
    uint64_t *z_rows[2 * MODULI];
    int why = -1;
    tiny_switch_plan *plan = tiny_switch_create(MODULI, q, DIGITS, &why);
    if (!plan || why != TINY_OK || TINY_SWITCH_OUTPUTS != 2)
        return 1;
    for (int i = 0; i < DIGITS * MODULI; i++)
        d_rows[i] = d + i * N;
    for (int i = 0; i < 2 * DIGITS * MODULI; i++)
        k_rows[i] = k + i * N;
    for (int i = 0; i < 2 * MODULI; i++)
        z_rows[i] = rows[2 * MODULI - 1 - i];
    if (tiny_switch_execute(plan, z, d, k, order, N)
        || tiny_switch_execute_rows(plan, z_rows, d_rows, k_rows, order, N))
        return 2;
    for (int i = 0; i < 2 * MODULI; i++)
        for (int c = 0; c < N; c++) {{
            if (z_rows[i][c] != z[i * N + c])
                return 3;
            printf("%llx ", (unsigned long long)z[i * N + c]);
        }}
    if (tiny_switch_execute(plan, z, d, 0, order, N) != TINY_NULL_POINTER
        || tiny_switch_execute_rows(plan, 0, d_rows, k_rows, 0, N) != TINY_NULL_POINTER
        || tiny_switch_execute_rows(0, z_rows, d_rows, k_rows, 0, N) != TINY_NULL_POINTER
        || tiny_switch_execute_rows(plan, 0, 0, 0, 0, 0) != TINY_OK)
        return 4;
    tiny_switch_destroy(plan);
    return tiny_switch_create(MODULI, q, 65, &why) || why != TINY_BAD_SIZE;
}}
"""


@pytest.mark.thorough
@pytest.mark.parametrize("flags", [[], ["-fopenmp"]], ids=["alone", "openmp"])
def test_a_kernel_on_rows_in_c_follows_the_order_of_columns(
    tiny: mg.Library, tmp_path: Path, flags: Sequence[str]
) -> None:
    """By words and by pointers to rows, also with columns that threads share."""
    rng, n = random.Random(1), 1100
    moduli = next(member for member in tiny.members if member.name == "switch").spec.moduli
    digits = [[[rng.randrange(4 * q) for _ in range(n)] for q in moduli] for _ in range(2)]
    keys = [[[[rng.randrange(q) for _ in range(n)] for q in moduli] for _ in range(2)] for _ in range(2)]
    order = rng.sample(range(n), n)
    right = [
        sum(digits[j][i][order[c]] * keys[j][o][i][c] for j in range(2)) % q
        for o in range(2) for i, q in enumerate(moduli) for c in range(n)
    ]  # fmt: skip
    source = tmp_path / "main.c"
    source.write_text(ON_ROWS.format(
        n=n, moduli=", ".join(map(hex, moduli)), order=", ".join(map(str, order)),
        digits=", ".join(hex(x) for group in digits for row in group for x in row),
        keys=", ".join(hex(x) for groups in keys for group in groups for row in group for x in row),
    ), encoding="utf-8")  # fmt: skip
    tiny.save(tmp_path / "tiny")
    sources = [*(tmp_path / "tiny" / "src").glob("tiny_switch*.c"), tmp_path / "tiny/src/tiny_variants.c", source]
    includes = [tmp_path / "tiny" / "include", tmp_path / "tiny" / "src"]
    try:
        done = compile_program(sources, flags=[*STRICT, "-Wno-unknown-pragmas", *flags], include_dirs=includes)
    except MomagenError as error:
        pytest.skip(f"no OpenMP: {error}")
    assert [int(word, 16) for word in called([done], OMP_NUM_THREADS="2").split()] == right


SMALL = """#include <few.h>
#include <stdio.h>

int main(void)
{
    const uint64_t large[4] = {LARGE}, largest[4] = {ROOT}, q[4] = {97}, root[4] = {8}, even[4] = {98};
    uint64_t x[64] = {0};
    int why = -1, variant;
    few_big_plan *plan = few_big_create(large, largest, &why);
    if (!plan || why != FEW_OK)
        return 1;
    printf("%s ", few_variant_name(few_big_variant(plan)));
    few_big_destroy(plan);
    plan = few_big_create(q, root, &why);
    if (!plan || why != FEW_OK)
        return 2;
    variant = few_big_variant(plan);
    printf("%s", few_variant_name(variant));
    for (int i = 0; i < 16; i++)
        x[4 * i] = (uint64_t)(i * i + 5);
    few_big_execute(plan, x, x, 1);
    for (int i = 0; i < 16; i++)
        printf(" %d", (int)x[4 * i]);
    few_big_destroy(plan);
    for (int other = 0; other < variant; other++)
        if (few_big_create_at(other, q, root, &why) || why == FEW_OK)
            return 3;
    return few_big_create(even, root, &why) || why != FEW_BAD_MODULUS;
}
"""


@pytest.mark.thorough
def test_a_small_modulus_goes_to_a_variant_that_serves_it(tmp_path: Path) -> None:
    """Digits with slack serve long moduli only; words serve all."""
    made = mg.library("few", ["ntt:n=16,bits=256,name=big"], targets=["avx2", "c"])
    made.save(tmp_path / "few")
    spec = made.members[0].spec
    assert " (avx2); every odd q below 2^252 (c)" in made.header
    words = [", ".join(hex(value >> 64 * w & (1 << 64) - 1) for w in range(4)) for value in (spec.modulus, spec.root)]
    source = tmp_path / "main.c"
    source.write_text(SMALL.replace("LARGE", words[0]).replace("ROOT", words[1]), encoding="utf-8")
    includes = [tmp_path / "few" / "include", tmp_path / "few" / "src"]
    done = compile_program([*sorted(includes[1].glob("*.c")), source], flags=STRICT, include_dirs=includes)
    first, second, *found = called([done]).split()
    assert (first, second) == (works(made)[0], "c")
    order = [int(f"{k:04b}"[::-1], 2) for k in range(16)]
    right = [sum((i * i + 5) * pow(8, i * k, 97) for i in range(16)) % 97 for k in order]
    assert list(map(int, found)) == right


def sanitized(folder: Path) -> Path:
    """The test with threads under ThreadSanitizer."""
    if find_compiler().kind == "zig":
        pytest.skip("zig cc brings no ThreadSanitizer")
    try:
        done = program(folder, "tests/threads.c", ["-pthread", "-fsanitize=thread"])
    except MomagenError as error:
        pytest.skip(f"no ThreadSanitizer: {error}")
    trial = subprocess.run([done], capture_output=True, text=True)
    if "FATAL: ThreadSanitizer" in trial.stderr:
        pytest.skip(f"ThreadSanitizer does not run here: {trial.stderr.strip()}")
    return done


@pytest.mark.thorough
@pytest.mark.sampled(3)
def test_threads_race_nowhere(folder: Path) -> None:
    called([sanitized(folder)])


@pytest.mark.thorough
def test_threads_race_for_no_memory(tmp_path: Path) -> None:
    """Of a plan that keeps what one call worked in for the next."""
    mg.library("few", ["ntt:n=16,bits=256,name=big", "polymul:n=16,bits=256"], targets=["avx2"]).save(tmp_path)
    called([sanitized(tmp_path)])


def test_a_race_would_be_found(tmp_path: Path) -> None:
    mg.library("tiny", ["axpy:bits=64"], targets=["c"]).save(tmp_path)
    file = tmp_path / "src" / "tiny_axpy_60b.c"
    text = file.read_text(encoding="utf-8")
    line = "    return plan ? plan->at->execute("
    assert text.count(line) == 1
    state = "    static volatile unsigned calls;\n    calls++;\n"
    file.write_text(text.replace(line, state + line), encoding="utf-8")
    assert subprocess.run([sanitized(tmp_path)], capture_output=True).returncode == 66


PARTS = """#include "tiny_variants.h"
#include <stdio.h>

int main(void)
{
    size_t inside = 0;
    #pragma omp parallel num_threads(2) reduction(max : inside)
    inside = tiny_parts(1000, 10);
    for (size_t batch = 0; batch < 30; batch += 10)
        printf("%zu ", tiny_parts(batch + 9, 10));
    printf("%zu %zu", tiny_parts(1000, 10), inside);
    return 0;
}
"""


def test_openmp_cuts_batches_for_the_threads_there_are(folder: Path, tmp_path: Path) -> None:
    source = tmp_path / "parts.c"
    source.write_text(PARTS, encoding="utf-8")
    sources, includes = [folder / "src" / "tiny_variants.c", source], [folder / "include", folder / "src"]
    try:
        done = compile_program(
            sources, flags=[*STRICT, "-fopenmp"], include_dirs=includes, compiler=find_compiler("gcc")
        )
    except MomagenError as error:
        pytest.skip(f"no OpenMP: {error}")
    assert called([done], OMP_NUM_THREADS="3") == "1 1 2 3 1"
    alone = compile_program(sources, flags=[*STRICT, "-Wno-unknown-pragmas"], include_dirs=includes)
    assert called([alone]) == "1 1 1 1 1"


@pytest.mark.thorough
@pytest.mark.sampled(3)
def test_the_command_in_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^    momagen (lib .*)$", text, re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    assert main([*command.split(), "--no-verify", "--targets", "c"]) == 0
    library = mg.library(Path("mylib", "mylib.toml"))
    assert [member.name for member in library.members] == ["ntt4096_124b", "intt4096_124b", "vmul_124b"]
    assert set(library.save("mylib")) == set()


@pytest.mark.parametrize("compiler", ["g++", "clang++", "clang++-19"])
def test_the_header_in_cpp(folder: Path, compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"there is no {compiler}")
    command = [compiler, "-x", "c++", "-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
    called([*command, str(folder / "include" / "tiny.h")])


def cmake(folder: Path, build: Path, *options: str, code: int = 0, **environment: str) -> str:
    """Configure."""
    given = [f"-DCMAKE_C_COMPILER={CC}", "-DCMAKE_C_FLAGS_RELEASE=-O1", *options]
    return called([CMAKE or "", "-S", folder, "-B", build, *given], code, **environment)


def built(folder: Path, build: Path, *options: str, **environment: str) -> str:
    said = cmake(folder, build, *options, **environment)
    called([CMAKE or "", "--build", build, "--parallel", "2"])
    return said


def passed(build: Path, **environment: str) -> int:
    """How many tests there were; all passed."""
    called(["ctest", "--test-dir", build, "--output-on-failure"], **environment)
    return len(json.loads(called(["ctest", "--test-dir", build, "--show-only=json-v1"]))["tests"])


KINDS: Mapping[str, Sequence[str]] = {
    "static": [],
    "shared": ["-DBUILD_SHARED_LIBS=ON"],
    "openmp": ["-DTINY_OPENMP=ON"],
}


def on_one_kind(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test on one kind of library in each run, which is the same for all such tests."""
    return needs_cmake(pytest.mark.alike(pytest.mark.sampled(len(KINDS))(test)))


@pytest.fixture(scope="module", params=KINDS)
def installed(request: pytest.FixtureRequest, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The prefix of an installed library that passed its tests."""
    if not (CMAKE and CC):
        pytest.skip("there is no cmake, or no cc that it could use")
    place = tmp_path_factory.mktemp("cmake")
    options = KINDS[request.param]
    if "openmp" in request.param and not _has_openmp(place):
        pytest.skip("the compiler has no OpenMP")
    said = built(folder, place / "build", *options, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    assert "tiny: ISA variants " in said
    assert passed(place / "build", OMP_NUM_THREADS="3") == 1 + len(TARGETS) + 1
    called([CMAKE, "--install", place / "build", "--prefix", place / "prefix"])
    return place / "prefix"


def _has_openmp(place: Path) -> bool:
    place = place / "openmp"
    place.mkdir()
    (place / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.13)\nproject(p LANGUAGES C)\nfind_package(OpenMP REQUIRED COMPONENTS C)\n",
        encoding="utf-8",
    )
    command = [CMAKE or "", "-S", place, "-B", place / "b", f"-DCMAKE_C_COMPILER={CC}"]
    return subprocess.run(command, capture_output=True).returncode == 0


PROJECT = """cmake_minimum_required(VERSION 3.13)
project(consumer LANGUAGES C)
find_package(tiny {version} REQUIRED)
add_executable(consumer main.c)
target_link_libraries(consumer tiny::tiny)
"""


def written(tiny: mg.Library, place: Path, version: str = "1.1") -> Sequence[str]:
    """A consumer's project in ``place``; gives what its program must print."""
    kernel = next(kernel for kernel in tiny.kernels() if kernel.name == "tiny_ntt16_124b_c")
    x = list(range(5, 21))
    (place / "main.c").write_text(consumer(kernel, x), encoding="utf-8")
    (place / "CMakeLists.txt").write_text(PROJECT.format(version=version), encoding="utf-8")
    return [works(tiny)[0], *(f"{y >> 64 * w & (1 << 64) - 1:x}" for y in kernel(x) for w in (0, 1))]


@pytest.mark.thorough
@on_one_kind
def test_a_project_that_finds_the_package(tiny: mg.Library, installed: Path, tmp_path: Path) -> None:
    expected = written(tiny, tmp_path)
    built(tmp_path, tmp_path / "build", f"-DCMAKE_PREFIX_PATH={installed}")
    assert called([tmp_path / "build" / "consumer"]).split() == expected


@pytest.mark.thorough
@on_one_kind
def test_a_project_in_cpp_alone(tiny: mg.Library, installed: Path, tmp_path: Path) -> None:
    """It has no C compiler: what a static library with OpenMP asks for must be found for C++."""
    expected = in_cpp(written(tiny, tmp_path), tmp_path)
    built(tmp_path, tmp_path / "build", f"-DCMAKE_PREFIX_PATH={installed}")
    assert called([tmp_path / "build" / "consumer"]).split() == expected


def in_cpp(expected: Sequence[str], place: Path) -> Sequence[str]:
    """The project that was written there, now without C."""
    if not shutil.which("c++"):
        pytest.skip("there is no C++ compiler")
    (place / "main.c").rename(place / "main.cpp")
    text = (place / "CMakeLists.txt").read_text(encoding="utf-8")
    text = text.replace("LANGUAGES C", "LANGUAGES CXX").replace("main.c", "main.cpp")
    (place / "CMakeLists.txt").write_text(text, encoding="utf-8")
    return expected


@pytest.mark.thorough
@needs_cmake
def test_a_project_that_fetches_the_library(tiny: mg.Library, least: Path, tmp_path: Path) -> None:
    """In C++ alone, without a build type: the library is optimised nevertheless, and not installed with the project."""
    fetch = f"include(FetchContent)\nFetchContent_Declare(tiny SOURCE_DIR {least})\nFetchContent_MakeAvailable(tiny)"
    expected = written(tiny, tmp_path)
    text = PROJECT.replace("find_package(tiny {version} REQUIRED)", fetch)
    (tmp_path / "CMakeLists.txt").write_text(text + "install(TARGETS consumer)\n", encoding="utf-8")
    in_cpp(expected, tmp_path)
    built(tmp_path, tmp_path / "build", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    assert called([tmp_path / "build" / "consumer"]).split() == expected
    rows = json.loads((tmp_path / "build" / "compile_commands.json").read_text(encoding="utf-8"))
    own = [row["command"].split() for row in rows if "/src/tiny_" in row["file"]]
    assert own and all("-O3" in command for command in own)
    called([CMAKE or "", "--install", tmp_path / "build", "--prefix", tmp_path / "prefix"])
    assert {path.name for path in (tmp_path / "prefix").rglob("*") if path.is_file()} == {"consumer"}


@on_one_kind
def test_a_project_that_wants_another_version(tiny: mg.Library, installed: Path, tmp_path: Path) -> None:
    written(tiny, tmp_path, version="2.0")
    cmake(tmp_path, tmp_path / "build", f"-DCMAKE_PREFIX_PATH={installed}", code=1)


@on_one_kind
def test_a_program_by_pkg_config(tiny: mg.Library, installed: Path, tmp_path: Path) -> None:
    if not shutil.which("pkg-config"):
        pytest.skip("there is no pkg-config")
    expected = written(tiny, tmp_path)
    (path,) = installed.rglob("tiny.pc")
    asked = ["pkg-config", "--cflags", "--libs", "tiny"]
    flags = called(asked, PKG_CONFIG_PATH=str(path.parent)).split()
    assert called([*asked[:1], "--modversion", "tiny"], PKG_CONFIG_PATH=str(path.parent)).strip() == "1.2.3"
    called([CC or "", tmp_path / "main.c", *flags, "-o", tmp_path / "main"])
    assert called([tmp_path / "main"], LD_LIBRARY_PATH=str(path.parents[1])).split() == expected


@on_one_kind
def test_threads_share_plans(tiny: mg.Library, installed: Path) -> None:
    said = called([installed.parent / "build" / "tiny_threads"])
    assert said.count("4 threads, 0 errors") == ROWS * len(works(tiny))


@pytest.mark.thorough
@on_one_kind
def test_the_benchmark_tells_every_variant(tiny: mg.Library, installed: Path) -> None:
    said = called([installed.parent / "build" / "tiny_bench", "axpy_60b", "ntt16_124b"]).splitlines()
    assert [line.split()[:2] for line in said] == [
        [name, variant] for name in ("ntt16_124b", "axpy_60b") for variant in works(tiny)
    ]
    assert all(float(line.split()[2]) > 0 and " per " in line and "ns of wall time" in line for line in said)


def test_the_benchmark_chains_what_goes_on(folder: Path) -> None:
    """Not the conditional kernel, the one with other ranges out than in, the negation, inverses, sums, extensions and
    kernels on rows."""
    chained = "chained[KERNELS] = {1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0};"
    assert chained in (folder / "bench" / "bench.c").read_text()


@on_one_kind
def test_the_benchmark_refuses_unknown_kernels(installed: Path) -> None:
    command = [str(installed.parent / "build" / "tiny_bench"), "axpy_60b", "tiny_axpy_60b"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tiny_bench: expected one of the kernels ntt16_124b, ")
    assert done.stderr.endswith("; got tiny_axpy_60b\n")


@on_one_kind
def test_each_file_has_the_flags_of_its_variant(tiny: mg.Library, installed: Path) -> None:
    rows = json.loads((installed.parent / "build" / "compile_commands.json").read_text(encoding="utf-8"))
    flags = {variant.name: set(variant.target.flags) for variant in tiny.variants}
    seen = set()
    for row in rows:
        stem = Path(row["file"]).stem
        variant = next((name for name in flags if stem.endswith(f"_{name}")), "")
        machine = {word for word in row["command"].split() if word.startswith("-m") and "mcpu=baseline" not in word}
        assert machine == flags.get(variant, set()), stem
        seen.add(variant)
    assert seen == {*flags, ""}


@on_one_kind
def test_a_shared_library_exports_its_header_alone(tiny: mg.Library, installed: Path) -> None:
    libraries = list(installed.rglob("libtiny.so"))
    if not libraries or not shutil.which("nm"):
        pytest.skip("no shared library, or no nm")
    lines = called(["nm", "-D", "--defined-only", libraries[0]]).splitlines()
    public = {
        f"{member.symbol}_{verb}" for member in tiny.members for verb in (*member.functions, "create_at", "variant")
    }
    assert "tiny_switch_execute_rows" in public
    public |= {f"tiny_{name}" for name in ("error_text", "variant_name", "variant_works", "find_prime", "find_root")}
    public |= {"tiny_previous_prime"}
    assert {line.split()[-1] for line in lines} == public


@pytest.mark.thorough
@needs_cmake
def test_a_compiler_without_the_flags(least: Path, tmp_path: Path) -> None:
    """The variant is left out, and the rest works."""
    old = tmp_path / "old-cc"
    refuse = 'for a in "$@"; do case $a in -mavx512*) echo "$a: unknown option" >&2; exit 1;; esac; done'
    old.write_text(f'#!/bin/sh\n{refuse}\nexec {CC} "$@"\n', encoding="utf-8")
    old.chmod(old.stat().st_mode | stat.S_IXUSR)
    said = built(least, tmp_path / "build", f"-DCMAKE_C_COMPILER={old}")
    assert "tiny: ISA variants c;c64" in said
    assert passed(tmp_path / "build") == 1 + 2 + 1
    assert "create selects c\n" in called([tmp_path / "build" / "tiny_test"])


@pytest.mark.thorough
@pytest.mark.sampled(3)
@needs_cmake
def test_sums_of_doubles_under_fast_math(tmp_path: Path) -> None:
    """What others' flags do to kernels that must round as written."""
    kernels = ["ntt:n=512,bits=124,negacyclic", "vmul:bits=54", "axpy:bits=54"]
    mg.library("swift", kernels, targets=["avx2", "c"]).save(tmp_path / "swift")
    built(tmp_path / "swift", tmp_path / "build", "-DCMAKE_C_FLAGS_RELEASE=-O3 -ffast-math -fno-finite-math-only")
    assert passed(tmp_path / "build")


@pytest.mark.thorough
@needs_cmake
def test_variants_may_be_left_out(least: Path, tmp_path: Path) -> None:
    off = [f"-DTINY_VARIANT_{name.upper()}=OFF" for name in TARGETS]
    assert "tiny: ISA variants c64" in cmake(least, tmp_path / "one", *off[:1], *off[2:])
    cmake(least, tmp_path / "none", *off, code=1)


@pytest.mark.thorough
@needs_cmake
def test_a_project_that_contains_the_library(tiny: mg.Library, least: Path, tmp_path: Path) -> None:
    expected = written(tiny, tmp_path)
    text = PROJECT.replace("find_package(tiny {version} REQUIRED)", f"add_subdirectory({least} tiny)")
    (tmp_path / "CMakeLists.txt").write_text(text, encoding="utf-8")
    built(tmp_path, tmp_path / "build")
    assert called([tmp_path / "build" / "consumer"]).split() == expected
    assert not list((tmp_path / "build").rglob("tiny_test"))
