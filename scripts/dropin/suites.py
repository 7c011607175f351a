"""What is built and run: one row for each project, one for each library in HEXL's place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Variant:
    """The libraries that a project is built with.

    Attributes:
        title: the name of the variant in reports.
        prefix: the option that names the prefix of HEXL or of the package in its place; empty without either.
        rows: the option that names the prefix of the library of conversions between RNS bases; empty without it.
    """

    title: str
    prefix: str = ""
    rows: str = ""

    @property
    def needs(self) -> list[str]:
        """The options that must be given."""
        return [option for option in (self.prefix, self.rows) if option]

    @property
    def is_ours(self) -> bool:
        """Whether the project runs on generated kernels."""
        return self.prefix == "package"


VARIANTS = {
    "plain": Variant("without HEXL"),
    "hexl": Variant("HEXL", "original"),
    "ours": Variant("ours", "package"),
    "rows": Variant("ours with rows", "package", "rows"),
}


@dataclass(frozen=True)
class Suite:
    """A project with tests.

    ``needs`` are options that must be given, ``finds`` such that are built where given and else looked for by CMake.
    ``settings`` are for every variant, ``switch`` for those with a prefix, which replaces ``{prefix}``, and ``rows``
    for those with the library of conversions, where ``{library}`` is the file that adds it to a project.
    ``programs`` are test programs below the build folder by title; ``benches`` are programs of Google Benchmark.
    ``omitted`` are tests by a GoogleTest pattern, ``because`` says why.
    """

    title: str
    needs: tuple[str, ...]
    variants: tuple[str, ...]
    programs: dict[str, str]
    finds: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    switch: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    benches: tuple[str, ...] = ()
    omitted: str = ""
    because: str = ""

    def targets(self, tests: bool = True, bench: bool = True) -> tuple[str, ...]:
        """What to build: CMake names a target as its program."""
        paths = [*(self.programs.values() if tests else ()), *(self.benches if bench else ())]
        return tuple(path.rpartition("/")[2] for path in paths)


SUITES = {
    "hexl": Suite(
        title="HEXL",
        needs=("hexl",),
        finds=("googletest",),
        variants=("hexl", "ours"),
        programs={"HEXL unit tests": "unit-test"},
    ),
    "seal": Suite(
        title="SEAL",
        needs=("seal",),
        finds=("googletest", "benchmark"),
        variants=("plain", "hexl", "ours", "rows"),
        settings=(
            "-DSEAL_BUILD_DEPS=OFF", "-DSEAL_USE_MSGSL=OFF", "-DSEAL_USE_ZLIB=OFF", "-DSEAL_USE_ZSTD=OFF",
            "-DSEAL_BUILD_TESTS=ON", "-DSEAL_BUILD_BENCH=ON",
        ),
        switch=("-DSEAL_USE_INTEL_HEXL=ON",),
        rows=("-DCMAKE_PROJECT_SEAL_INCLUDE={library}",),
        programs={"SEAL tests": "bin/sealtest"},
        benches=("bin/sealbench",),
    ),
    "openfhe": Suite(
        title="OpenFHE",
        needs=("openfhe", "openfhe-hexl", "googletest", "benchmark", "cereal"),
        variants=("plain", "hexl", "ours", "rows"),
        settings=(
            "-DBUILD_EXAMPLES=OFF", "-DBUILD_BENCHMARKS=ON", "-DBENCHMARK_ENABLE_WERROR=OFF", "-DGIT_SUBMOD_AUTO=OFF",
            "-DWITH_NATIVEOPT=OFF",
            # lib-benchmark uses a name that newer versions of Google Benchmark deprecate, and is compiled with -Werror.
            "-DCMAKE_CXX_FLAGS=-Wno-error=deprecated-declarations",
        ),
        switch=("-DWITH_INTEL_HEXL=ON", "-DINTEL_HEXL_PREBUILT=ON", "-DINTEL_HEXL_HINT_DIR={prefix}"),
        rows=("-DCMAKE_PROJECT_OpenFHE_INCLUDE={library}",),
        programs={f"OpenFHE {part}": f"unittest/{part}_tests" for part in ("core", "binfhe", "pke")},
        benches=tuple(
            f"bin/benchmark/{name}" for name in ("lib-benchmark", "bfv-techniques", "small-bootstrapping", "hexl-paper")
        ),
        omitted="*_VERY_LONG",
        because="OpenFHE's own main leaves out what ends in _VERY_LONG",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Dependency:
    """A library that other projects need: the name by which CMake finds it, and the settings with which it is built."""

    package: str
    settings: tuple[str, ...]


DEPENDENCIES = {
    "googletest": Dependency("GTest", ("-DBUILD_GMOCK=OFF",)),
    "benchmark": Dependency("benchmark", (
        "-DBENCHMARK_ENABLE_TESTING=OFF", "-DBENCHMARK_ENABLE_GTEST_TESTS=OFF", "-DBENCHMARK_ENABLE_WERROR=OFF",
    )),
}  # fmt: skip
"""What is built first and installed below the work folder, by the option that names its sources."""
