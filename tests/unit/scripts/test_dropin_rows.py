"""The variant of scripts/dropin whose conversions run on a generated library: edits, trees, and CMake's settings."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from dropin import rows
from dropin.build import Builder
from dropin.packages import Broken
from dropin.rows import HERE, LIBRARY, Edit, edited, edits
from dropin.suites import SUITES, Suite
from dropin.trees import openfhe, seal

FOLDERS = ("seal", "openfhe", "openfhe-hexl", "cereal", "googletest", "benchmark")
PROJECTS = {"seal": "seal", "openfhe": "openfhe-hexl"}
"""The option that names the sources which the edits of a project change."""


def standin(tree: Path, project: str) -> Path:
    """Write the files that the edits of a project change, with little more than the text that the edits look for."""
    for edit in edits(project):
        path = tree / edit.file
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text() if path.is_file() else "// first\n"
        path.write_text(f"{text}{edit.after}// more\n")
    return tree


@pytest.mark.parametrize("project", PROJECTS)
def test_each_insertion_stands_behind_its_text(project: str, tmp_path: Path) -> None:
    texts = edited(project, standin(tmp_path, project))
    assert set(texts) == {Path(edit.file) for edit in edits(project)}
    for edit in edits(project):
        assert texts[Path(edit.file)].count(f"{edit.after}{edit.insert}// more\n") == 1
    assert all(text.startswith("// first\n") for text in texts.values())


@pytest.mark.parametrize(("text", "count"), [("int b;\n", 0), ("int a;\nint a;\n", 2)])
def test_sources_of_another_version_are_named(text: str, count: int) -> None:
    with pytest.raises(Broken, match=rf"^f\.h: expected once, got {count} times: int a;$"):
        Edit("f.h", "int a;\n", "int c;\n").apply(text)


def test_inserted_lines_leave_the_original_code() -> None:
    """An insertion adds whole lines, and every return in it depends on a condition."""
    for edit in [*edits("seal"), *edits("openfhe")]:
        assert edit.after.endswith("\n") and edit.insert.endswith("\n")
        lines = [line.strip() for line in edit.insert.splitlines()]
        conditions = [line for line in lines if line.startswith("if (")]
        assert sum(line.startswith("return") for line in lines) <= len(conditions)
        assert edit.insert.count("{") == edit.insert.count("}")


def test_the_copy_of_seal_is_edited_and_the_original_is_not(tmp_path: Path) -> None:
    source, work = standin(tmp_path / "seal", "seal"), tmp_path / "work"
    (source / "other.cpp").write_text("other")
    before = {path: path.read_text() for path in source.rglob("*") if path.is_file()}
    assert seal({"seal": source}, work, "ours") == source
    tree = seal({"seal": source}, work, "rows")
    assert tree != source and (tree / "other.cpp").read_text() == "other"
    assert {path: path.read_text() for path in source.rglob("*") if path.is_file()} == before
    assert all((tree / path).read_text() == text for path, text in edited("seal", source).items())


@pytest.mark.parametrize("project", PROJECTS)
def test_files_that_are_edited_again_keep_their_time(project: str, tmp_path: Path) -> None:
    """Otherwise every run would compile the whole project."""
    folders = {name: tmp_path / name for name in FOLDERS}
    for folder in folders.values():
        folder.mkdir()
        (folder / "CMakeLists.txt").write_text(folder.name)
    for name in ("configure", "third-party"):
        (folders["openfhe-hexl"] / name).mkdir()
    standin(folders[PROJECTS[project]], project)
    make = {"seal": seal, "openfhe": openfhe}[project]
    tree = make(folders, tmp_path / "work", "rows")
    times = {path: path.stat().st_mtime_ns for path in tree.rglob("*") if path.is_file()}
    make(folders, tmp_path / "work", "rows")
    assert {path: path.stat().st_mtime_ns for path in tree.rglob("*") if path.is_file()} == times
    assert all((tree / edit.file).read_text().count(edit.insert) == 1 for edit in edits(project))


def test_openfhe_on_the_package_alone_is_not_edited(tmp_path: Path) -> None:
    folders = {name: tmp_path / name for name in FOLDERS}
    for folder in folders.values():
        folder.mkdir()
    standin(folders["openfhe-hexl"], "openfhe")
    for name in ("CMakeLists.txt", "configure", "third-party"):
        (folders["openfhe-hexl"] / name).mkdir()
    trees = [openfhe(folders, tmp_path / "work", variant) for variant in ("ours", "rows")]
    file = edits("openfhe")[0].file
    assert ["dropin::" in (tree / file).read_text() for tree in trees] == [False, True]


TABLES = {
    "fast": ("conversion.hpp", "Method", "by_kernel", ("convert", "fast", False)),
    "corrected": ("conversion.hpp", "Method", "by_kernel", ("convert", "corrected", False)),
    "redundant": ("conversion.hpp", "Method", "by_kernel", ("convert", "shenoy-kumaresan", False)),
    "montgomery": ("conversion.hpp", "Method", "by_kernel", ("convert", "montgomery", False)),
    "scaled": ("conversion.hpp", "Method", "by_kernel", ("convert", "corrected", True)),
    "nearest": ("division.hpp", "Rounding", "by_divider", ("moddown", "corrected", False)),
    "below": ("division.hpp", "Rounding", "by_divider", ("moddown", "fast", False)),
}
"""By the name of a table of kernels: its header, type and entries, and what the kernels in it compute."""


def test_the_kernels_are_those_of_the_headers() -> None:
    """Every kernel of the library is in the table of its method, and shorter moduli come first."""
    kernels = tomllib.loads((HERE / "kernels.toml").read_text(encoding="utf-8"))["kernel"]
    lengths = (50, 60, 62)
    assert [kernel["name"] for kernel in kernels] == [f"{name}{length}" for name in TABLES for length in lengths]
    assert [kernel["modulus_bits"] for kernel in kernels] == [*lengths] * len(TABLES)
    for name, (file, kind, entry, computes) in TABLES.items():
        own = [kernel for kernel in kernels if kernel["name"].startswith(name)]
        assert {(k["kind"], k["method"], k.get("scaled", False)) for k in own} == {computes}
        header = (HERE / file).read_text(encoding="utf-8")
        table = header.partition(f"inline constexpr {kind} {name}{{")[2].partition("};")[0]
        calls = ["{1}<rows_{0}_create, rows_{0}_execute_rows, rows_{0}_destroy>".format(k["name"], entry) for k in own]
        assert [line.strip().removesuffix(",") for line in table.splitlines() if line.strip()] == calls


PROJECT = """cmake_minimum_required(VERSION 3.16)
project(Stand CXX)
find_package(HEXL REQUIRED)
add_executable(who who.cpp)
"""
PROGRAM = """#include <cstdio>
#ifdef WHO
#include "rows/library.cmake.hpp"
#else
int main() { std::puts("none"); }
#endif
"""
CONFIG = """add_library(rows::rows INTERFACE IMPORTED)
set_target_properties(rows::rows PROPERTIES INTERFACE_COMPILE_DEFINITIONS "WHO=\\"{name}\\"")
"""


@pytest.mark.skipif(not shutil.which("cmake"), reason="no CMake")
def test_only_the_variant_with_rows_has_the_library_and_the_headers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CMAKE_PROJECT_<NAME>_INCLUDE adds both to the targets of a project whose CMake files do not mention them."""
    headers = tmp_path / "dropin" / "rows"
    headers.mkdir(parents=True)
    shutil.copy(LIBRARY, headers)
    monkeypatch.setattr(rows, "LIBRARY", headers / LIBRARY.name)
    (headers / "library.cmake.hpp").write_text("int main() { std::puts(WHO); }\n")
    for name, package, text in (("package", "HEXL", ""), ("library", "rows", CONFIG.format(name="library"))):
        place = tmp_path / name / "lib/cmake" / package
        place.mkdir(parents=True)
        (place / {"HEXL": "HEXLConfig.cmake", "rows": "rows-config.cmake"}[package]).write_text(text)
    source, work = tmp_path / "source", tmp_path / "work"
    for folder in (source, work):
        folder.mkdir()
    (source / "CMakeLists.txt").write_text(PROJECT)
    (source / "who.cpp").write_text(PROGRAM)
    suite = Suite("Stand", (), ("ours", "rows"), {"who": "who"}, rows=("-DCMAKE_PROJECT_Stand_INCLUDE={library}",))
    folders = {"package": tmp_path / "package", "rows": tmp_path / "library"}
    builder = Builder(work, folders, bench=False)
    programs = [builder.suite("t", suite, variant, source) / "who" for variant in ("ours", "rows")]
    said = [subprocess.run([str(p)], capture_output=True, text=True, check=True).stdout.strip() for p in programs]
    assert said == ["none", "library"]


def test_projects_that_take_rows_include_the_library() -> None:
    for suite in SUITES.values():
        assert ("rows" in suite.variants) == bool(suite.rows)
        assert all("{library}" in setting for setting in suite.rows)
    assert LIBRARY.is_file()
