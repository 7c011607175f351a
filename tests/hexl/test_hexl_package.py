"""The folder: what is in it, how it is written and found, and the command that makes it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from built import CMAKE, CXX, called, needs_cmake

from momagen.cli import main
from momagen.errors import MomagenError
from momagen.hexl import HexlPackage, package
from momagen.hexl.measure import PROGRAM as PROGRAM_THAT_TIMES

HEADERS = ("hexl.hpp", "ntt/ntt.hpp", "number-theory/number-theory.hpp", "util/aligned-allocator.hpp", "util/util.hpp")
FIND = """cmake_minimum_required(VERSION 3.16)
project(user CXX)
find_package(HEXL {version} REQUIRED)
add_executable(user user.cpp)
target_link_libraries(user HEXL::hexl)
get_target_property(where HEXL::hexl LOCATION)
message(STATUS "version ${{HEXL_VERSION}} at ${{where}}")
"""
PROGRAM = """#include <hexl/hexl.hpp>
int main() {
  uint64_t x[] = {5, 6}, y[2];
  intel::hexl::NTT ntt(2, 97);
  ntt.ComputeForward(y, x, 1, 1);
  ntt.ComputeInverse(y, y, 1, 1);
  intel::hexl::EltwiseMultMod(y, y, x, 2, 97, 1);
  return y[0] == 25 && y[1] == 36 ? 0 : 1;
}
"""


@pytest.fixture(scope="module")
def small() -> HexlPackage:
    return package(["c"], max_n="2^3")


def test_the_files_are_hexls_headers_kernels_and_a_manifest_of_all(small: HexlPackage, tmp_path: Path) -> None:
    assert {f"include/hexl/{name}" for name in HEADERS} <= set(small.files)
    assert {"CMakeLists.txt", "README.md", "LICENSE", "kernels/include/hexl_kernels.h"} <= set(small.files)
    assert [path for path in small.files if path.endswith("MANIFEST.sha256")] == ["MANIFEST.sha256"]
    assert not [path for path in small.files if path.endswith((".j2", "kernels.toml")) and "/" not in path]
    small.save(tmp_path / "hexl")
    if tool := shutil.which("sha256sum"):
        done = subprocess.run([tool, "-c", "--quiet", "MANIFEST.sha256"], cwd=tmp_path / "hexl", check=False)
        assert done.returncode == 0
    assert "2 to 8 points" in small.files["README.md"] and small.library.version == "1.2.6"
    assert repr(small) == "<momagen package HEXL 1.2.6; transforms up to n = 8 for c>"


def test_plans_have_the_layout_that_the_layer_reads(small: HexlPackage) -> None:
    """The layer calls the function of a plan's variant; the plan of a kernel without products is the modulus."""
    functions = re.compile(r"int variant;\n.*\(\*create\).*\n.*\(\*execute\).*\n.*\(\*destroy\).*\n} functions;")
    for name in re.findall(r"HEXL_KERNEL\((\w+), \d", small.files["src/kernels.hpp"]):
        text = small.files[f"kernels/src/hexl_kernels_{name}.c"]
        assert functions.search(text), name
        assert "_plan {\n    const functions *at;\n    void *tables;\n};" in text, name
    names = re.findall(r"run_without_plan<(\w+)>", small.files["src/eltwise-add-sub-mod.cpp"])
    names += re.findall(r"CMPADD_\w+", small.files["src/eltwise-cmp.cpp"])
    assert len(names) == 8
    for name in names:
        text = small.files[f"kernels/src/hexl_kernels_{name.lower()}_c.c"]
        assert "_plan {\n    uint64_t c[1]; /* q */\n};" in text and "plan->c, n);" in text, name


def test_every_text_of_the_layer_names_its_licence(small: HexlPackage) -> None:
    sources = {path: text for path, text in small.files.items() if re.match(r"(src|include)/.*\.[hc]pp", path)}
    assert len(sources) > 25
    assert not [path for path, text in sources.items() if "SPDX-License-Identifier: CC0-1.0" not in text[:80]]
    assert not [path for path, text in sources.items() if max(map(len, text.splitlines())) > 125]


def test_a_changed_folder_is_left_alone_and_an_untouched_one_renewed(small: HexlPackage, tmp_path: Path) -> None:
    folder = tmp_path / "hexl"
    assert len(small.save(folder)) == len(small.files) and small.save(folder) == []
    readme = folder / "README.md"
    readme.write_text("mine", encoding="utf-8")
    with pytest.raises(MomagenError, match=r"the file README\.md in .* was changed"):
        small.save(folder)
    assert readme.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("length", [0, 1, 3, 1000, 1 << 21, -2, "2^5+1"])
def test_lengths_that_there_are_not(length: int | str) -> None:
    with pytest.raises(MomagenError, match=r"max_n: expected a power of two from 2 to 2\^20, got "):
        package(["c"], max_n=length)


@pytest.mark.thorough
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["hexl", "--output", str(tmp_path / "hexl"), "--targets", "c", "--max-n", "4", "--no-verify"]
    assert main(given) == 0
    said = capsys.readouterr().out
    assert "hexl_kernels_forward50" in said and f"cmake -S {tmp_path / 'hexl'}" in said and "--prefix PREFIX" in said
    assert main([*given, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["version"] == "1.2.6" and f"{tmp_path / 'hexl'}/include/hexl/hexl.hpp" in data["files"]
    assert {kernel["name"] for kernel in data["kernels"]} >= {"add63", "mul46x4", "forward62", "inverse50"}


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (["--max-n", "1000"], "--max-n: expected a power of two from 2 to 2^20, got 1000"),
        (["--targets", "vax"], "target: expected a target such as c, "),
        (["--targets", ","], "targets: expected at least one target, got none"),
        (["--max-m", "8"], "unknown option --max-m"),
    ],
    ids=str,
)
def test_the_command_refuses_in_one_line(
    given: list[str], text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["hexl", "--output", str(tmp_path / "hexl"), *given]) == 2
    out, error = capsys.readouterr()
    assert text in error and error.count("\n") == 1 and not out and not (tmp_path / "hexl").exists()


@needs_cmake
def test_it_is_found_at_its_version_and_no_other(prefix: Path, tmp_path: Path) -> None:
    (tmp_path / "user.cpp").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "CMakeLists.txt").write_text(FIND.format(version="1.2.6"), encoding="utf-8")
    configure = [CMAKE, "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}"]
    said = called(configure)
    assert re.search(rf"version 1\.2\.6 at {re.escape(str(prefix))}/lib\w*/libhexl\.a", said)
    called([CMAKE, "--build", tmp_path / "build"])
    called([tmp_path / "build" / "user"])
    (tmp_path / "CMakeLists.txt").write_text(FIND.format(version="1.2.5"), encoding="utf-8")
    other = [tmp_path / "other" if item == tmp_path / "build" else item for item in configure]
    done = subprocess.run(other, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "1.2.5" in done.stderr


@needs_cmake
def test_only_what_is_hexls_is_installed(prefix: Path) -> None:
    files = {str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file()}
    assert not [path for path in files if "kernels" in path]
    libraries = [path for path in files if path.endswith((".a", ".so"))]
    assert [Path(path).name for path in libraries] == ["libhexl.a"]
    config = (prefix / next(path for path in files if path.endswith("hexl.pc"))).read_text(encoding="utf-8")
    assert "\nVersion: 1.2.6\n" in config and "\nLibs: -L${libdir} -lhexl\n" in config


@needs_cmake
def test_what_times_short_calls_runs(prefix: Path, tmp_path: Path) -> None:
    """The figures themselves are held by no test."""
    library = next(prefix.rglob("libhexl.a"))
    called([CXX, "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{prefix}/include", PROGRAM_THAT_TIMES, library,
            "-o", tmp_path / "measure"])  # fmt: skip
    rows = [line.split("\t") for line in called([tmp_path / "measure", "512"]).splitlines()]
    names = ("AddMod", "SubMod", "MultMod", "FMAMod", "ReduceMod", "CmpAdd", "CmpSubMod")
    assert {name for name, _ in rows} == {*(f"Eltwise{name}" for name in names), "NTT"}
    assert all(float(ns) > 0 for _, ns in rows)


@needs_cmake
@pytest.mark.skipif(not shutil.which("pkg-config"), reason="there is no pkg-config")
def test_pkg_config_is_enough(prefix: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PKG_CONFIG_PATH", str(next(prefix.rglob("hexl.pc")).parent))
    flags = called(["pkg-config", "--cflags", "--libs", "hexl"]).split()
    (tmp_path / "user.cpp").write_text(PROGRAM, encoding="utf-8")
    called([CXX, "-std=c++17", tmp_path / "user.cpp", *flags, "-o", tmp_path / "user"])
    called([tmp_path / "user"])
