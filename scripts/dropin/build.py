"""CMake: configure and build in the work folder; what an earlier run has built is kept."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import rows
from .packages import Broken, check_found, named
from .suites import DEPENDENCIES, VARIANTS, Suite


@dataclass(frozen=True)
class Builder:
    """``folders`` by option; everything is written below ``work``; at most ``jobs`` compilers at a time.

    Programs of ``tests`` and of ``bench`` are built where wanted.
    """

    work: Path
    folders: dict[str, Path]
    jobs: int = 2
    tests: bool = True
    bench: bool = True

    def dependency(self, name: str) -> None:
        """Build and install what others need below ``work/deps``."""
        settings = (*DEPENDENCIES[name].settings, f"-DCMAKE_INSTALL_PREFIX={self.work / 'deps'}")
        self._cmake(name, self.folders[name], settings, ("all",))
        self._run(name, ["cmake", "--install", str(self.work / name)])

    def suite(self, name: str, suite: Suite, variant: str, source: Path) -> Path:
        """Return the build folder of one variant of a suite, with its programs in it.

        Raises:
            Broken: a step failed, or CMake found another package than was asked for.
        """
        packages = self._packages(suite, variant)
        found = ";".join(str(prefix) for prefix in dict.fromkeys([self.work / "deps", *packages.values()]) if prefix)
        switch = [setting.format(prefix=packages["HEXL"]) for setting in suite.switch if packages["HEXL"]]
        library = [setting.format(library=rows.LIBRARY) for setting in suite.rows if packages["rows"]]
        settings = (f"-DCMAKE_PREFIX_PATH={found}", *suite.settings, *switch, *library)
        return self._cmake(f"{name}-{variant}", source, settings, suite.targets(self.tests, self.bench), packages)

    def _packages(self, suite: Suite, variant: str) -> dict[str, Path | None]:
        """Return the prefix of each package that CMake must use; None for a package that it must not find."""
        chosen = VARIANTS[variant]
        built = {DEPENDENCIES[name].package: self.work / "deps" for name in suite.finds if name in self.folders}
        return {"HEXL": self.folders.get(chosen.prefix), "rows": self.folders.get(chosen.rows), **built}

    def _cmake(
        self, name: str, source: Path, settings: Sequence[str], targets: Sequence[str],
        packages: Mapping[str, Path | None] | None = None,
    ) -> Path:  # fmt: skip
        """Configure, check which ``packages`` were found, and build."""
        folder, wanted = self.work / name, packages or {}
        made = (folder / "CMakeCache.txt").is_file()
        generator = [] if made else ["-G", "Ninja" if shutil.which("ninja") else "Unix Makefiles"]
        (self.work / f"{name}.log").unlink(missing_ok=True)
        self._run(name, ["cmake", *generator, *named(wanted), "-S", str(source), "-B", str(folder),
                         "-DCMAKE_BUILD_TYPE=Release", *settings])  # fmt: skip
        check_found(name, folder / "CMakeCache.txt", wanted)
        self._run(name, ["cmake", "--build", str(folder), f"-j{self.jobs}", "--target", *targets])
        return folder

    def _run(self, name: str, command: list[str]) -> None:
        log = self.work / f"{name}.log"
        with log.open("a", encoding="utf-8") as file:
            done = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            last = log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:]
            raise Broken("\n".join([f"{name}: {' '.join(command[:2])} … failed ({log})", *last]))
