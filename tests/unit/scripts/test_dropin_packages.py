"""scripts/dropin with a real CMake: a build uses the package that was asked for, whatever the environment names."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from dropin.build import Builder
from dropin.packages import Broken, check_found
from dropin.suites import SUITES, Suite

needs_cmake = pytest.mark.skipif(not shutil.which("cmake"), reason="no CMake")
PROJECT = """cmake_minimum_required(VERSION 3.13)
project(t C)
if(USE_HEXL)
  find_package(HEXL {version} REQUIRED)
endif()
add_executable(who who.c)
if(USE_HEXL)
  target_link_libraries(who PRIVATE HEXL::hexl)
endif()
"""
PROGRAM = """#include <stdio.h>
#ifndef WHO
#define WHO "none"
#endif
int main(void) { puts(WHO); }
"""
CONFIG = """add_library(HEXL::hexl INTERFACE IMPORTED)
set_target_properties(HEXL::hexl PROPERTIES INTERFACE_COMPILE_DEFINITIONS "WHO=\\"{name}\\"")
"""
VERSION = """set(PACKAGE_VERSION "{v}")
if(NOT PACKAGE_FIND_VERSION VERSION_GREATER "{v}")
  set(PACKAGE_VERSION_COMPATIBLE 1)
endif()
"""
SUITE = Suite("A project", (), ("plain", "hexl", "ours"), {"who": "who"}, switch=("-DUSE_HEXL=ON",))


def install(prefix: Path, version: str = "1.2.6") -> Path:
    """Install a package named HEXL, which tells programs the name of its prefix; return the prefix."""
    place = prefix / "lib/cmake/hexl-1.2.6"
    place.mkdir(parents=True)
    (place / "HEXLConfig.cmake").write_text(CONFIG.format(name=prefix.name))
    (place / "HEXLConfigVersion.cmake").write_text(VERSION.format(v=version))
    return prefix


@pytest.fixture
def builder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Builder:
    """Two installed packages, a third one that the environment names, and a project that uses one of them."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(PROJECT.format(version="1.2.6"))
    (source / "who.c").write_text(PROGRAM)
    folders = {name: install(tmp_path / name) for name in ("original", "package")}
    monkeypatch.setenv("HEXL_ROOT", str(install(tmp_path / "environment")))
    (tmp_path / "work").mkdir()
    return Builder(tmp_path / "work", folders, bench=False)


def who(builder: Builder, variant: str, suite: Suite = SUITE) -> str:
    """Build the project in one variant; return the name of the package that its program has."""
    folder = builder.suite("t", suite, variant, builder.work.parent / "source")
    return subprocess.run([str(folder / "who")], capture_output=True, text=True, check=True).stdout.strip()


@needs_cmake
def test_each_variant_has_its_package_whatever_hexl_root_says(builder: Builder) -> None:
    assert [who(builder, variant) for variant in ("plain", "hexl", "ours")] == ["none", "original", "package"]
    moved = replace(builder, folders={**builder.folders, "package": install(builder.work.parent / "newer")})
    assert who(moved, "ours") == "newer", "a build folder of an earlier run"


@needs_cmake
def test_a_package_that_cmake_rejects_is_not_replaced_by_another(builder: Builder) -> None:
    """CMake passes over a package of a wrong version, and takes the one that the environment names."""
    old = install(builder.work.parent / "old", version="1.0")
    with pytest.raises(Broken, match=r"t-ours: expected HEXL below .*old, got .*environment.*"):
        who(replace(builder, folders={**builder.folders, "package": old}), "ours")


@needs_cmake
def test_a_project_that_looks_for_no_hexl_fails(builder: Builder) -> None:
    with pytest.raises(Broken, match=r"t-ours: expected HEXL below .*package, got none"):
        who(builder, "ours", replace(SUITE, switch=()))


@needs_cmake
def test_a_build_without_hexl_has_none(builder: Builder) -> None:
    with pytest.raises(Broken, match=r"t-plain: expected no HEXL, got .*environment"):
        who(builder, "plain", replace(SUITE, settings=("-DUSE_HEXL=ON",)))


def test_a_cache_names_what_was_found(tmp_path: Path) -> None:
    cache, prefix = tmp_path / "CMakeCache.txt", tmp_path / "prefix"
    place = configured(prefix, "GTest")
    for entry in (f"GTest_DIR:UNINITIALIZED={place}", "GTest_DIR:PATH=GTest_DIR-NOTFOUND", "Other_DIR:PATH=/"):
        cache.write_text(f"A:BOOL=ON\n{entry}\n")
        check_found("t", cache, {"GTest": None})
        with pytest.raises(Broken, match=r"t: expected GTest below .*prefix, got none"):
            check_found("t", cache, {"GTest": prefix})
    cache.write_text(f"GTest_DIR:PATH={place}\n")
    check_found("t", cache, {"GTest": prefix})
    inner = configured(prefix / "inner", "GTest")
    cache.write_text(f"GTest_DIR:PATH={inner}\n")
    with pytest.raises(Broken, match=r"expected GTest below .*prefix, got .*inner"):
        check_found("t", cache, {"GTest": prefix})


def test_dependencies_that_were_built_are_the_ones_that_are_used(tmp_path: Path) -> None:
    """GTest_ROOT and benchmark_ROOT come before CMAKE_PREFIX_PATH, too."""
    builder = Builder(tmp_path, {name: tmp_path / name for name in ("googletest", "benchmark", "package", "rows")})
    deps = {"GTest": tmp_path / "deps", "benchmark": tmp_path / "deps"}
    package, rows = tmp_path / "package", tmp_path / "rows"
    assert builder._packages(SUITES["seal"], "plain") == {"HEXL": None, "rows": None, **deps}
    assert builder._packages(SUITES["seal"], "ours") == {"HEXL": package, "rows": None, **deps}
    assert builder._packages(SUITES["seal"], "rows") == {"HEXL": package, "rows": rows, **deps}
    assert replace(builder, folders={})._packages(SUITES["seal"], "plain") == {"HEXL": None, "rows": None}


def configured(prefix: Path, package: str) -> Path:
    """Make an empty configuration of a package; return its folder."""
    place = prefix / "lib" / "cmake" / package
    place.mkdir(parents=True)
    (place / f"{package}Config.cmake").touch()
    return place
