"""The programs of docs/guides/c-and-cpp.md compile and print what the page shows, if their compilers are installed."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

import momagen as mg
from momagen.cli import main
from momagen.emit.codes import LIBRARY_CODES

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "c-and-cpp.md"
PROGRAMS = {"c": ("gcc", "main.c"), "cpp": ("g++", "main.cpp"), "rust": ("rustc", "main.rs"), "go": ("go", "main.go")}


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the guide's library in ring, and its archive in ring-build."""
    if not shutil.which("gcc") or not shutil.which("ar"):
        pytest.skip("there is no gcc, or no ar")
    place = tmp_path_factory.mktemp("guide")
    (command,) = re.findall(r"^    momagen (lib .*) --output ring$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    assert main([*shlex.split(command), "--output", str(place / "ring"), "--no-verify", "--targets", "c"]) == 0
    build = place / "ring-build"
    build.mkdir()
    sources = sorted((place / "ring" / "src").glob("*.c"))
    ran(["gcc", "-std=c99", "-O1", "-fPIC", "-I../ring/include", "-c", *map(str, sources)], build)
    ran(["ar", "rcs", "libring.a", *(f"{source.stem}.o" for source in sources)], build)
    return place


def ran(command: Sequence[str], folder: Path, **environment: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def blocks(language: str, text: str) -> list[str]:
    """Return the guide's blocks of code in a language that contain a text."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [block for block in found if text in block]


@pytest.mark.thorough
@pytest.mark.parametrize("language", ["c", "cpp", "rust", pytest.param("go", marks=pytest.mark.slow)])
def test_its_programs_print_nine(language: str, ring: Path) -> None:
    tool, name = PROGRAMS[language]
    if not shutil.which(tool):
        pytest.skip(f"there is no {tool}")
    (text,) = blocks(language, "ring_ntt_create")
    (ring / name).write_text(text, encoding="utf-8")
    strict = ["-Wall", "-Wextra", "-Werror", "-Iring/include", name, "-Lring-build", "-lring", "-o", language]
    if language == "go":
        flags = {"CGO_CFLAGS": f"-I{ring}/ring/include", "CGO_LDFLAGS": f"-L{ring}/ring-build -lring"}
        assert ran(["go", "run", name], ring, **flags) == "9"
        return
    ran(["rustc", name, "-L", "ring-build", "-o", language] if language == "rust" else [tool, *strict], ring)
    assert ran([str(ring / language)], ring) == "9"


def test_it_names_every_code() -> None:
    rows = re.findall(r"^\| `RING_(\w+)`", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [*LIBRARY_CODES]


@pytest.mark.thorough
def test_the_program_with_an_rns_context_prints_nine(tmp_path: Path) -> None:
    if not shutil.which("gcc"):
        pytest.skip("there is no gcc")
    guide = GUIDE.read_text(encoding="utf-8")
    (command,) = re.findall(r"^    momagen (rns .*-bits.*) --output fhe$", guide, re.MULTILINE)
    assert main([*shlex.split(command), "--output", str(tmp_path / "fhe"), "--no-verify", "--targets", "c"]) == 0
    (text,) = blocks("c", "fhe_create")
    (tmp_path / "program.c").write_text(text, encoding="utf-8")
    strict = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]
    includes = ["-Ifhe/include", "-Ifhe/kernels/include"]
    sources = [str(path) for folder in ("fhe/src", "fhe/kernels/src") for path in (tmp_path / folder).glob("*.c")]
    ran(["gcc", *strict, *includes, "program.c", *sources, "-o", "program"], tmp_path)
    assert ran([str(tmp_path / "program")], tmp_path) == "9"


@pytest.mark.parametrize("kind", ["keyswitch", "moddown"])
def test_prototypes_are_those_of_the_headers(kind: str) -> None:
    kernel = {"keyswitch": mg.keyswitch, "moddown": mg.moddown}[kind]([193, 97])
    assert kernel.header
    header = " ".join(kernel.header.replace(kernel.name, kind).split())
    (block,) = blocks("c", "keyswitch_create")
    prototypes = [" ".join(line.split()) + ";" for line in block.split(";") if f"{kind}_" in line]
    assert len(prototypes) == 3 and all(prototype in header for prototype in prototypes)
